"""The scripts of the sign-in pages by themselves: iframe.js against a parent that speaks by the book, in headless Chromium."""

import json
import re
from urllib.parse import urlencode

import pytest
from werkzeug.wrappers import Request, Response

from support.browser.drivers import Chromium
from support.browser.stage import AppPages, Front, Tab
from support.harness import ROOT
from support.issuers import WebServer

SCRIPTS = ROOT / "Sources/SignIn/Scripts"
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


class Pages:
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


@pytest.fixture(scope="module")
def driver(tmp_path_factory, pages_of_module):
    front = Front(pages_of_module.web.server.port)
    driver = Chromium(tmp_path_factory.mktemp("chromium"), f"MAP apis.google.com 127.0.0.1:{front.port}")
    yield driver
    driver.quit()
    front.close()


@pytest.fixture(scope="module")
def app_pages():
    pages = AppPages()
    yield pages
    pages.close()


@pytest.fixture(scope="module")
def pages_of_module():
    pages = Pages()
    yield pages
    pages.web.close()


@pytest.fixture
def pages(pages_of_module):
    pages_of_module.reset()
    yield pages_of_module


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


@pytest.fixture
def parent(driver, pages, app_pages):
    return Parent(driver, pages, app_pages)


def is_nothing(event):
    return event.pop("error")["code"] == "auth/no-auth-event" and event == NOTHING


# The messages between the SDK and its frame. Names and tokens are the page's.
GOLDEN = [
    ("child->parent", '!_{"h":"NAME"}'),
    ("child->parent", {"s": "/NAME::_g_rpcReady", "c": None, "a": [None], "r": "NAME", "f": "NAME", "t": "TOKEN", "g": False}),
    ("parent->child", {"s": ":/NAME:_g_restyle", "f": "..", "r": "..", "t": "TOKEN", "c": 3, "a": [{"setHideOnLeave": False}], "g": False}),
    ("child->parent", {"s": "__cb", "c": None, "a": [3, [True]], "r": "NAME", "f": "NAME", "t": "TOKEN", "g": False}),
    ("parent->child", {"s": ":/NAME:_g_ping", "f": "..", "r": "..", "t": "TOKEN", "c": 4, "a": [None], "g": False}),
    ("child->parent", {"s": "__cb", "c": None, "a": [4, [None]], "r": "NAME", "f": "NAME", "t": "TOKEN", "g": False}),
    (
        "parent->child",
        {"s": ":/NAME:webStorageSupport", "f": "..", "r": "..", "t": "TOKEN", "c": 5, "a": [{"type": "webStorageSupport"}], "g": False},
    ),
    (
        "child->parent",
        {
            "s": "__cb",
            "c": None,
            "a": [5, [{"status": "ACK", "webStorageSupport": True}]],
            "r": "NAME",
            "f": "NAME",
            "t": "TOKEN",
            "g": False,
        },
    ),
    (
        "child->parent",
        {
            "s": "/NAME::authEvent",
            "c": 1,
            "a": [{"type": "authEvent", "authEvent": {**NOTHING, "error": {"code": "auth/no-auth-event", "message": "MESSAGE"}}}],
            "r": "NAME",
            "f": "NAME",
            "t": "TOKEN",
            "g": False,
        },
    ),
    ("parent->child", {"s": "__cb", "f": "..", "r": "..", "t": "TOKEN", "c": None, "a": [1, [{"status": "ACK"}]], "g": False}),
]


def test_the_frame_speaks_as_the_golden_transcript(parent):
    parent.script(
        """window.frameExtra = {};
        client.frame().then(frame => { window.frame = frame; frame.send("webStorageSupport", { type: "webStorageSupport" }); })"""
    )
    parent.until(lambda: len(parent.lines()) >= len(GOLDEN), "whole conversation")
    name, token = parent.script("return [frame.id, frame.token]")

    def general(line):
        line = line.replace(name, "NAME").replace(f'"{token}"', '"TOKEN"')
        line = re.sub('"message":"[^"]*"', '"message":"MESSAGE"', line)
        assert line.startswith("!_")
        return line if '"h"' in line else json.loads(line[2:])

    said = [(way, general(line)) for way, line in parent.lines()]
    # Each side speaks on its own time, and the event comes when the server has answered; what each says to one matter is in this order.
    def matters(lines):
        found = {}
        for way, line in lines:
            of_event = isinstance(line, dict) and (line["s"].endswith("authEvent") or way == "parent->child" and line["s"] == "__cb")
            found.setdefault((way, of_event), []).append(line)
        return found

    assert matters(said) == matters(GOLDEN)


