"""AppAuth-JS in headless Chromium, on an origin of its own: discovery, the answer in the fragment, CORS, refresh, revocation, log-out."""

import pytest

from support.browser.drivers import Chromium
from support.browser.tab import Tab
from support.openid.registrations import Client
from support.relying_parties.appauth_js import AppAuthPage, needs_bundle
from support.relying_parties.hosted_page import sign_in
from support.relying_parties.provider import Provider

pytestmark = needs_bundle


@pytest.fixture(scope="module")
def place():
    page = AppAuthPage("appauth-js")
    settings = {"postLogoutRedirectURIs": [page.redirect_uri]}
    client = Client(page.client_id, kind="browser", authentication="none", redirect_uris=(page.redirect_uri,), settings=settings)
    provider = Provider(client, development=True)
    page.issuer = provider.issuer
    yield provider, page
    page.close()
    provider.close()


@pytest.fixture
def tab(tmp_path):
    driver = Chromium(tmp_path)
    yield Tab(driver)
    driver.quit()


def opened(tab, page, call):
    """Opens the app, and has it go to the provider."""
    tab.driver.get(page.redirect_uri)
    tab.until(lambda: tab.script("return Boolean(window.app)"), "app")
    tab.script(call)


def answer(tab, page):
    """Waits until the browser is back at the app with an answer, and has the app take it."""
    tab.at(page.redirect_uri + "#")
    tab.until(lambda: tab.script("return Boolean(window.app)"), "app")
    tab.script("app.finish()")
    return page.outcome(tab)


def test_a_person_signs_in_refreshes_and_signs_out(place, tab):
    provider, page = place
    person = provider.person()
    opened(tab, page, "app.signIn({})")
    sign_in(tab, provider, person)
    result = answer(tab, page)["result"]
    assert result["token_type"] == "Bearer" and int(result["expires_in"]) == 3600
    seen = [result]
    for _ in range(2):
        tab.script("app.refresh(arguments[0])", seen[-1]["refresh_token"])
        seen.append(page.outcome(tab)["result"])
    assert len({token["access_token"] for token in seen}) == len({token["refresh_token"] for token in seen}) == len(seen)

    tab.script("app.revoke(arguments[0])", seen[-1]["refresh_token"])
    assert page.outcome(tab) == {"result": True}
    tab.script("app.refresh(arguments[0])", seen[-1]["refresh_token"])
    assert page.outcome(tab)["error"] == "400"

    # The session of the browser is another one.
    opened(tab, page, "app.signIn({prompt: 'none'})")
    again = answer(tab, page)["result"]
    tab.script("app.endSession(arguments[0])", again["id_token"])
    tab.at(page.redirect_uri + "?state=left")
    opened(tab, page, "app.signIn({prompt: 'none'})")
    assert answer(tab, page)["error"] == "login_required"
