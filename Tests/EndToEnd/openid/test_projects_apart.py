"""What one realm's provider gave is nothing at another's, and answers of one are not taken for those of another (SEC-63).

The other realm is another project with the same clients, or a tenant of the same project with the same clients.
"""

import dataclasses
from urllib.parse import parse_qs, urlsplit

import pytest

from support.openid.checks import assert_page, assert_redirected, assert_token_error
from support.openid.logout import is_signed_in
from support.openid.pages import Browser
from support.openid.registrations import BASIC, NATIVE, OTHER_BASIC, SUSI, TENANT_NAME
from support.openid.relying_party import RelyingParty, Untrusted, basic, delivered
from support.openid.site import TENANT

REALMS = {"other": {"other": True}, f"demo~{TENANT}": {"tenant": TENANT}}


@pytest.fixture(params=list(REALMS))
def realm(request):
    """The name of the other realm in addresses."""
    return request.param


@pytest.fixture
def there_issuer(openid_site, realm):
    return f"{openid_site.url}/{realm}"


@pytest.fixture
def here(newcomer, ada):
    """A relying party of the first project, at whose browser Ada has signed in."""
    rp = newcomer()
    rp.tokens_here = rp.sign_in(ada, scope="openid offline_access").tokens
    return rp


@pytest.fixture
def there(openid_site, here, realm, there_issuer):
    """The relying party of the same id at the other realm, at the same browser, where Bob has signed in."""
    rp = RelyingParty(there_issuer, OTHER_BASIC, browser=here.browser)
    rp.bob = openid_site.person(name="Bob", **REALMS[realm])
    rp.tokens_there = rp.sign_in(rp.bob, scope="openid offline_access").tokens
    return rp


def test_SEC_63_a_session_is_of_one_realm(there_issuer, here):
    other = RelyingParty(there_issuer, OTHER_BASIC, browser=here.browser)
    assert is_signed_in(here) and not is_signed_in(other)


def test_two_projects_in_one_browser(here, there):
    """Each has its own session, and a log-out ends its own alone."""
    assert is_signed_in(here) and is_signed_in(there)
    there.log_out(id_token_hint=there.tokens_there["id_token"], post_logout_redirect_uri=OTHER_BASIC.signed_out_uri)
    assert is_signed_in(here) and not is_signed_in(there)


def test_SEC_63_a_session_cookie_under_another_realms_name(openid_site, here, realm, there_issuer):
    """The cookie's value means nothing there, even where somebody moves it."""
    thief = Browser(openid_site.url)
    moved = [cookie for cookie in here.browser.cookies if cookie.name.endswith("session.demo")]
    assert moved
    for cookie in moved:
        thief.cookies.set(cookie.name.replace("session.demo", f"session.{realm}"), cookie.value, domain=cookie.domain, path=cookie.path)
    assert not is_signed_in(RelyingParty(there_issuer, OTHER_BASIC, browser=thief))


def test_SEC_63_codes_and_tokens_are_of_one_realm(here, there):
    answer = here.authorize()
    with_theirs = {"authorization": basic(OTHER_BASIC.id, OTHER_BASIC.secret)}
    assert_token_error(there.redeem(answer), "invalid_grant")
    assert_token_error(there.refresh(here.tokens_here["refresh_token"]), "invalid_grant")
    assert_token_error(here.redeem(answer, headers=with_theirs), "invalid_client", 401)
    assert there.revoke(here.tokens_here["refresh_token"]).status_code == 200
    assert here.tokens(answer) and here.refresh(here.tokens_here["refresh_token"]).status_code == 200
    assert there.introspect(here.tokens_here["access_token"]).json() == {"active": False}


def test_SEC_63_a_client_is_of_one_realm(there_issuer, here):
    stranger = RelyingParty(there_issuer, NATIVE, browser=here.browser)
    assert_page(stranger.open(), uri=NATIVE.redirect_uri)


def test_an_id_token_of_another_project_is_no_hint(here, there):
    hint = there.tokens_there["id_token"]
    answer = delivered(here.open(id_token_hint=hint, prompt="none"), BASIC.redirect_uris)
    assert_redirected(answer, "invalid_request", BASIC)
    response = here.log_out(id_token_hint=hint, post_logout_redirect_uri=BASIC.signed_out_uri)
    assert "location" not in response.headers and is_signed_in(here) and is_signed_in(there)


def test_a_tenants_name_leads_to_its_project_alone(openid_site, here):
    """The second project has a user flow of the same name, and a client of the same id."""
    url = f"{openid_site.url}/{TENANT_NAME}/{SUSI}/v2.0/.well-known/openid-configuration"
    issuer = f"{openid_site.url}/fabrikam.onmicrosoft.com/{SUSI}/v2.0"
    with pytest.raises(Untrusted):
        assert RelyingParty(issuer, OTHER_BASIC, discovery=url).metadata
    one = here.browser.get(url).json()
    two = here.browser.get(f"{issuer}/.well-known/openid-configuration").json()
    assert not {value for value in one.values() if isinstance(value, str)} & {value for value in two.values() if isinstance(value, str)}
    wrong = {"authorization": basic(OTHER_BASIC.id, OTHER_BASIC.secret)}
    rp = RelyingParty(one["issuer"], BASIC, discovery=url, browser=here.browser)
    assert_token_error(rp.redeem(rp.authorize(), headers=wrong), "invalid_client", 401)


