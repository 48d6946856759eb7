"""Debian's Glewlwyd, an OpenID provider in C, on the same PostgreSQL: the peer of the code flow. <https://github.com/babelouest/glewlwyd>"""

import http.client
import json
import pathlib
import re

import processes
from gatehouse import ROOT
from processes import Failed, free_port

SCHEMA = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install")
# The end-to-end tests begin with these, too.
SETTINGS = ROOT / "Tests/EndToEnd/support/real_issuers"
# The parameters do what the server under test does too: PKCE with S256, RS256, the name of the issuer in the answer, and rotating refresh tokens.
OPENID_CONNECT = {
    **json.loads((SETTINGS / "glewlwyd.json").read_text()),
    "auth-type-id-token-enabled": False,
    "name-claim": "no",
    "email-claim": "no",
    "allowed-scope": ["openid"],
}
PASSWORD = "correct horse battery"


class Glewlwyd:
    authorize, token = "/api/oidc/auth", "/api/oidc/token"
    # Its login page says so when the person wants to go on as the one who is signed in.
    more = {"g_continue": ""}
    # Its rate is the same with any number of connections. When two of them store something at the same moment, it can take the row of one for that
    # of the other, and then it refuses a flow.
    connections, may_fail = 4, 0.2

    def __init__(self, folder, database):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        url = database.create("glewlwyd", "CREATE EXTENSION pgcrypto", SCHEMA / "pgsql", SCHEMA / "postgre.default.sql")
        host = re.search(r"host=([^&]+)", url)[1]
        settings = folder / "glewlwyd.conf"
        settings.write_text(
            (SETTINGS / "glewlwyd.conf")
            .read_text()
            .format(port=self.port, base=self.address, database=f'type = "postgre" conninfo = "host={host} user=postgres dbname=glewlwyd"')
        )
        self.key = folder / "glewlwyd.key"
        processes.run(["openssl", "genrsa", "-out", self.key, "2048"])
        self.process = processes.start(["glewlwyd", "--config-file", settings])
        processes.wait_until(self._answers, "glewlwyd")
        self._administrator = self._signed_in("admin", "password")

    def _answers(self):
        try:
            return self._exchange("GET", "/config")[0] == 200
        except OSError:
            return False

    def _exchange(self, method, path, body=None, cookie=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            headers = {"content-type": "application/json", **({"cookie": cookie} if cookie else {})}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("set-cookie"), answer.read()
        finally:
            connection.close()

    def _ask(self, method, path, body, cookie=None):
        status, set_cookie, answer = self._exchange(method, "/api" + path, body, cookie or self._administrator)
        if status != 200:
            raise Failed(f"glewlwyd: {path} answered {status}: {answer.decode(errors='replace')[:400]}")
        return set_cookie and set_cookie.partition(";")[0]

    def _signed_in(self, name, password):
        return self._ask("POST", "/auth/", {"username": name, "password": password}, "none=1")

    def register(self, client, redirect_uri):
        public = self.key.with_suffix(".pub")
        processes.run(["openssl", "rsa", "-in", self.key, "-pubout", "-out", public])
        keys = {"key": self.key.read_text(), "cert": public.read_text()}
        parameters = {**OPENID_CONNECT, "iss": self.address + "/api/oidc", **keys}
        self._ask("POST", "/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": parameters})
        self._ask(
            "POST",
            "/client/",
            {
                "client_id": client,
                "name": client,
                "confidential": False,
                "redirect_uri": [redirect_uri],
                "authorization_type": ["code", "refresh_token"],
                "token_endpoint_auth_method": ["none"],
                "scope": [],
                "enabled": True,
            },
        )
        self._client = client

    def browser(self, number):
        """The cookie of a browser in which a person has signed in and consented."""
        name = f"somebody{number}@example.com"
        self._ask("POST", "/user/", {"username": name, "name": name, "email": name, "password": PASSWORD, "scope": ["openid", "g_profile"]})
        cookie = self._signed_in(name, PASSWORD)
        self._ask("PUT", f"/auth/grant/{self._client}", {"scope": "openid"}, cookie)
        return cookie

    def stop(self):
        processes.stop(self.process)
