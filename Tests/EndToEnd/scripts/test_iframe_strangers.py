"""iframe.js and pages that it must not hear, or that must not hear it (SEC-18)."""

import pytest

from support.browser.script_pages import KEY, Parent, popup_event


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


# The messages that a window with all knowledge could post to the frame, and the answers that it gets.
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
        # Of our origin, but for another app: the only stranger that gets an answer.
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
