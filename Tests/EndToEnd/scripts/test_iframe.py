"""iframe.js and a parent page that follows the protocol."""

import json
import re

import pytest

from support.browser.script_pages import EVENT, KEY, NOTHING, Parent, is_nothing, leave

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

    # Each side speaks at its own time, and the event comes when the server has answered; the messages about one matter are in this order.
    def matters(lines):
        found = {}
        for way, line in lines:
            of_event = isinstance(line, dict) and (line["s"].endswith("authEvent") or way == "parent->child" and line["s"] == "__cb")
            found.setdefault((way, of_event), []).append(line)
        return found

    assert matters(said) == matters(GOLDEN)


def test_a_parent_that_is_a_frame_itself_has_a_path(driver, pages, app_pages):
    parent = Parent(driver, pages, app_pages, {"pfname": "/I0_1"})
    # The player knows no path, so it reports messages that it cannot use.
    parent.script(
        """window.heard = []; addEventListener("message", event => heard.push(event.data));
        window.addEventListener("error", event => event.preventDefault());
        window.frameExtra = arguments[0]; client.frame().catch(() => {})""",
        parent.extra,
    )
    line = parent.until(lambda: next((text for text in parent.script("return heard") if "authEvent" in text), None), "event")
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
