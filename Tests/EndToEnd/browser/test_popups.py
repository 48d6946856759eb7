"""Sign-ins by pop-up, in headless Chromium."""

from urllib.parse import parse_qs, urlsplit

import pytest

from support.authenticator import Authenticator
from support.browser.sign_in import asking, complaints, in_settings
from support.issuers import stand_ins


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
    # Another person at the provider proves nothing, and gets no account.
    before = setting.site.counts()
    assert app.closed().act("popup", "reauth", "oidc.one", login_hint=f"not-{person}").error() == "auth/user-mismatch"
    assert setting.site.counts()["accounts"] == before["accounts"]


@in_settings(clients=["sdk"])
@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_provider_is_the_first_factor_alone(setting, person, via):
    app = setting.open()
    uid = app.act("popup", "signIn", "oidc.one", login_hint=person).result()["uid"]
    authenticator = Authenticator(setting.site.servers[0].api(), app.home().script("return client.token()"))
    app.closed().home().script("return client.signOut()")
    assert app.act(via, "signIn", "oidc.one", login_hint=person).error() == "auth/multi-factor-auth-required"
    done = app.home().script("return client.secondStep(arguments[0])", authenticator.code())
    assert (done["uid"], done["sign_in_provider"], done["sign_in_second_factor"]) == (uid, "oidc.one", "totp")


@in_settings()
def test_a_person_says_no_in_the_pop_up(setting, fake_issuer):
    asking(fake_issuer)
    app = setting.open().act("popup", "signIn", "oidc.one")
    app.popup().click("#no")
    assert app.outcome()["error"] == "auth/user-cancelled"
    app.closed()


@in_settings()
def test_an_unknown_provider_is_told_to_the_app(setting):
    app = setting.open().act("popup", "signIn", "saml.none")
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


@in_settings()
@pytest.mark.parametrize("via", ["popup", "redirect"])
@pytest.mark.parametrize("provider", [double.provider for double in stand_ins().values() if not double.has_id_tokens or double.posts])
def test_a_provider_with_rules_of_its_own_signs_in(setting, doubles, person, provider, via):
    setting.add_provider(provider, doubles[provider].entry())
    result = setting.open().act(via, "signIn", provider, login_hint=person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", provider, True)
    assert result["email"] == f"{person}@example.com"


@in_settings(clients=["player"])
def test_a_person_at_a_real_issuer(setting, real_issuer):
    """An issuer that is not ours, in a browser of its own right."""
    setting.add_provider("oidc.real", real_issuer.entry())
    app = setting.open().act("popup", "signIn", "oidc.real")
    app.popup().click("button[name=sub][value=ada]")
    assert app.result()["email"] == "ada@example.com"


@in_settings()
@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_provider_answers_by_form_post(setting, fake_issuer, person, via):
    asking(fake_issuer)
    setting.add_provider("oidc.posting", fake_issuer.entry(responseMode="formPost"))
    app = setting.open().act(via, "signIn", "oidc.posting", login_hint=person)
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
    bound = [cookie for cookie in cookies if "gatehouse_flow." in cookie["name"]]
    assert len(bound) == 1 and bound[0]["httpOnly"] and bound[0]["sameSite"] == "Lax" and bound[0]["path"] == "/"
    app.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    app.click("#yes")
    app.at("/__/auth/handler")
    refused = app.driver.current_url
    assert app.text().strip()
    app.home()
    assert [event["type"] for event in app.script("return client.events")] == ["unknown"]
    # A browser without the cookie cannot use up the answer either: in the right browser, it is still valid.
    app.popup()
    for cookie in bound:
        known = ("name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "expires")
        app.driver.execute_cdp_cmd("Network.setCookie", {name: cookie[name] for name in known if name in cookie})
    app.driver.get(refused)
    assert app.result()["isNew"]
