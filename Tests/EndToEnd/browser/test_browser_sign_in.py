"""Sign-ins with an SDK in headless Chromium, through the real pages: pop-ups and redirects, in both ways an SDK can be pointed here.

`player` is a page of ours that plays the SDK's side (browser/player.js). `sdk` is an unmodified Firebase SDK: name a bundle that defines
`window.firebase` in FIREBASE_JS_BUNDLE; without it those tests are skipped.
"""

import html
import itertools
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from werkzeug.wrappers import Response

from support.browser.drivers import Chromium
from support.browser.stage import App, AppPages, Front, settings
from support.common import TIMEOUT
from support.harness import Site

numbers = itertools.count(1)
FAR_KEY = "far-api-key"
OWN_KEY = "own-api-key"


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
        return Site(providers, project={"authorizedDomains": ["localhost", "app.shop.localhost", "app.far.test"], "apps": []})

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


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session, tmp_path_factory):
    stage = Stage(fake_issuer_of_session, tmp_path_factory.mktemp("chromium"))
    yield stage
    stage.close()


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


def in_settings(**choice):
    return pytest.mark.parametrize("setting", list(settings(**choice)), indirect=True)


@pytest.fixture
def setting(request, stage, fake_issuer):
    setting = Setting(stage, *request.param)
    yield setting
    # Error monitors of apps record whatever nobody catches, and test runners fail for it.
    assert [thrown for app in setting.opened for thrown in app.thrown()] == []


def complaints(app):
    """What the browser refused for a policy, ours or the app's."""
    return [text for text in app.complaints() if "Content Security Policy" in text or "Refused to" in text]


@pytest.fixture
def person():
    """Somebody who was never here before."""
    return f"person-{next(numbers)}"


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


# ---------------------------------------------------------------------------------------------------------------------------------
# Pop-ups


