"""Signing out by relying parties: who is asked first, where the browser goes, and what ends with the session."""

import pytest
import requests

from support.names import TIMEOUT
from support.openid.checks import assert_page, assert_token_answer, assert_token_error, assert_unauthorized, short
from support.openid.logout import confirmed, is_signed_in, signed_out_page
from support.openid.pages import Browser
from support.openid.registrations import BASIC, NATIVE, SECOND, SIGNED_OUT
from support.openid.relying_party import RelyingParty, parameters_of

URI, WITH_QUERY = SIGNED_OUT["postLogoutRedirectURIs"]


@pytest.fixture
def rp(newcomer, ada):
    rp = newcomer(BASIC)
    rp.hint = rp.sign_in(ada).tokens["id_token"]
    return rp


@pytest.mark.parametrize("state", ['"><script>alert(1)</script>', "a&b=c#d%20e+f", "ü€😀", "'\"<>&\\", "x" * 2000], ids=short)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_any_state_comes_back_as_it_was(rp, method, state):
    # A form of another site comes without the cookie, so the browser is sent to ask once more.
    response = rp.browser.follow(rp.log_out(method=method, id_token_hint=rp.hint, post_logout_redirect_uri=URI, state=state))
    assert response.status_code in (302, 303), response.text
    address, _, query = response.headers["location"].partition("?")
    assert address == URI and parameters_of(query) == {"state": state}
    assert not is_signed_in(rp)


def test_an_address_with_a_query_keeps_it(rp):
    response = rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=WITH_QUERY, state="s")
    assert response.headers["location"] == WITH_QUERY + "&state=s"


def test_the_client_and_its_hint_agree(rp):
    page = assert_page(rp.log_out(id_token_hint=rp.hint, client_id=SECOND.id, post_logout_redirect_uri=URI), 400, URI)
    assert page and is_signed_in(rp)
    assert rp.log_out(id_token_hint=rp.hint, client_id=BASIC.id, post_logout_redirect_uri=URI).headers["location"] == URI


def test_the_page_of_a_fault_speaks_of_signing_out(rp):
    """For a fault of the request, and for one of the person's form."""
    for method in ("GET", "POST"):
        response = rp.log_out(method=method, id_token_hint=rp.hint, post_logout_redirect_uri="https://elsewhere.example.com/")
        assert_page(response, 400)
        assert "Signing out did not work" in response.text and "Sign-in did not work" not in response.text
    assert is_signed_in(rp)


def test_an_address_of_another_client(openid_site, rp, ada):
    """The hint is the second client's, so the first client's address is not its own."""
    other = RelyingParty(openid_site.issuer, SECOND, browser=rp.browser)
    hint = other.sign_in(ada, redirect_uri=SECOND.redirect_uri).tokens["id_token"]
    uri = NATIVE.signed_out_uri
    response = rp.log_out(id_token_hint=hint, post_logout_redirect_uri=uri)
    assert "location" not in response.headers and is_signed_in(rp)


def test_without_a_hint_the_person_confirms_first(rp):
    """As apps for Azure AD B2C ask: by the address and the client's id alone."""
    page = assert_page(rp.log_out(client_id=BASIC.id, post_logout_redirect_uri=URI, state="a&b"), 200)
    assert is_signed_in(rp), "a link of any site signs nobody out"
    response = confirmed(rp, page)
    assert response.status_code in (302, 303) and response.headers["location"] == URI + "?state=a%26b"
    assert not is_signed_in(rp)


@pytest.mark.parametrize("metadata", [{"sec-fetch-site": "cross-site"}, {}], ids=["by its metadata", "by its origin alone"])
def test_a_confirmation_cannot_be_forged(openid_site, rp, metadata):
    """Another site sends the form of the page, by any method, even where the browser adds the cookies."""
    page = assert_page(rp.log_out(), 200)
    (form,) = [form for form in page.forms if form.method == "POST"]
    fields = form.fields | {name: value for name, value, _ in form.buttons if name}
    assert fields, "the form says that it was confirmed"
    headers = {"origin": "https://thief.example.com", **metadata}
    rp.browser.follow(rp.browser.post(f"{openid_site.issuer}/oauth2/logout", data=fields, headers=headers))
    assert is_signed_in(rp)
    assert_page(rp.browser.get(f"{openid_site.issuer}/oauth2/logout", params=fields, headers=headers), 200)
    assert is_signed_in(rp)