def test_a_parent_that_is_a_frame_itself_has_a_path(driver, pages, app_pages):
    parent = Parent(driver, pages, app_pages, {"pfname": "/I0_1"})
    # The player knows no path, so it says what it cannot use.
    parent.script(
        """window.heard = []; addEventListener("message", event => heard.push(event.data));
        window.addEventListener("error", event => event.preventDefault());
        window.frameExtra = arguments[0]; client.frame().catch(() => {})""",
        parent.extra,
    )
    line = parent.until(lambda: next((l for l in parent.script("return heard") if "authEvent" in l), None), "event")
    name = json.loads(line[2:])["f"]
    assert json.loads(line[2:])["s"] == f"/I0_1/{name}:/I0_1:authEvent"


def test_nothing_is_waiting(parent, pages):
    assert is_nothing(parent.first())
    ((name, body, origin, _),) = pages.asked
    assert (name, body, origin) == ("pending", {"storageKey": KEY, "origin": parent.origin}, pages.url)


@pytest.mark.parametrize("answer", ["nonsense", 500, 400, [], None], ids=str)
def test_a_failing_server_means_nothing_is_waiting(parent, pages, answer):
    pages.pending = [answer] if answer == [] else answer
    assert is_nothing(parent.first())


def test_the_frame_does_not_ask_where_the_server_says_that_nothing_waits(parent, pages):
    pages.data = {"pending": None}
    assert is_nothing(parent.first())
    assert pages.asked == []


def test_an_unreachable_server_means_nothing_is_waiting(parent, pages):
    pages.data = {"pending": "http://unreachable.test:9/pending"}
    assert is_nothing(parent.first())


def test_the_server_hands_a_result_back(parent, pages):
    pages.pending = {"event": EVENT}
    assert parent.first() == EVENT


@pytest.mark.parametrize("origin", ["http://localhost:1", None, "", ["x"]], ids=str)
def test_sec_18_the_server_hands_back_another_apps_result(parent, pages, origin):
    pages.pending = {"event": EVENT, "origin": origin}
    assert is_nothing(parent.first())


def leave(parent, pages, **changes):
    """What the sign-in page leaves in the tab on its way back to the app."""
    pages.data = {"step": "redirect-finish", "event": EVENT, "origin": parent.origin, "returnURL": parent.driver.current_url, **changes}
    here = parent.driver.current_url
    parent.driver.get(pages.url + "/__/auth/handler")
    parent.until(lambda: parent.driver.current_url == here, "return to the app")
    pages.data = {}


def test_the_tab_hands_a_result_back(parent, pages):
    leave(parent, pages)
    assert parent.first() == EVENT
    assert pages.asked == []
    # Once: the next page of the app finds nothing.
    parent.driver.refresh()
    assert is_nothing(parent.first())


def test_what_the_tab_hands_back_is_spent_behind_the_cookie_and_nothing_else(parent, pages):
    leave(parent, pages, flow="a-flow")
    assert parent.first() == EVENT
    parent.until(lambda: pages.asked, "the cookie's result to be fetched as well")
    assert [(name, body["flow"]) for name, body, *_ in pages.asked] == [("pending", "a-flow")]


def test_the_tab_keeps_the_result_of_another_app(parent, pages):
    leave(parent, pages, origin="http://localhost:1")
    assert is_nothing(parent.first())


def test_old_results_in_the_tab_count_for_nothing(parent, pages):
    leave(parent, pages)
    here = parent.driver.current_url
    parent.driver.get(pages.url + "/a-page")
    parent.script(
        """const left = JSON.parse(sessionStorage["gatehouse:" + arguments[0]]);
        sessionStorage["gatehouse:" + arguments[0]] = JSON.stringify({ ...left, until: Date.now() - 1 })""",
        KEY,
    )
    parent.driver.get(here)
    assert is_nothing(parent.first())


def test_a_return_token_is_traded(driver, pages, app_pages):
    pages.relay = {"event": EVENT}
    assert Parent(driver, pages, app_pages, {"rt": "a-token"}).first() == EVENT
    assert [(name, body) for name, body, *_ in pages.asked] == [("relay", {"relay": "a-token"})]