@in_settings()
def test_a_pop_up_signs_in(setting, person):
    app = setting.open()
    result = app.act("popup", "signIn", "oidc.one", login_hint=person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", "oidc.one", True)
    rows = setting.site.rows("SELECT provider_id, subject FROM identities WHERE account_id = %s", result["uid"])
    assert rows == [("oidc.one", person)]
    app.closed()
    assert complaints(app) == []
    # The same person again, in the same page.
    again = app.act("popup", "signIn", "oidc.one", login_hint=person).result()
    assert (again["uid"], again["isNew"]) == (result["uid"], False)


@in_settings()
def test_a_pop_up_links_and_reauthenticates(setting, person):
    app = setting.open()
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    linked = app.closed().act("popup", "link", "oidc.two", login_hint=person).result()
    assert (linked["operation"], linked["uid"], linked["provider"]) == ("link", uid, "oidc.two")
    assert app.providers() == ["oidc.one", "oidc.two"]
    again = app.closed().act("popup", "reauth", "oidc.two", login_hint=person).result()
    assert (again["operation"], again["uid"]) == ("reauth", uid)
    # Somebody else at the provider is no proof, and becomes no account.
    before = setting.site.counts()
    assert app.closed().act("popup", "reauth", "oidc.one", login_hint=f"not-{person}").error() == "auth/user-mismatch"
    assert setting.site.counts()["accounts"] == before["accounts"]


@in_settings()
def test_a_person_says_no_in_the_pop_up(setting, fake_issuer):
    asking(fake_issuer)
    app = setting.open().act("popup", "signIn", "oidc.one")
    app.popup().click("#no")
    assert app.outcome()["error"] == "auth/user-cancelled"
    app.closed()


@in_settings()
def test_an_unknown_provider_is_told_to_the_app(setting):
    app = setting.open().act("popup", "signIn", "oidc.none")
    assert app.error() == "auth/operation-not-allowed"


@in_settings()
def test_the_issuer_sees_scopes_and_parameters_and_no_fragment(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open().act("popup", "signIn", "oidc.one", ["calendar"], login_hint=person)
    app.popup().at(fake_issuer.url)
    assert app.script("return location.hash") == ""
    query = parse_qs(urlsplit(app.driver.current_url).query)
    assert "calendar" in query["scope"][0].split() and query["login_hint"] == [person]
    app.click("#yes")
    app.result()


@in_settings(clients=["player"])
def test_a_person_at_a_real_issuer(setting, real_issuer):
    """An issuer that is not ours, in a browser of its own right."""
    setting.site.project["providers"]["oidc.real"] = real_issuer.entry()
    setting.site.write()
    setting.site.servers[0].signal(1)
    setting.site.servers[0].logged("reloaded")
    app = setting.open().act("popup", "signIn", "oidc.real")
    app.popup().click("button[name=sub][value=ada]")
    assert app.result()["email"] == "ada@example.com"


# ---------------------------------------------------------------------------------------------------------------------------------
# Redirects


@in_settings()
def test_a_redirect_signs_in(setting, person):
    app = setting.open()
    result = app.act("redirect", "signIn", "oidc.one", login_hint=person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", "oidc.one", True)
    assert app.driver.current_url == app.url
    # Once: the page, opened again, finds nothing.
    assert app.open().settled() is None
    assert complaints(app) == []


@in_settings()
def test_a_redirect_links_and_reauthenticates(setting, person):
    app = setting.open()
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    linked = app.closed().act("redirect", "link", "oidc.two", login_hint=person).result()
    assert (linked["operation"], linked["uid"], linked["provider"]) == ("link", uid, "oidc.two")
    assert app.providers() == ["oidc.one", "oidc.two"]
    again = app.act("redirect", "reauth", "oidc.two", login_hint=person).result()
    assert (again["operation"], again["uid"]) == ("reauth", uid)
    assert app.act("redirect", "reauth", "oidc.one", login_hint=f"not-{person}").error() == "auth/user-mismatch"


@in_settings()
def test_a_person_says_no_on_a_redirect(setting, fake_issuer):
    asking(fake_issuer)
    app = setting.open().act("redirect", "signIn", "oidc.one")
    app.click("#no")
    assert app.error() == "auth/user-cancelled"


# What a browser that keeps storage apart by origin does to our pages: the frame finds nothing in the tab.
NO_STORAGE = "if (location.pathname.includes('/auth/')) Storage.prototype.setItem = () => { throw new Error('no storage'); };"


@in_settings()
def test_the_cookie_hands_a_redirect_back_where_the_tabs_storage_does_not(setting, person):
    app = setting.open()
    script = app.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_STORAGE})
    try:
        result = app.act("redirect", "signIn", "oidc.one", login_hint=person).result()
        assert result["isNew"]
        assert app.open().settled() is None
    finally:
        app.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


@in_settings(modes=["authDomain"])
def test_a_page_of_another_site_gets_no_redirect_back_by_itself(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open("app.far.test").act("redirect", "signIn", "oidc.one", login_hint=person)
    app.click("#yes")
    app.at(app.url)
    assert app.settled() is None
    # A pop-up works from anywhere.
    app.act("popup", "signIn", "oidc.one", login_hint=person)
    app.popup().click("#yes")
    assert app.result()["isNew"]


@in_settings(modes=["authDomain"])
def test_a_return_token_brings_a_redirect_to_another_site(setting, person):
    app = setting.open("app.far.test", gapi=True, apiKey=FAR_KEY)
    result = app.act("redirect", "signIn", "oidc.one", login_hint=person).result()
    assert result["isNew"]
    # The token left the address before the app could see it.
    assert app.driver.current_url == app.url
    assert app.open().settled() is None


@in_settings(modes=["authDomain"])
def test_an_app_that_passes_our_pages_on_is_its_own_auth_domain(setting, person):
    own = urlsplit(setting.stage.own).netloc
    wish = {"client": setting.client, "apiKey": OWN_KEY, "authDomain": own, "apiHost": setting.stage.auth_domain}
    if setting.client == "sdk":
        wish["gapi"] = "/__/auth/gapi.js"
    app = App(setting.stage.driver, setting.stage.own, **wish)
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    result = app.closed().act("redirect", "signIn", "oidc.one", login_hint=person).result()
    assert (result["uid"], result["isNew"]) == (uid, False)
    hosts = {urlsplit(address).netloc for address, _ in app.requests()}
    assert hosts == {own, setting.stage.auth_domain, urlsplit(setting.stage.issuer.url).netloc}


# ---------------------------------------------------------------------------------------------------------------------------------
# Names of this machine


@pytest.mark.parametrize("app_host", ["localhost", "127.0.0.1", "app.localhost", "[::1]"])
@pytest.mark.parametrize("server_host", ["localhost", "127.0.0.1", "auth.localhost"])
@in_settings(modes=["emulator"])
def test_every_name_of_this_machine_signs_in_in_development(setting, local, person, app_host, server_host):
    """Pop-up, link, redirect and reauthentication, whichever name the app's page has and whichever the server was pointed to by."""
    server = f"http://{server_host}:{local.site.port}"
    port = local.six.port if app_host == "[::1]" else setting.stage.pages.port
    wish = {"client": setting.client, "emulator": server, "gapi": "/__/auth/gapi.js"}
    app = App(setting.stage.driver, f"http://{app_host}:{port}", **wish)
    setting.opened.append(app)
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    assert app.closed().act("popup", "link", "oidc.two", login_hint=person).result()["uid"] == uid
    app.closed().act("redirect", "reauth", "oidc.two", login_hint=person)
    assert app.result()["operation"] == "reauth"
    assert app.act("redirect", "signIn", "oidc.one", login_hint=f"not-{person}").result()["isNew"]
    assert app.driver.current_url == app.url
    redirects = {row[0] for row in local.site.rows("SELECT redirect_uri FROM sign_in_flows WHERE return_url = %s", app.url)}
    assert redirects == {f"{server}/__/auth/handler"}


class Local:
    """A server as `make run` configures it: any name of this machine for the app, and one of them in publicURL."""

    def __init__(self, stage):
        providers = {"oidc.one": stage.issuer.entry(), "oidc.two": stage.issuer.entry()}
        domains = ["localhost", "*.localhost", "127.0.0.1", "[::1]"]
        self.site = Site(providers, project={"authorizedDomains": domains, "apps": []})
        self.site.settings["publicURL"] = f"http://localhost:{self.site.port}"
        self.site.write()
        self.site.serve()
        self.six = AppPages(host="::1")


@pytest.fixture(scope="module")
def local(stage):
    local = Local(stage)
    yield local
    local.site.close()
    local.six.close()


# ---------------------------------------------------------------------------------------------------------------------------------
# Ways back


@in_settings()
def test_back_after_a_redirect_leads_to_the_app(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open().act("redirect", "signIn", "oidc.one", login_hint=person)
    app.at(fake_issuer.url).click("#yes")
    assert app.result()["isNew"]
    app.driver.back()
    # The person is at the provider's page again, says yes again, or sends its form again.
    app.at(fake_issuer.url).click("#yes")
    app.at(app.url)
    assert app.settled() is None
    app.driver.back()
    app.at(fake_issuer.url).click("#post")
    app.at(app.url)


@in_settings(clients=["player"])
def test_an_error_page_of_a_redirect_leads_back_to_the_app(setting, fake_issuer):
    asking(fake_issuer)
    app = setting.open().act("redirect", "signIn", "oidc.one")
    app.at(fake_issuer.url)
    # Cookies were cleared meanwhile, or the provider's page was opened in another browser.
    app.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    app.click("#yes")
    app.at("/__/auth/handler").click("#back")
    app.at(app.url)


@in_settings(clients=["player"])
@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_refusal_without_state_reaches_the_app(setting, fake_issuer, via):
    """As the PyPI issuer's own "Deny" button has it."""
    asking(fake_issuer, without_state=True)
    app = setting.open().act(via, "signIn", "oidc.one")
    if via == "popup":
        app.popup()
    app.click("#no")
    assert app.error() == "auth/user-cancelled"


# ---------------------------------------------------------------------------------------------------------------------------------
# Answers of the provider in other forms


@in_settings()
@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_provider_answers_by_form_post(setting, fake_issuer, person, via):
    asking(fake_issuer)
    app = setting.open().act(via, "signIn", "oidc.one", login_hint=person)
    if via == "popup":
        app.popup()
    app.click("#post")
    assert app.result()["isNew"]


@in_settings(clients=["player"])
def test_an_answer_in_a_browser_without_the_cookie_is_refused(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open().act("popup", "signIn", "oidc.one", login_hint=person)
    app.popup().at(fake_issuer.url)
    cookies = app.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    bound = [cookie for cookie in cookies if "bf." in cookie["name"]]
    assert len(bound) == 1 and bound[0]["httpOnly"] and bound[0]["sameSite"] == "Lax" and bound[0]["path"] == "/"
    app.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    app.click("#yes")
    app.at("/__/auth/handler")
    refused = app.driver.current_url
    assert app.text().strip()
    app.home()
    assert [event["type"] for event in app.script("return client.events")] == ["unknown"]
    # Whoever lacks the cookie could not spend the answer either: where it belongs, it still counts.
    app.popup()
    for cookie in bound:
        known = ("name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "expires")
        app.driver.execute_cdp_cmd("Network.setCookie", {name: cookie[name] for name in known if name in cookie})
    app.driver.get(refused)
    assert app.result()["isNew"]


# ---------------------------------------------------------------------------------------------------------------------------------
# Windows that lose one another


@in_settings()
def test_an_app_that_keeps_its_windows_to_itself_cannot_sign_in_by_pop_up(setting):
    app = setting.open(coop="same-origin").hurry().act("popup", "signIn", "oidc.one")
    app.popup().until(lambda: "lost" in app.text(), "word of the loss")
    assert app.error() == "auth/popup-closed-by-user"


@in_settings()
def test_an_app_that_allows_pop_ups_signs_in(setting, person):
    app = setting.open(coop="same-origin-allow-popups")
    assert app.act("popup", "signIn", "oidc.one", login_hint=person).result()["isNew"]


@in_settings()
def test_an_app_that_embeds_only_what_agrees_signs_in(setting, person):
    app = setting.open(coep="require-corp")
    assert app.act("popup", "signIn", "oidc.one", login_hint=person).result()["isNew"]
    assert app.closed().act("redirect", "signIn", "oidc.one", login_hint=person).result()


@in_settings()
def test_an_issuer_that_keeps_its_windows_to_itself(setting, fake_issuer, person):
    """Its page cuts the window off from the app; the result comes by way of the server, if the SDK still waits."""
    asking(fake_issuer, **{"cross-origin-opener-policy": "same-origin"})
    app = setting.open().act("popup", "signIn", "oidc.one", login_hint=person)
    app.popup().click("#yes")
    assert app.result()["isNew"]
    app.closed()


# ---------------------------------------------------------------------------------------------------------------------------------
# Strangers


def evil(setting):
    return "127.0.0.1" if setting.mode == "emulator" else "app.evil.test"


@in_settings()
def test_sec_18_a_page_of_an_unknown_host_cannot_use_the_frame(setting):
    app = setting.open(evil(setting)).hurry().act("popup", "signIn", "oidc.one")
    # Without gapi.js the SDK knows nothing but that the frame is silent.
    assert app.error() == ("auth/unauthorized-domain" if setting.client == "sdk" else "auth/network-request-failed")
    assert any("frame-ancestors" in text or "Refused to frame" in text for text in app.complaints())


@in_settings()
def test_a_page_of_an_unknown_host_is_told_at_once_that_it_is_not_authorized(setting):
    app = setting.open(evil(setting), gapi=True)
    # A frame that is merely silent is auth/network-request-failed, five seconds later.
    assert app.act("popup", "signIn", "oidc.one").error() == "auth/unauthorized-domain"


@in_settings()
def test_sec_10_a_page_of_an_unknown_host_cannot_start(setting, fake_issuer):
    app = setting.open(evil(setting)).act("redirect", "signIn", "oidc.one")
    if (setting.client, setting.mode) == ("sdk", "authDomain"):
        # Here the SDK asks first.
        assert app.error() == "auth/unauthorized-domain"
        return
    app.at("/auth/handler")
    assert "authorized" in app.text()
    assert fake_issuer.count("/authorize") == 0


@in_settings(clients=["player"])
def test_sec_10_the_pages_name_their_frame_and_their_domains(setting):
    page = requests.get(f"{setting.site.url}/__/auth/iframe?apiKey=demo-api-key&appName=x", timeout=TIMEOUT)
    policy = dict(part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";"))
    assert "https://app.shop.localhost:*" in policy["frame-ancestors"].split() and "*" not in policy["frame-ancestors"].split()
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "cross-origin-opener-policy" not in page.headers and "x-frame-options" not in page.headers


# ---------------------------------------------------------------------------------------------------------------------------------
# Size, other hosts, many tabs


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
    """What a page loads."""
    return [part.partition('"')[0] for mark in (' src="', ' href="') for part in text.split(mark)[1:]]


@in_settings(clients=["player"], modes=["authDomain"])
def test_a_start_at_another_name_of_the_server_is_sent_home(setting, fake_issuer, person):
    """The cookie of the start must reach the callback, which is at the one host that the provider knows: at once, and every time."""
    asking(fake_issuer)
    query = {"apiKey": "demo-api-key", "appName": "x", "authType": "signInViaRedirect", "redirectUrl": setting.origin() + "/page", "providerId": "oidc.one"}
    app = setting.open()
    for _ in range(2):
        app.driver.get(f"https://other.localhost:{setting.stage.front.port}/__/auth/handler?{urlencode(query)}")
        app.at(fake_issuer.url).click("#yes")
        app.at(setting.origin() + "/page")


@in_settings(clients=["player"], modes=["emulator"])
def test_ten_tabs_at_once_do_not_disturb_one_another(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open()
    tabs = {app.handle: f"{person}-0"}
    for number in range(1, 10):
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
