"""Sign-ins by redirect, and the ways back from them, in headless Chromium."""

from urllib.parse import urlsplit

import pytest

from support.browser.sign_in import FAR_KEY, OWN_KEY, asking, complaints, in_settings
from support.browser.tab import App


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
    # The token had left the address before the app could see it.
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


@in_settings()
def test_back_after_a_redirect_leads_to_the_app(setting, fake_issuer, person):
    asking(fake_issuer)
    app = setting.open().act("redirect", "signIn", "oidc.one", login_hint=person)
    app.at(fake_issuer.url).click("#yes")
    assert app.result()["isNew"]
    app.driver.back()
    # The person is at the provider's page again, and consents again, or sends its form again.
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
    """Like the PyPI issuer's own "Deny" button."""
    asking(fake_issuer, without_state=True)
    app = setting.open().act(via, "signIn", "oidc.one")
    if via == "popup":
        app.popup()
    app.click("#no")
    assert app.error() == "auth/user-cancelled"
