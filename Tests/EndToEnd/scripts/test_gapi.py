"""gapi.js on the app's page."""

import json
import re

import pytest

from support.browser.script_pages import EVENT, WithScript, is_nothing, popup_event


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
    assert sorted(parent.until(lambda: len(parent.script("return told")) == 2 and parent.script("return told"), "both calls")) == [
        "answer",
        "event",
    ]
    assert parent.script("return sessionStorage.getItem('thrown')") is None


def test_the_apps_script_keeps_an_event_until_a_listener_registers(driver, pages, app_pages):
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
    ("fragment", "left"),
    [
        ("#broker_rt=a-token", ""),
        ("#/inbox&broker_rt=a-token", "#/inbox"),
        ("#broker_rt=a-token&a=b", "#a=b"),
        ("#/inbox#section&broker_rt=a-token", "#/inbox#section"),
        ("#a&&b#&c=%20&broker_rt=a-token", "#a&&b#&c=%20"),
    ],
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
