"""Sign-ins with an SDK in headless Chromium, through the real pages, in both ways an SDK can be pointed here.

`player` is a page of ours that plays the SDK's side (player.js). `sdk` is an unmodified Firebase SDK: name a bundle that defines
`window.firebase` in FIREBASE_JS_BUNDLE; without it those tests are skipped.
"""

import html
import itertools
import signal
from urllib.parse import parse_qs, urlencode

import pytest
from werkzeug.wrappers import Response

from support.browser.app_pages import AppPages, needs_bundle
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.tab import App
from support.harness import wait_until
from support.servers.site import Site

FAR_KEY = "far-api-key"
OWN_KEY = "own-api-key"


def settings(clients=("player", "sdk"), modes=("emulator", "authDomain")):
    for client, mode in itertools.product(clients, modes):
        yield pytest.param((client, mode), id=f"{client}-{mode}", marks=[needs_bundle] if client == "sdk" else [])


class Stage:
    """A server for each mode, the app's pages on several hosts, and the browser."""

    def __init__(self, issuer, folder):
        self.issuer = issuer
        self.pages = AppPages()
        self.pages_front = Front(self.pages.port)
        self.driver = Chromium(folder)

        # Emulator mode: plain http, two ports of one host.
        self.plain = self.site()
        self.plain.settings["publicURL"] = self.emulator = f"http://localhost:{self.plain.port}"
        # With an authDomain, which SDKs reach by https alone.
        self.secure = self.site()
        self.front = Front(self.secure.port)
        self.auth_domain = f"auth.shop.localhost:{self.front.port}"
        self.secure.settings["publicURL"] = f"https://{self.auth_domain}"
        # An app that passes /__/auth/ on, and is its own authDomain.
        self.own_pages = AppPages(behind=f"http://127.0.0.1:{self.secure.port}")
        self.own_front = Front(self.own_pages.port)
        self.own = f"https://app.own.test:{self.own_front.port}"
        self.secure.others = {
            "far": self.project("far-shop", 200000000001, FAR_KEY, ["app.far.test"], {"returnToken": True}),
            "own": self.project("own-shop", 200000000002, OWN_KEY, ["app.own.test"], {"publicURL": self.own}),
        }
        for site in (self.plain, self.secure):
            site.write()
            site.serve()

    def site(self):
        providers = {"oidc.one": self.issuer.entry(), "oidc.two": self.issuer.entry()}
        domains = ["localhost", "app.shop.localhost", "app.far.test"]
        return Site(providers, project={"authorizedDomains": domains, "apps": [], "mfa": {"state": "enabled"}})

    def project(self, name, number, key, domains, redirect):
        return {
            "project": name,
            "number": number,
            "apiKeys": [key],
            "authorizedDomains": domains,
            "redirect": redirect,
            "providers": {"oidc.one": self.issuer.entry()},
        }

    def close(self):
        self.driver.quit()
        for part in (self.plain, self.secure, self.pages, self.own_pages, self.pages_front, self.front, self.own_front):
            part.close()


class Setting:
    """Who plays the SDK, and how it was pointed here."""

    def __init__(self, stage, client, mode):
        self.stage = stage
        self.client = client
        self.mode = mode
        self.site = stage.plain if mode == "emulator" else stage.secure
        self.opened = []

    def home(self):
        return {"emulator": self.stage.emulator} if self.mode == "emulator" else {"authDomain": self.stage.auth_domain}

    def origin(self, host=None):
        if self.mode == "emulator":
            return f"http://{host or 'localhost'}:{self.stage.pages.port}"
        return f"https://{host or 'app.shop.localhost'}:{self.stage.pages_front.port}"

    @property
    def pages(self):
        return f"{self.stage.emulator}/emulator/auth" if self.mode == "emulator" else f"https://{self.stage.auth_domain}/__/auth"

    def open(self, host=None, gapi=None, **wish):
        if gapi if gapi is not None else self.client == "sdk":
            wish["gapi"] = "/__/auth/gapi.js"
        self.opened.append(App(self.stage.driver, self.origin(host), client=self.client, **{**self.home(), **wish}))
        return self.opened[-1]

    def add_provider(self, provider, entry):
        """Gives the running server one more provider."""
        self.site.project["providers"][provider] = entry
        self.site.write()
        server = self.site.servers[0]
        before = server.log().count("reloaded")
        server.signal(signal.SIGHUP)
        wait_until(lambda: server.log().count("reloaded") > before, what="the new configuration")


def in_settings(**choice):
    return pytest.mark.parametrize("setting", list(settings(**choice)), indirect=True)


def complaints(app):
    """The requests that the browser refused because of a policy, ours or the app's."""
    return [text for text in app.complaints() if "Content Security Policy" in text or "Refused to" in text]


def asking(issuer, without_state=False, **headers):
    """The issuer asks before it answers: a page with links `#yes` and `#no`, and a button `#post` for an answer by form_post."""

    def page(request):
        yes = issuer.authorize(request).headers["location"]
        address, _, query = yes.partition("?")
        state = parse_qs(query)["state"][0]
        no = f"{address}?{urlencode({'error': 'access_denied', **({} if without_state else {'state': state})})}"
        fields = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value[0])}">' for name, value in parse_qs(query).items())
        text = (
            f'<!doctype html><title>Issuer</title><a id="yes" href="{html.escape(yes)}">yes</a> '
            f'<a id="no" href="{html.escape(no)}">no</a> '
            f'<form method="post" action="{html.escape(address)}">{fields}<button id="post">post</button></form>'
        )
        return Response(text, content_type="text/html; charset=utf-8", headers=headers)

    issuer.answers["authorize"] = page
