"""A server with a console, and an operator's browser at it."""

import base64
import html
import re

import requests

from support.harness import free_port
from support.leaks import note, note_url
from support.names import METHODS, OTHER, TIMEOUT
from support.servers.site import Site

# The people at the provider who are operators: by subject, and by an address that binds them.
OPERATORS = [
    {"name": "ada", "subject": "ada", "role": "admin", "email": "ada@example.com"},
    {"email": "ben@trusted.example", "role": "support", "projects": ["demo"]},
    {"name": "vera", "subject": "vera", "role": "viewer"},
]


class ConsoleSite(Site):
    """A site whose console's operators sign in at a stand-in.

    `host`: the console's host name. Browsers make passkeys for names alone, such as `localhost`.
    """

    def __init__(self, issuer, host="127.0.0.1", settings=None, **more):
        port = free_port()
        self.staff = issuer
        self.console = f"http://{host}:{port}"
        entry = issuer.entry(authoritativeDomains=["trusted.example"])
        console = {"listen": f"127.0.0.1:{port}", "publicURL": self.console, "provider": {"oidc.staff": entry}, "operators": OPERATORS}
        super().__init__(
            {"oidc.fake": issuer.entry()},
            settings={"console": console, **(settings or {})},
            project={"signIn": METHODS},
            others={"other": OTHER},
            **more,
        )


class Operator(requests.Session):
    """A browser without scripts: it keeps cookies, and says of its requests what browsers say."""

    def __init__(self, site):
        super().__init__()
        self.site = site
        self.headers["sec-fetch-site"] = "same-origin"

    def open(self, path="/", **more):
        return self.get(self.site.console + path, timeout=TIMEOUT, allow_redirects=False, **more)

    def begin(self, next="/"):
        """The provider's page."""
        answer = self.open("/sign-in/start", params={"next": next})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def come_back(self, address):
        """What the provider's redirect does. Its request comes from another site, so it does not bring the session's cookie."""
        answer = self.from_elsewhere(address)
        for cookie in self.cookies:
            note(cookie.value)
        return answer

    def from_elsewhere(self, address):
        """Follows a link of another site's page. A server in development mode has no cookie that is SameSite=Strict; those of others are."""
        session = next((cookie for cookie in self.cookies if cookie.name == "gatehouse_console"), None)
        if session:
            self.cookies.clear(session.domain, session.path, session.name)
        answer = self.get(address, timeout=TIMEOUT, allow_redirects=False, headers={"sec-fetch-site": "cross-site"})
        if session and "gatehouse_console" not in self.cookies:
            self.cookies.set_cookie(session)
        return answer

    def sign_in(self, user="ada", next="/"):
        return self.come_back(self.site.staff.login(user)(self.begin(next)))

    def submit(self, path, **fields):
        """Opens the page of a form, and sends that form."""
        page = self.open(path)
        assert page.status_code == 200, page.text
        token = field(page, "token")
        return self.post(self.site.console + path, data={"token": token, **fields}, timeout=TIMEOUT, allow_redirects=False)


def page_of(account, rest=""):
    name = base64.urlsafe_b64encode(account.encode()).rstrip(b"=").decode()
    return f"/projects/demo/users/{name}{rest}"


def field(page, name):
    """The value of a hidden field of the page's last form."""
    return html.unescape(re.findall(rf'name="{name}" value="([^"]*)"', page.text)[-1])


def opening(result):
    """The address that `gatehouse console open` has printed."""
    return note_url(result.stdout.strip())