@pytest.mark.parametrize("answer", [404, {}, "nonsense"], ids=str)
def test_a_return_token_that_is_worth_nothing(driver, pages, app_pages, answer):
    pages.relay = answer
    assert is_nothing(Parent(driver, pages, app_pages, {"rt": "a-token"}).first())


def test_no_token_is_traded_where_the_server_does_not_offer_it(driver, pages, app_pages):
    pages.data = {"relay": None}
    assert is_nothing(Parent(driver, pages, app_pages, {"rt": "a-token"}).first())
    assert [name for name, *_ in pages.asked] == ["pending"]


# ---------------------------------------------------------------------------------------------------------------------------------
# gapi.js on the app's page


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


def test_the_apps_script_opens_the_frame_and_hears_its_first_event(driver, pages, app_pages):
    pages.pending = {"event": EVENT}
    parent = WithScript(driver, pages, app_pages)
    assert parent.first() == EVENT
    assert parent.script("return opening.then(frame => frame.send('webStorageSupport', { type: 'webStorageSupport' }))") == [
        {"status": "ACK", "webStorageSupport": True}
    ]
    assert parent.script("return document.querySelector('iframe').style.position") == "absolute"


def test_what_the_sdks_functions_throw_does_not_reach_the_apps_page(driver, pages, app_pages):
    parent = WithScript(driver, pages, app_pages)
    told = parent.script(
        """window.told = [];
        sessionStorage.removeItem("thrown");   // of other tests in this tab
        const [where, url] = [document.body, arguments[0] + "/__/auth/iframe?apiKey=demo-api-key&appName=app"];
        const frame = await gapi.iframes.getContext().open({ where, url });
        frame.register("authEvent", () => { told.push("event"); throw new Error("of a handler"); });
        frame.register("authEvent", () => Promise.reject(new Error("of a promise")));
        const [answer] = await frame.send("webStorageSupport", {}, () => { told.push("answer"); throw new Error("of an answer"); });
        return [answer, told];""",
        pages.url,
    )
    assert told[0] == {"status": "ACK", "webStorageSupport": True}
    assert sorted(parent.until(lambda: len(parent.script("return told")) == 2 and parent.script("return told"), "both calls")) == ["answer", "event"]
    assert parent.script("return sessionStorage.getItem('thrown')") is None


def test_the_apps_script_keeps_an_event_until_somebody_registers(driver, pages, app_pages):
    parent = WithScript(driver, pages, app_pages)
    heard = parent.script(
        """const [where, url] = [document.body, arguments[0] + "/__/auth/iframe?apiKey=demo-api-key&appName=app"];
        return gapi.iframes.getContext().open({ where, url }, async frame => {
            await frame.ping();
            await new Promise(resolve => setTimeout(resolve, 300));
            return new Promise(resolve => frame.register("authEvent", ({ authEvent }) => resolve(authEvent.error.code)));
        })""",
        pages.url,
    )
    assert heard == "auth/no-auth-event"


@pytest.mark.parametrize(
    ("fragment", "left"), [("#broker_rt=a-token", ""), ("#/inbox&broker_rt=a-token", "#/inbox"), ("#broker_rt=a-token&a=b", "#a=b"), ("#/inbox#section&broker_rt=a-token", "#/inbox#section"), ("#a&&b#&c=%20&broker_rt=a-token", "#a&&b#&c=%20")]
)
def test_the_apps_script_takes_a_return_token_out_of_the_address(driver, pages, app_pages, fragment, left):
    pages.relay = {"event": EVENT}
    parent = WithScript(driver, pages, app_pages, fragment)
    assert driver.current_url.partition("#")[1:] == (left[:1], left[1:])
    assert parent.first() == EVENT
    assert [(name, body) for name, body, *_ in pages.asked] == [("relay", {"relay": "a-token"})]


def test_sec_18_the_apps_script_hands_a_token_to_its_own_host_alone(driver, pages, app_pages):
    parent = WithScript(driver, pages, app_pages, "#broker_rt=a-token")
    sources = parent.script(
        """const home = arguments[0], found = [];
        for (const host of ["http://localhost:1", home]) {
            gapi.iframes.getContext().open({ where: document.body, url: host + "/__/auth/iframe?apiKey=k&appName=a" }, () => {});
            found.push([...document.querySelectorAll("iframe")].at(-1).src);
        }
        return found""",
        pages.url,
    )
    assert ["a-token" in source for source in sources] == [False, True]


