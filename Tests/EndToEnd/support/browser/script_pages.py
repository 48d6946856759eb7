"""The scripts of the sign-in pages by themselves, with a parent page that follows the protocol."""

import json
from urllib.parse import urlencode

from werkzeug.wrappers import Request, Response

from support.browser.tab import Tab
from support.harness import ROOT
from support.web_server import WebServer

SCRIPTS = ROOT / "Sources/AuthPages/Scripts"
KEY = "demo-api-key:app"
NOTHING = {"type": "unknown", "eventId": None, "urlResponse": None, "sessionId": None, "postBody": None, "tenantId": None}
EVENT = {
    "type": "signInViaRedirect",
    "eventId": None,
    "urlResponse": "https://auth.example.com/__/auth/handler?flow=f&code=c",
    "sessionId": "s",
    "postBody": None,
    "tenantId": None,
    "error": None,
}
# As much of Google's script as our page uses, with a protocol of its own.
STAND_IN = """
window.gapi = {
    load: (name, loaded) => {
        if (name !== "gapi.iframes") throw new Error(name);
        const frame = {
            register: (name, answer, filter) => parent.postMessage(["register", name, answer(), filter], "*"),
            send: (name, value, answered, filter) => {
                parent.postMessage(["send", name, value, filter], "*");
                answered([{ status: "ACK" }]);
            },
        };
        gapi.iframes = { CROSS_ORIGIN_IFRAMES_FILTER: "any origin", getContext: () => ({ getParentIframe: () => frame }) };
        loaded();
    },
};
"""


class ScriptPages:
    """The pages around the scripts, as the server makes them, with answers that a test chooses."""

    def __init__(self):
        self.web = WebServer(Request.application(self.respond))
        self.url = self.web.url.replace("127.0.0.1", "localhost")
        self.reset()

    def reset(self):
        self.pending = {}
        self.relay = {}
        self.asked = []
        self.data = {}

    def page(self, script, data, more=""):
        island = json.dumps(data).replace("<", "\\u003c")
        html = (
            '<!doctype html><meta charset="utf-8"><title>Sign in</title><link rel="icon" href="data:,">'
            '<p id="working">working</p><p id="done" hidden>done</p><p id="lost" hidden>lost</p>'
            f'<script type="application/json" id="data">{island}</script><script src="/__/auth/{script}"></script>'
        )
        policy = f"default-src 'none'; img-src data:; script-src 'self'{more}; connect-src 'self'; base-uri 'none'; form-action 'none'"
        return Response(html, content_type="text/html; charset=utf-8", headers={"content-security-policy": policy})

    def answer(self, wish):
        if wish == "nonsense":
            return Response("<p>a proxy's page", 200)
        if isinstance(wish, int):
            return Response("{}", wish)
        if isinstance(wish, dict) and "event" in wish:
            wish = {"origin": self.app_origin, **wish}
        return Response(json.dumps(wish), content_type="application/json")

    def respond(self, request):
        if request.host == "apis.google.com":
            assert request.path == "/js/api.js"
            return Response(STAND_IN, content_type="text/javascript")
        name = request.path.rpartition("/")[2]
        if name in ("pending", "relay"):
            self.asked.append((name, request.get_json(), request.headers.get("origin"), request.headers.get("cookie")))
            wish = getattr(self, name)
            if callable(wish):
                wish = wish(request.get_json())
            return self.answer(wish.pop(0) if isinstance(wish, list) else wish)
        if name.endswith(".js"):
            return Response((SCRIPTS / name).read_bytes(), content_type="text/javascript; charset=utf-8")
        if name == "iframe":
            addresses = {"pending": "/__/auth/pending", "relay": "/__/auth/relay"}
            data = {"storageKey": KEY, "transport": "builtin", **addresses, **self.data}
            return self.page("iframe.js", data, " https://apis.google.com" if data["transport"] == "google" else "")
        if name == "handler":
            return self.page("handler.js", {"storageKey": KEY, **self.data})
        return Response("the provider's page", content_type="text/html", headers={"set-cookie": "ours=1; Path=/; SameSite=Lax"})


class Parent(Tab):
    """The app's page, which opens the frame as the SDK does."""

    def __init__(self, driver, pages, app_pages, extra=None):
        super().__init__(driver)
        self.pages = pages
        self.origin = pages.app_origin = f"http://localhost:{app_pages.port}"
        self.extra = extra or {}
        wish = {"client": "player", "appName": "app", "emulator": pages.url}
        driver.get(f"{self.origin}/page?{urlencode(wish)}")

    def open(self):
        self.script("window.frameExtra = arguments[0]; client.frame()", self.extra)
        self.until(lambda: self.lines("authEvent"), "first event")
        return self

    def lines(self, service=""):
        return [(way, line) for way, line in self.script("return transcript") if service in line]

    def events(self):
        return self.script("return client.events")

    def first(self):
        """The first event, and that it is the only one."""
        self.open()
        self.until(lambda: self.lines('"status":"ACK"'), "acknowledgement")
        events = self.events()
        assert len(events) == 1
        return events[0]


class WithScript(Parent):
    """The app's page with our gapi.js in place of Google's."""

    def __init__(self, driver, pages, app_pages, fragment="", **wish):
        super().__init__(driver, pages, app_pages)
        query = urlencode({"client": "player", "appName": "app", "emulator": pages.url, "gapi": "/__/auth/gapi.js", **wish})
        # A change of the fragment alone would not load the page again.
        driver.get("about:blank")
        driver.get(f"{self.origin}/page?{query}{fragment}")

    def first(self):
        self.script("window.opening = client.frame()")
        self.until(self.events, "first event")
        events = self.events()
        assert len(events) == 1
        return events[0]


def is_nothing(event):
    return event.pop("error")["code"] == "auth/no-auth-event" and event == NOTHING


def leave(parent, pages, **changes):
    """The data that the sign-in page leaves in the tab on its way back to the app."""
    pages.data = {"step": "redirect-finish", "event": EVENT, "origin": parent.origin, "returnURL": parent.driver.current_url, **changes}
    here = parent.driver.current_url
    parent.driver.get(pages.url + "/__/auth/handler")
    parent.until(lambda: parent.driver.current_url == here, "return to the app")
    pages.data = {}


def open_window(parent, pages, **data):
    pages.data = data
    parent.home().script("window.opened = open(arguments[0] + '/__/auth/handler')", pages.url)
    return parent.popup()


def popup_event(**changes):
    return {**EVENT, "type": "signInViaPopup", "eventId": "1234567890", **changes}
