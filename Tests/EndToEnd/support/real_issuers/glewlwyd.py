"""Glewlwyd, from Debian: an OpenID Connect provider written in C. <https://github.com/babelouest/glewlwyd>"""

import contextlib
import json
import pathlib
import sqlite3
import subprocess
import tempfile
from urllib.parse import parse_qs, urlsplit

import requests

from support.accounts import address
from support.forms import fields_of
from support.harness import free_port, home, wait_until
from support.jwts import Key
from support.leaks import note, note_url
from support.names import CLIENT_SECRET, TIMEOUT
from support.real_issuers.real_issuer import RealIssuer

SCHEMA = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
SETTINGS = pathlib.Path(__file__).parent
PASSWORD = "correct horse"
# PKCE with S256 is mandatory, and every answer names its issuer (RFC 9207). The measurements begin with the same parameters.
OPENID_CONNECT = {
    **json.loads((SETTINGS / "glewlwyd.json").read_text()),
    "auth-type-id-token-enabled": True,
    "name-claim": "mandatory",
    "email-claim": "mandatory",
    "allowed-scope": ["openid", "email", "profile"],
}


class Glewlwyd(RealIssuer):
    """A process of its own with a database of its own, configured through its API for administrators."""

    def __init__(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="glewlwyd-", dir=home))
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.url = self.base + "/api/oidc"
        database = folder / "glewlwyd.db"
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.executescript(SCHEMA.read_text())
        configuration = folder / "glewlwyd.conf"
        settings = (SETTINGS / "glewlwyd.conf").read_text()
        configuration.write_text(settings.format(port=port, base=self.base, database=f'type = "sqlite3" path = "{database}"'))
        with open(folder / "glewlwyd.log", "wb") as log:
            command = ["setpriv", "--pdeathsig", "KILL", "glewlwyd", "--config-file", configuration]
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        wait_until(self._answers, what=f"the start of glewlwyd, whose log is in {folder}")
        self.administrator = requests.Session()
        # The first administrator, whom the schema makes.
        self.ask("post", "/auth", {"username": "admin", "password": "password"})
        self.ask("post", "/mod/plugin/", self.plugin("oidc"))
        # An issuer of its own for answers by form_post, in which it would percent-encode its name twice.
        self.ask("post", "/mod/plugin/", self.plugin("posting", **{"oauth-as-iss-id": False}))
        for scope in ("email", "profile"):
            self.ask("post", "/scope/", {"name": scope, "display_name": scope, "password_required": False})
        client = {
            "client_id": self.client_id,
            "name": "Gatehouse",
            "confidential": True,
            "client_secret": CLIENT_SECRET,
            "redirect_uri": [self.PAGE],
            "authorization_type": ["code", "id_token"],
            "token_endpoint_auth_method": ["client_secret_basic"],
            "scope": [],
            "enabled": True,
        }
        self.ask("post", "/client/", client)

    def plugin(self, name, **more):
        """What makes an issuer at `/api/<name>`."""
        key = Key("unused")
        keys = {"key": key.private_pem().decode(), "cert": key.public_pem().decode()}
        parameters = {**OPENID_CONNECT, "iss": f"{self.base}/api/{name}", **keys, **more}
        return {"module": "oidc", "name": name, "display_name": name, "parameters": parameters}

    def _answers(self):
        assert self.process.poll() is None, "glewlwyd ended"
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(self.base + "/config", timeout=TIMEOUT).status_code == 200

    def ask(self, method, path, body=None, session=None):
        """A call of the API, by the administrator unless the session is another person's."""
        answer = (session or self.administrator).request(method, f"{self.base}/api{path}", json=body, timeout=TIMEOUT)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def register(self, redirect_uri):
        client = self.ask("get", f"/client/{self.client_id}")
        self.ask("put", f"/client/{self.client_id}", {**client, "redirect_uri": [*client["redirect_uri"], redirect_uri]})

    def person(self):
        email = address()
        scopes = ["openid", "email", "profile", "g_profile"]
        self.ask("post", "/user/", {"username": email, "name": "Grace Hopper", "email": email, "password": PASSWORD, "scope": scopes})
        return email

    def answered(self, person, url):
        """The page with the answer: what the script of the login page does for a person who signs in and consents."""
        browser = requests.Session()
        page = browser.get(url.partition("#")[0], allow_redirects=False, timeout=TIMEOUT)
        if not page.headers["location"].startswith(self.base):
            return page
        asked = parse_qs(urlsplit(page.headers["location"]).query)
        self.ask("post", "/auth", {"username": person, "password": PASSWORD}, browser)
        self.ask("put", f"/auth/grant/{self.client_id}", {"scope": asked["scope"][0]}, browser)
        for cookie in browser.cookies:
            note(cookie.value)
        return browser.get(asked["callback_url"][0] + "&g_continue", allow_redirects=False, timeout=TIMEOUT)

    def posting_entry(self):
        """The entry of the issuer that posts an ID token."""
        return self.entry(issuer=self.base + "/api/posting", flow="idToken")

    def login(self, person):
        def at(url):
            answer = self.answered(person, url)
            assert answer.status_code == 302, answer.text
            return note_url(answer.headers["location"])

        return at

    def posted(self, person, url):
        """The form that the page posts, for an answer by form_post."""
        return fields_of(self.answered(person, url).text)

    def deny(self, url):
        """Its page has no button for a refusal, but it refuses where it may not show that page."""
        answer = requests.get(url.partition("#")[0] + "&prompt=none", allow_redirects=False, timeout=TIMEOUT)
        return note_url(answer.headers["location"])

    def close(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