@pytest.mark.parametrize("fragment", ["", "#/inbox", "#a=broker_rt=x", "#xbroker_rt=x", "#/inbox#section", "#/a#broker_rt=x"])
def test_the_apps_script_leaves_other_fragments_alone(driver, pages, app_pages, fragment):
    parent = WithScript(driver, pages, app_pages, fragment)
    assert driver.execute_script("return location.hash") == fragment
    assert is_nothing(parent.first())
    assert [name for name, *_ in pages.asked] == ["pending"]


@pytest.mark.parametrize("sender", ["the page", "the frame without the token", "the frame"])
def test_sec_18_the_apps_script_hears_its_frame_alone(driver, pages, app_pages, sender):
    parent = WithScript(driver, pages, app_pages)
    parent.first()
    source = parent.script("return document.querySelector('iframe').src")
    name, token = (re.search(f"{field}=([^&]*)", source)[1] for field in ("_gfid", "rpctoken"))
    if sender == "the frame without the token":
        token += "0"
    message = {"s": f"/{name}::authEvent", "f": name, "r": name, "t": token, "c": None, "g": False}
    text = "!_" + json.dumps({**message, "a": [{"type": "authEvent", "authEvent": popup_event()}]})
    parent.script("client.consumer = () => true")
    if sender != "the page":
        driver.switch_to.frame(0)
    driver.execute_script("(parent ?? window).postMessage(arguments[0], '*')", text)
    driver.switch_to.default_content()
    parent.script("return client.frame().then(frame => frame.send('_g_ping', 1))")
    assert len(parent.events()) == (2 if sender == "the frame" else 1)


def test_the_apps_script_gives_up_on_a_frame_that_cannot_load(driver, pages, app_pages):
    parent = WithScript(driver, pages, app_pages)
    waited = parent.script(
        """const open = gapi.iframes.getContext().open;
        const url = "http://unreachable.test:9/__/auth/iframe?x";
        return open({ where: document.body, url }, frame => frame.restyle({}).then(() => "over"))"""
    )
    assert waited == "over"


def test_the_apps_script_leaves_googles_own_alone(driver, pages, app_pages):
    parent = WithScript(driver, pages, app_pages)
    kept = parent.script(
        """const google = window.gapi = { iframes: { Iframe: class {} } };
        return new Promise(resolve => {
            const script = document.createElement("script");
            script.src = arguments[0] + "/__/auth/gapi.js?again";
            script.onload = () => resolve(window.gapi === google && Object.keys(google.iframes).length === 1);
            document.body.append(script);
        })""",
        pages.url,
    )
    assert kept is True


# ---------------------------------------------------------------------------------------------------------------------------------
# Strangers


@pytest.mark.parametrize("extra", [{"parent": "http://localhost:1"}, {"parent": "https://evil.test"}], ids=str)
def test_sec_18_a_page_that_names_another_origin_hears_nothing(driver, pages, app_pages, extra):
    parent = Parent(driver, pages, app_pages, extra)
    parent.script(
        "window.frameLimit = 1500; window.frameExtra = arguments[0]; client.frame().catch(error => window.failed = error.code)", extra
    )
    assert parent.until(lambda: parent.script("return window.failed"), "failure", 10) == "auth/network-request-failed"
    assert parent.lines() == []


@pytest.mark.parametrize("extra", [{"parent": "null"}, {"parent": "nonsense"}, {"parent": ""}, {"_gfid": "<x>"}, {"rpctoken": ""}], ids=str)
def test_sec_18_a_frame_that_is_not_told_its_parent_does_nothing(driver, pages, app_pages, extra):
    parent = Parent(driver, pages, app_pages, extra)
    parent.script(
        """window.frameExtra = arguments[0]; client.frame().catch(() => {});
        document.querySelector("iframe").addEventListener("load", () => setTimeout(() => window.loaded = true, 200))""",
        extra,
    )
    parent.until(lambda: parent.script("return window.loaded"), "frame")
    assert pages.asked == []