# -- requests that wait


def waiting(rp):
    """The hosted page at which a request waits for the person: its address, and the request's id."""
    page = rp.browser.follow(rp.open(prompt="login"))
    assert page.status_code == 200
    return page.url, parse_qs(urlsplit(page.url).query)["request"][0]


def test_a_request_waits_in_its_own_browser_alone(openid_site, here, ada):
    """Somebody else's browser gets no form to sign in with for it, and cannot end it."""
    url, request = waiting(here)
    stranger = Browser(openid_site.url)
    assert_page(stranger.get(url), 400)
    # Not even with a cookie of the right name, which holds what another request of theirs has.
    _, own = waiting(here.with_browser(stranger))
    for cookie in list(stranger.cookies):
        if own in cookie.name:
            stranger.cookies.set(cookie.name.replace(own, request), cookie.value, domain=cookie.domain, path=cookie.path)
    assert [cookie for cookie in stranger.cookies if request in cookie.name]
    assert_page(stranger.get(url), 400)
    answer = stranger.get(f"{openid_site.issuer}/oauth2/resume", params={"request": request})
    assert answer.status_code == 400 and "location" not in answer.headers
    form = {"email": ada.email, "password": ada.password, "do": "password"}
    refused = stranger.post(url, data=form)
    assert refused.status_code == 400 and "set-cookie" not in refused.headers
    assert here.browser.get(url).status_code == 200


def test_SEC_63_a_request_waits_at_its_own_realm_alone(here, there, realm, there_issuer):
    url, request = waiting(here)
    assert_page(here.browser.get(url.replace("/demo/", f"/{realm}/")), 400)
    resumed = here.browser.get(f"{there_issuer}/oauth2/resume", params={"request": request})
    assert resumed.status_code == 400 and "location" not in resumed.headers


def test_a_form_of_another_site_does_nothing(openid_site, here, ada):
    """Even with the cookies, which a browser would not send with it."""
    url, _ = waiting(here)
    form = {"email": ada.email, "password": ada.password, "do": "password"}
    for headers in ({"origin": "https://thief.example.com"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
        refused = here.browser.post(url, data=form, headers=headers)
        assert refused.status_code == 400 and "set-cookie" not in refused.headers, headers


def test_a_request_ends_once(openid_site, here, ada):
    """The browser's back button, or a second tab."""
    url, request = waiting(here)
    sent, verifier = here.parameters(prompt="login")
    answer = here.finish(here.browser.follow(here.browser.get(url)), sent, verifier, ada)
    assert answer.code
    assert_page(here.browser.get(f"{openid_site.issuer}/oauth2/resume", params={"request": request}), 400)
    assert_page(here.browser.get(url), 400)


# -- the mix-up of two providers


def test_an_answer_of_another_provider_is_refused_by_its_issuer(here, there):
    """The browser brings the answer of one provider to the address where the relying party waits for the other (RFC 9207)."""
    assert here.metadata["authorization_response_iss_parameter_supported"] is True
    asked, given = here.authorize(), there.authorize()
    assert here.check_answer(asked) and there.check_answer(given)
    swapped = dataclasses.replace(asked, parameters={**given.parameters, "state": asked.sent["state"]})
    with pytest.raises(Untrusted, match="comes from"):
        here.check_answer(swapped)


def test_an_error_of_another_provider_is_refused_by_its_issuer(here, there):
    asked, given = here.authorize(max_age="abc"), there.authorize(max_age="abc")
    assert here.check_answer(asked) and there.check_answer(given)
    with pytest.raises(Untrusted, match="comes from"):
        here.check_answer(dataclasses.replace(asked, parameters={**given.parameters, "state": asked.sent["state"]}))


def test_a_swapped_issuer_does_not_make_the_code_a_good_one(here, there):
    """The attacker also writes the expected issuer into the answer. The code is still the other provider's."""
    asked, given = here.authorize(), there.authorize()
    forged = dataclasses.replace(asked, parameters={**given.parameters, "state": asked.sent["state"], "iss": here.metadata["issuer"]})
    assert_token_error(here.redeem(here.check_answer(forged)), "invalid_grant")


def test_an_id_token_of_another_provider_is_refused(here, there):
    """Same client id, same keys: the issuer alone tells them apart."""
    theirs = there.sign_in(None)
    assert there.claims(theirs.tokens["id_token"], theirs.answer.sent["nonce"])
    with pytest.raises(Untrusted, match="InvalidIssuer"):
        here.claims(theirs.tokens["id_token"], theirs.answer.sent["nonce"])
