"""The number of requests of a pop-up sign-in, from a browser with an empty cache: the person waits for each of them."""

from collections import Counter

import pytest

from support.browser.app_pages import AppPages
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.sign_in import settings
from support.browser.tab import App
from support.harness import wait_until
from support.servers.site import Site

PAGES = {
    "GET /__/auth/iframe": 1,
    "GET /__/auth/iframe.js": 1,
    # Before the provider and after it.
    "GET /__/auth/handler": 2,
    "GET /__/auth/handler.js": 1,
}
# The SDK's own headers take a preflight for every call; player.js has none on GET, and does not look the account up. The SDK asks for the
# project once a page.
CALLS = {
    "player": {"GET /v1/projects": 1, "OPTIONS": 1, "POST /v1/accounts:signInWithIdp": 1},
    "sdk": {"GET /v1/projects": 1, "OPTIONS": 3, "POST /v1/accounts:signInWithIdp": 1, "POST /v1/accounts:lookup": 1},
}


@pytest.fixture
def home(fake_issuer, tmp_path):
    """A server that this browser has never seen, and the app's pages."""
    site = Site({"oidc.one": fake_issuer.entry()}, project={"authorizedDomains": ["app.shop.localhost"], "apps": []})
    front, pages = Front(site.port), AppPages()
    pages_front = Front(pages.port)
    site.settings["publicURL"] = f"https://auth.shop.localhost:{front.port}"
    site.write()
    site.serve()
    driver = Chromium(tmp_path)
    yield Home(site, driver, f"https://app.shop.localhost:{pages_front.port}", f"auth.shop.localhost:{front.port}")
    driver.quit()
    for part in (site, pages, front, pages_front):
        part.close()


class Home:
    def __init__(self, site, driver, origin, auth_domain):
        self.site, self.driver, self.origin, self.auth_domain = site, driver, origin, auth_domain
        self.seen = 0

    def asked(self, wanted):
        """Checks the requests to the server since the last call, once there are as many. Loops log in any order."""

        def lines():
            return [line for line in self.site.servers[0].log_lines() if "status" in line and not line["route"].startswith("/health")]

        def names():
            new = lines()[self.seen :]
            return [line["method"] if line["method"] == "OPTIONS" else f"{line['method']} {line['route']}" for line in new]

        wait_until(lambda: len(names()) >= sum(wanted.values()), what="the lines of the requests")
        found = names()
        self.seen += len(found)
        assert Counter(found) == wanted


@pytest.mark.parametrize("setting", list(settings(modes=["authDomain"])))
def test_a_pop_up_sign_in_takes_no_request_too_many(home, setting):
    client = setting[0]
    gapi = {"gapi": "/__/auth/gapi.js"} if client == "sdk" else {}
    app = App(home.driver, home.origin, client=client, authDomain=home.auth_domain, **gapi)
    app.act("popup", "signIn", "oidc.one", login_hint="ada").result()
    script = {"GET /__/auth/gapi.js": 1} if gapi else {}
    home.asked({**script, **PAGES, **CALLS[client]})
    # The next time the browser has the scripts, and knows what it may call; the SDK knows the project.
    app.closed().act("popup", "signIn", "oidc.one", login_hint="ada").result()
    again = {
        name: count for name, count in CALLS[client].items() if name.startswith("POST") or client == "player" and name.startswith("GET")
    }
    home.asked({"GET /__/auth/handler": 2, **again})
