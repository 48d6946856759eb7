"""What the pages load and from where, other names of the server, and many tabs at once."""

from urllib.parse import urlencode, urlsplit

import requests

from support.browser.sign_in import asking, in_settings
from support.browser.tab import App
from support.names import TIMEOUT


@in_settings()
def test_the_pages_ask_no_other_host(setting, person):
    # By redirect the handler's pages stand in the app's own tab, where the browser tells what they ask for.
    app = setting.open(gapi=True)
    app.act("redirect", "signIn", "oidc.one", login_hint=person).result()
    asked = {urlsplit(address) for address, _ in app.requests() if address.startswith("http")}
    auth, page = urlsplit(setting.pages).netloc, urlsplit(app.url).netloc
    assert {address.netloc for address in asked} == {auth, page, urlsplit(setting.stage.issuer.url).netloc}
    loaded = {address.path.rpartition("/")[2] for address in asked if address.netloc == auth}
    assert {"handler", "handler.js", "iframe", "iframe.js", "gapi.js"} <= loaded


@in_settings(clients=["player"])
def test_the_handler_the_frame_and_their_files_are_small(setting, person):
    query = {
        "apiKey": "demo-api-key",
        "appName": "[DEFAULT]",
        "authType": "signInViaPopup",
        "redirectUrl": setting.origin() + "/page",
        "eventId": "1234567890",
        "providerId": "oidc.one",
        "v": "12.18.0",
    }
    at_home = {"host": urlsplit(setting.pages).netloc}
    start = requests.get(f"{setting.site.url}/__/auth/handler", params=query, headers=at_home, timeout=TIMEOUT)
    frame = requests.get(f"{setting.site.url}/__/auth/iframe?apiKey=demo-api-key&appName=x", timeout=TIMEOUT)
    assert start.status_code == frame.status_code == 200
    files = {name for page in (start, frame) for name in links(page.text)}
    assert {name.partition("?")[0].rpartition("/")[2] for name in files} == {"handler.js", "iframe.js"}
    sizes = {"handler": len(start.content), "iframe": len(frame.content)}
    for name in files:
        answer = requests.get(setting.site.url + name, timeout=TIMEOUT)
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"]
        sizes[name] = len(answer.content)
    assert sum(sizes.values()) < 15_000, sizes
    # With the script for apps' pages that use it.
    sizes["gapi.js"] = len(requests.get(setting.site.url + "/__/auth/gapi.js", timeout=TIMEOUT).content)
    assert sum(sizes.values()) < 20_000, sizes


def links(text):
    """The files that a page loads."""
    return [part.partition('"')[0] for mark in (' src="', ' href="') for part in text.split(mark)[1:]]


@in_settings(clients=["player"], modes=["authDomain"])
def test_a_start_at_another_name_of_the_server_is_sent_home(setting, fake_issuer, person):
    """The cookie of the start must reach the callback, which is at the only host that the provider knows: at once, and every time."""
    asking(fake_issuer)
    query = {
        "apiKey": "demo-api-key",
        "appName": "x",
        "authType": "signInViaRedirect",
        "redirectUrl": setting.origin() + "/page",
        "providerId": "oidc.one",
    }
    app = setting.open()
    for _ in range(2):
        app.driver.get(f"https://other.localhost:{setting.stage.front.port}/__/auth/handler?{urlencode(query)}")
        app.at(fake_issuer.url).click("#yes")
        app.at(setting.origin() + "/page")


@in_settings(clients=["player"], modes=["emulator"])
def test_five_tabs_at_once_do_not_disturb_one_another(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open()
    tabs = {app.handle: f"{person}-0"}
    for number in range(1, 5):
        app.driver.switch_to.new_window("tab")
        tabs[app.driver.current_window_handle] = f"{person}-{number}"
    for handle, name in tabs.items():
        app.handle = handle
        app.home().open().act("redirect", "signIn", "oidc.one", login_hint=name)
        app.at(fake_issuer.url)
    for handle in reversed(tabs):
        app.handle = handle
        app.home().click("#yes")
    for handle, name in tabs.items():
        app.handle = handle
        assert app.result()["email"] == f"{name}@example.com"


@in_settings(clients=["sdk"], modes=["authDomain"])
def test_the_emulator_mode_works_over_tls_too(setting, person):
    origin = f"https://app.shop.localhost:{setting.stage.pages_front.port}"
    wish = {"client": "sdk", "emulator": f"https://{setting.stage.auth_domain}", "gapi": "/emulator/auth/gapi.js"}
    app = App(setting.stage.driver, origin, **wish)
    assert app.act("popup", "signIn", "oidc.one", login_hint=person).result()["isNew"]
    assert app.closed().act("redirect", "signIn", "oidc.one", login_hint=person).result()
