"""P11: a browser that is signed in asks for a code, and the app redeems it. The peer is Glewlwyd, with the same clients and people."""

import hashlib
import http.client
import re
import urllib.parse

import processes
from load import SCRIPTS
from p256 import base64url
from processes import Failed

# A page in a browser: for a native app that is not at an `https` address, a person must act for each code.
CLIENT, REDIRECT = "bench", "http://127.0.0.1/signed-in"
# The lines of a project for these measurements.
PROVIDER = f"openIDProvider:\n  clients:\n    - {{id: {CLIENT}, name: Bench, kind: browser, redirectURIs: ['{REDIRECT}']}}\n"
VERIFIER = "a-verifier-that-every-app-of-this-measurement-has"
BROWSERS = 64


class GatehouseProvider:
    """The server under test as an OpenID provider."""

    more = {}
    connections, may_fail = 32, 0

    def __init__(self, house, project):
        self._house, self._project = house, project
        self.address, self.process = house.address, house.process
        self.authorize, self.token = f"/{project}/oauth2/authorize", f"/{project}/oauth2/token"

    def browser(self, number):
        """The cookies of a browser in which a person has signed in at the hosted page."""
        person = {"email": f"browser{number}@example.com", "password": "correct horse battery"}
        self._house.post("/v1/accounts:signUp", self._project, person)
        jar = {}
        _, page = self._visit(jar, "GET", f"{self.authorize}?{request(self)}")
        action = re.search(r'<form method="post" action="([^"]+)">\s*<label for="email">', page)
        if not action:
            raise Failed(f"no form to sign in: {page[:400]}")
        target = urllib.parse.urljoin(self.address, action[1].replace("&amp;", "&"))
        location, _ = self._visit(jar, "POST", target.removeprefix(self.address), {**person, "do": "password"})
        if not location.startswith(REDIRECT):
            raise Failed(f"the sign-in led to {location}")
        return "; ".join(f"{name}={value}" for name, value in jar.items())

    def _visit(self, jar, method, target, form=None):
        """Follows redirects to a page or out of the server; gives where it led, and the page."""
        for _ in range(8):
            connection = http.client.HTTPConnection("127.0.0.1", self._house.port, timeout=20)
            cookies = {"cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
            kind = {"content-type": "application/x-www-form-urlencoded", "origin": self.address} if form else {}
            connection.request(method, target, urllib.parse.urlencode(form) if form else None, {**cookies, **kind})
            answer = connection.getresponse()
            body = answer.read().decode()
            connection.close()
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    cookie, _, content = value.partition(";")[0].partition("=")
                    jar[cookie] = content
                    if "max-age=0" in value.lower():
                        del jar[cookie]
            if answer.status not in (302, 303):
                return target, body
            location = urllib.parse.urljoin(self.address, answer.getheader("location"))
            if not location.startswith(self.address):
                return location, body
            method, target, form = "GET", location.removeprefix(self.address), None
        raise Failed("redirects without end")


def request(provider):
    """The query of the authorization request."""
    challenge = base64url(hashlib.sha256(VERIFIER.encode()).digest())
    parameters = {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": REDIRECT,
        "scope": "openid",
        "state": "a-state-of-the-app",
        "nonce": "a-nonce-of-the-app",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **provider.more,
    }
    return urllib.parse.urlencode(parameters)


def browsers(provider, folder):
    """The file with the cookies of all browsers, one a line."""
    file = folder / f"cookies-{type(provider).__name__}"
    file.write_text("".join(provider.browser(number) + "\n" for number in range(BROWSERS)))
    return file


class CodeFlows:
    """The code flows per second, and the server's CPU time for each, in microseconds."""

    def __init__(self, provider, cookies, seconds):
        form = {"grant_type": "authorization_code", "client_id": CLIENT, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
        environment = {
            "BENCH_COOKIES": str(cookies),
            "BENCH_AUTHORIZE": f"{provider.authorize}?{request(provider)}",
            "BENCH_TOKEN": provider.token,
            "BENCH_FORM": urllib.parse.urlencode(form),
        }
        before = processes.cpu_seconds(provider.process.pid)
        command = ["wrk", "-t1", f"-c{provider.connections}", f"-d{seconds}s", "-s", SCRIPTS / "code-flow.lua", provider.address]
        out = processes.run(command, env=environment).decode()
        spent = processes.cpu_seconds(provider.process.pid) - before
        found = re.search(r"Flows: (\d+) in (\d+) us, failed: (\d+) (.*)", out, re.S)
        count, failed = int(found[1]), int(found[3])
        if not count or failed > provider.may_fail * count:
            raise Failed(f"{failed} requests of code flows at {provider.address} failed, {count} flows succeeded: {found[4]}")
        self.rate = count / (int(found[2]) / 1e6)
        self.cpu = spent / count * 1e6