def test_sec_18_messages_with_another_token_are_not_heard(parent):
    parent.open()
    parent.script(
        """return client.frame().then(frame => {
            const message = { s: `:/${frame.id}:_g_ping`, f: "..", r: "..", t: frame.token + "0", c: 77, a: ["forged"], g: false };
            for (const text of ["!_" + JSON.stringify(message), "!_{", "!_null", "!_[]", '!_{"t":1}', "text", "!_" + JSON.stringify(
                { ...message, t: frame.token, s: message.s.replace("I0_", "I1_") })]) frame.post(text);
            return frame.send("_g_ping", "honest");
        })"""
    )
    assert parent.lines('"forged"') == []
    assert [way for way, _ in parent.lines('["honest"]')] == ["parent->child", "child->parent"]


# What a window that knows everything would post to the frame, and what it hears.
POST = """
const { port1, port2 } = new MessageChannel();
window.heard = [];
port1.onmessage = ({ data }) => heard.push(data);
(window.opener ?? window).frames[0].postMessage(arguments[0], "*", [port2]);
"""


@pytest.mark.parametrize("where", ["the app's page", "another window of the app", "another window of ours"])
def test_sec_18_only_the_sign_in_window_brings_results(parent, pages, where):
    parent.open()
    parent.script("client.consumer = () => true")
    forged = {"storageKey": KEY, "origin": parent.origin, "event": popup_event(), "secret": "x"}
    if where == "another window of the app":
        parent.script("open(location.origin + '/page')")
        parent.popup().at("/page")
    elif where == "another window of ours":
        # Of our origin, but for another app: the one stranger that is answered.
        forged["storageKey"] = "demo-api-key:other"
        parent.script("open(arguments[0] + '/a-page')", pages.url)
        parent.popup().at("/a-page")
    parent.script(POST, forged)
    if where == "another window of ours":
        parent.until(lambda: parent.script("return heard") == ["refused"], "refusal")
    parent.home().script("return client.frame().then(frame => frame.send('_g_ping', 1))")
    assert len(parent.events()) == 1
    assert [name for name, *_ in pages.asked] == ["pending"]


def test_sec_18_a_page_that_names_another_origin_is_not_heard(driver, pages, app_pages):
    extra = {"parent": "https://evil.test"}
    parent = Parent(driver, pages, app_pages, extra)
    parent.script("window.frameExtra = arguments[0]; window.frameLimit = 10; client.frame().catch(() => {})", extra)
    undelivered = []

    def said(count):
        undelivered.extend(text for text in parent.complaints() if "target origin" in text)
        return len(undelivered) >= count

    # Ready, and ready again: neither may be delivered here. Nothing is fetched for a page that has not shown which origin it is of.
    parent.until(lambda: said(2), "two messages")
    # What it hears it would answer, in vain, and Chromium would say so.
    parent.script(
        """const frame = document.querySelector("iframe");
        const { hash, origin } = new URL(frame.src), fragment = new URLSearchParams(hash.slice(1));
        const ping = { s: `:/${fragment.get("id")}:_g_ping`, f: "..", r: "..", t: fragment.get("rpctoken"), c: 9, a: [1], g: false };
        frame.contentWindow.postMessage("!_" + JSON.stringify(ping), origin);
        frame.contentWindow.postMessage("!_" + JSON.stringify({ ...ping, g: true }), origin);
        return new Promise(resolve => setTimeout(resolve, 300))"""
    )
    said(0)
    assert len(undelivered) == 2 and pages.asked == []


# ---------------------------------------------------------------------------------------------------------------------------------
# The sign-in window


def open_window(parent, pages, **data):
    pages.data = data
    parent.home().script("window.opened = open(arguments[0] + '/__/auth/handler')", pages.url)
    return parent.popup()


def test_the_window_finds_the_frame_and_goes_on_to_the_provider(parent, pages):
    parent.open()
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay=None)
    parent.at("/provider")


def test_the_window_without_an_opener_says_so_and_stays(parent, pages):
    parent.open()
    pages.data = {"step": "popup-start", "origin": parent.origin, "authUri": pages.url + "/provider", "relay": None}
    parent.script("open(arguments[0] + '/__/auth/handler', '_blank', 'noopener')", pages.url)
    parent.popup().until(lambda: parent.text() == "lost", "word of the loss")


