"""handler.js in the sign-in window, and how its result reaches the frame."""

import pytest

from support.browser.script_pages import open_window, popup_event
from support.browser.tab import Tab


def test_the_window_finds_the_frame_and_goes_on_to_the_provider(parent, pages):
    parent.open()
    open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay=None)
    parent.at("/provider")


def test_the_window_without_an_opener_says_so_and_stays(parent, pages):
    parent.open()
    pages.data = {"step": "popup-start", "origin": parent.origin, "authUri": pages.url + "/provider", "relay": None}
    parent.script("open(arguments[0] + '/__/auth/handler', '_blank', 'noopener')", pages.url)
    parent.popup().until(lambda: parent.text() == "lost", "word of the loss")


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
        # Only the page itself may close it, so it has done so.
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
    # To the frame, a window that was cut off looks like one that was closed.
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
        open_window(parent, pages, step="popup-start", origin=parent.origin, authUri=pages.url + "/provider", relay="a-secret").at(
            "/provider"
        )
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
    # It was not even tried; otherwise the policy would have stopped it and reported that.
    assert tab.complaints() == []