def test_the_session_ends_at_the_server_and_not_only_in_the_browser(rp):
    copy = rp.browser.copy()
    rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI)
    assert not is_signed_in(rp.with_browser(copy)), "a copied cookie is of no use"


def test_the_cookie_is_cleared(rp):
    names = {cookie.name for cookie in rp.browser.cookies if "session" in cookie.name}
    assert names
    rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI)
    assert not names & {cookie.name for cookie in rp.browser.cookies}


def test_what_was_granted_ends_with_the_session_unless_it_was_for_later(openid_site, rp, ada):
    """A grant with offline_access is for the time when the person is not there (Back-Channel Logout section 2.7)."""
    app = RelyingParty(openid_site.issuer, NATIVE, browser=rp.browser)
    now = app.sign_in(ada).tokens
    later = rp.sign_in(None, scope="openid offline_access").tokens
    plain = rp.sign_in(None).tokens
    rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI)
    assert_token_error(app.refresh(now["refresh_token"]), "invalid_grant")
    for tokens in (now, plain):
        assert_unauthorized(rp.userinfo(tokens["access_token"]))
    assert_token_answer(rp.refresh(later["refresh_token"]))


def test_another_browsers_session_goes_on(openid_site, rp, ada):
    other = RelyingParty(openid_site.issuer, BASIC)
    other.sign_in(ada)
    rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI)
    assert is_signed_in(other)


def test_the_hint_of_another_person_signs_nobody_out_unasked(openid_site, rp):
    """A page of a thief opens this address in the person's browser, with a hint of the thief's own."""
    thief = RelyingParty(openid_site.issuer, BASIC)
    hint = thief.sign_in(openid_site.person()).tokens["id_token"]
    rp.log_out(id_token_hint=hint, post_logout_redirect_uri=URI)
    assert is_signed_in(rp)


def test_a_hint_without_a_session_still_returns(rp):
    """The person has signed out already; the app wants its own page all the same."""
    rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI)
    assert rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI, state="s").headers["location"] == URI + "?state=s"


def test_an_app_gets_its_custom_scheme(openid_site, newcomer, ada):
    rp = newcomer(NATIVE)
    hint = rp.sign_in(ada).tokens["id_token"]
    response = rp.log_out(id_token_hint=hint, post_logout_redirect_uri=NATIVE.signed_out_uri, state="s")
    assert response.headers["location"] == NATIVE.signed_out_uri + "?state=s"


def test_a_browser_without_a_session_sees_the_end_too(openid_site):
    response = Browser(openid_site.url).get(f"{openid_site.issuer}/oauth2/logout")
    page = assert_page(response, 200)
    if page.forms:
        rp = RelyingParty(openid_site.issuer, BASIC, browser=Browser(openid_site.url))
        signed_out_page(confirmed(rp, page))


@pytest.mark.parametrize("name", ["id_token_hint", "post_logout_redirect_uri", "state", "client_id"])
def test_a_parameter_twice(openid_site, rp, name):
    said = {"id_token_hint": rp.hint, "post_logout_redirect_uri": URI, "state": "s", "client_id": BASIC.id}
    response = rp.log_out(**{**said, name: [said[name], "other"]})
    assert response.status_code == 400 and "location" not in response.headers
    assert is_signed_in(rp)


def test_pages_show_nothing_of_the_request_unescaped(openid_site):
    word = '"><script>alert(1)</script>'
    for name in ("state", "post_logout_redirect_uri", "logout_hint", "client_id", "ui_locales", "id_token_hint"):
        response = requests.get(f"{openid_site.issuer}/oauth2/logout", params={name: word}, timeout=TIMEOUT, allow_redirects=False)
        assert word not in response.text and "frame-ancestors 'none'" in response.headers["content-security-policy"]