def popup_event(**changes):
    return {**EVENT, "type": "signInViaPopup", "eventId": "1234567890", **changes}


def test_the_window_brings_its_result_to_the_frame_and_closes(parent, pages):
    parent.open()
    parent.script("client.consumer = () => true")
    open_window(parent, pages, step="popup-finish", origin=parent.origin, event=popup_event())
    parent.home().until(lambda: parent.events()[1:] == [popup_event()], "result")
    parent.until(lambda: parent.script("return opened.closed"), "end of the window")


@pytest.mark.parametrize("changes", [{"origin": "http://localhost:1"}, {"storageKey": "demo-api-key:other"}], ids=str)
def test_sec_18_the_result_of_another_app_is_not_delivered(parent, pages, changes):
    parent.open()
    window = open_window(parent, pages, step="popup-finish", **{"origin": parent.origin, "event": popup_event(), "relay": True, **changes})
    window.until(lambda: parent.text() == "lost", "word of the loss")
    assert len(parent.home().events()) == 1


@pytest.mark.parametrize("relay, said", [(True, "closed"), (False, "lost")])
def test_a_window_that_has_lost_its_opener_says_whether_it_was_in_vain(parent, pages, relay, said):
    parent.open()
    pages.data = {"step": "popup-finish", "origin": parent.origin, "event": popup_event(), "relay": relay}
    before = len(parent.driver.window_handles)
    parent.script("open(arguments[0] + '/__/auth/handler', '_blank', 'noopener')", pages.url)
    if said == "lost":
        parent.popup().until(lambda: parent.text() == "lost", "word of the loss")
    else:
        # Nobody else may close it, so that it is gone says that it was done.
        parent.until(lambda: len(parent.driver.window_handles) == before, "end of the window")


def test_a_result_that_comes_both_ways_is_told_once(parent, pages):
    parent.open()
    parent.script("client.consumer = () => true")
    pages.relay = [{"event": popup_event()}]
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at("/provider")
    parent.driver.close()
    parent.home().until(lambda: parent.events()[1:] == [popup_event()], "result by way of the server")
    open_window(parent, pages, step="popup-finish", origin=parent.origin, event=popup_event(), relay=True)
    parent.home()
    parent.until(lambda: parent.script("return opened.closed"), "end of the window, which was told that its result was taken")
    parent.script("return new Promise(resolve => setTimeout(resolve, 500))")
    assert [event["type"] for event in parent.events()] == ["unknown", "signInViaPopup"]


def test_the_frame_asks_the_server_when_the_window_has_lost_its_opener(parent, pages):
    here = parent.driver.current_url
    parent.driver.get(pages.url + "/a-page-that-sets-a-cookie")
    parent.driver.get(here)
    parent.open()
    assert [cookie for name, _, _, cookie in pages.asked if name == "pending"] == ["ours=1"]
    parent.script("client.consumer = () => true")
    pages.relay = [{}, "nonsense", {"event": popup_event()}, 500]
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at("/provider")
    # To the frame, a window that was cut off looks as one that was closed.
    parent.driver.close()
    parent.home().until(lambda: parent.events()[1:] == [popup_event()], "result")
    asked = [(body, cookie) for name, body, _, cookie in pages.asked if name == "relay"]
    assert asked == [({"relay": "a-secret"}, None)] * 3


def test_the_frame_stops_asking_once_the_server_knows_nothing(parent, pages):
    parent.open()
    pages.relay = 404
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at("/provider")
    parent.driver.close()
    parent.home().until(lambda: "relay" in [name for name, *_ in pages.asked], "question")
    # Two turns of its clock later it has not asked again.
    parent.script("return new Promise(resolve => setTimeout(resolve, 2500))")
    assert [name for name, *_ in pages.asked] == ["pending", "relay"]


def test_the_frame_stops_asking_once_the_window_has_brought_the_result(parent, pages):
    parent.open()
    parent.script("client.consumer = () => true")
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at("/provider")
    pages.data = {"step": "popup-finish", "origin": parent.origin, "event": popup_event()}
    parent.driver.get(pages.url + "/__/auth/handler")
    parent.home().until(lambda: parent.events()[1:] == [popup_event()], "result")
    parent.until(lambda: parent.script("return opened.closed"), "end of the window")
    parent.script("return new Promise(resolve => setTimeout(resolve, 2500))")
    assert [name for name, *_ in pages.asked] == ["pending"]


# The frame's clock, twenty times as fast.
HASTE = """if (location.pathname.endsWith("/iframe")) {
    const slow = window.setTimeout;
    window.setTimeout = (run, delay, ...more) => slow(run, delay / 20, ...more);
}"""


def test_the_frame_asks_only_for_a_window_that_is_gone_and_not_for_longer_than_the_sdk_waits(parent, pages):
    hasty = parent.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HASTE})
    try:
        parent.open()
        open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at("/provider")
        # Half a minute of its clock, in which the window is open.
        parent.script("return new Promise(resolve => setTimeout(resolve, 1500))")
        assert [name for name, *_ in pages.asked] == ["pending"]
        parent.driver.close()
        # A minute of its clock, in which the SDK gave the window up.
        parent.home().script("return new Promise(resolve => setTimeout(resolve, 3000))")
        assert [name for name, *_ in pages.asked] == ["pending"] + ["relay"] * 9
    finally:
        parent.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", hasty)


def test_the_frame_asks_for_the_latest_sign_in_alone(parent, pages):
    parent.open()
    parent.script("client.consumer = () => true")
    pages.relay = lambda body: {"event": popup_event()} if body["relay"] == "second" else {}
    for secret in ("first", "second"):
        open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay=secret).at("/provider")
        parent.driver.close()
        parent.home()
    parent.until(lambda: parent.events()[1:] == [popup_event()], "result")
    parent.script("return new Promise(resolve => setTimeout(resolve, 1500))")
    assert [body["relay"] for name, body, *_ in pages.asked if name == "relay"][-1] == "second"


@pytest.mark.parametrize(
    "address", ["javascript:document.title='ran'", "data:text/html,x", "vbscript:x", " \tjavascript:document.title='ran'"]
)
def test_no_address_runs_as_a_script(driver, pages, address):
    tab = Tab(driver)
    pages.data = {"step": "native-finish", "link": address}
    driver.get(pages.url + "/__/auth/handler")
    assert driver.title == "Sign in" and driver.current_url.endswith("/handler")
    # It was not even tried: the policy would have stopped it, and said so.
    assert tab.complaints() == []


def test_the_protocol_may_be_left_to_googles_script(driver, pages, app_pages):
    pages.data = {"transport": "google"}
    pages.pending = {"event": EVENT}
    parent = Parent(driver, pages, app_pages)
    parent.script(
        """window.heard = []; addEventListener("message", ({ data }) => heard.push(data));
        window.addEventListener("error", event => event.preventDefault());
        client.frame().catch(() => {});
        // Google's script on the app's page would answer the other half.
        const frame = document.querySelector("iframe");
        frame.onload = () => frame.contentWindow.postMessage(new URLSearchParams(new URL(frame.src).hash).get("rpctoken"), arguments[0])""",
        pages.url,
    )
    heard = parent.until(lambda: len(parent.script("return heard")) == 2 and parent.script("return heard"), "two messages")
    assert heard == [
        ["register", "webStorageSupport", {"status": "ACK", "webStorageSupport": True}, "any origin"],
        ["send", "authEvent", {"type": "authEvent", "authEvent": EVENT}, "any origin"],
    ]


# ---------------------------------------------------------------------------------------------------------------------------------
# Rules for the scripts as they stand


@pytest.mark.parametrize("script", ["iframe.js", "handler.js", "gapi.js"])
def test_the_scripts_are_strict_and_name_no_other_host(script):
    text = (SCRIPTS / script).read_text()
    assert '"use strict"' in text
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if script == "iframe.js":
        code = code.replace("https://apis.google.com/js/api.js", "", 1)
    assert "http://" not in code and "https://" not in code
    for danger in ("eval(", "innerHTML", "document.write", '"*"', "Function(", "insertAdjacentHTML"):
        assert danger not in code, danger


def test_the_pages_scripts_are_small():
    def code(name):
        """As it is served: without lines of comments, and not indented."""
        text = re.sub(r"^ */\*.*?\*/$", "", (SCRIPTS / name).read_text(), flags=re.S | re.M)
        return "".join(line.strip() + "\n" for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))

    assert sum(len(code(name)) for name in ("iframe.js", "handler.js")) < 10_000
    assert len(code("gapi.js")) < 6_000
