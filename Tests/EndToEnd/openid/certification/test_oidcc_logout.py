"""The plan RP-Initiated Logout OP of the OpenID Foundation's conformance suite. Each test has the name of the module that it imitates.

<https://openid.net/specs/openid-connect-rpinitiated-1_0.html>
"""

import secrets

import jwt
import pytest

from support.jwts import claims, foreign_key, unsigned
from support.openid.checks import assert_page
from support.openid.logout import confirmed, is_signed_in, signed_out_page
from support.openid.registrations import BASIC, SIGNED_OUT

URI, _ = SIGNED_OUT["postLogoutRedirectURIs"]


@pytest.fixture
def rp(newcomer, ada):
    """The certification client, at a browser of its own, in which Ada has signed in for it."""
    rp = newcomer(BASIC)
    rp.hint = rp.sign_in(ada).tokens["id_token"]
    assert is_signed_in(rp)
    return rp


def assert_redirected_to(response, address):
    assert response.status_code in (302, 303), f"{response.status_code} {response.text[:500]}"
    assert response.headers["location"] == address


def stays(rp, response, uri=URI):
    """A page in place of the redirect; nobody is signed out who has not confirmed it."""
    assert response.status_code in (200, 400)
    page = assert_page(response, response.status_code, uri)
    assert is_signed_in(rp)
    if page.forms:
        assert "location" not in confirmed(rp, page).headers, "nor afterwards"
    return page


def asks_first(rp, response):
    page = assert_page(response, 200)
    assert is_signed_in(rp)
    signed_out_page(confirmed(rp, page))
    assert not is_signed_in(rp)


def test_oidcc_rp_initiated_logout(rp):
    state = secrets.token_urlsafe(12)
    response = rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI, state=state)
    assert_redirected_to(response, f"{URI}?state={state}")
    assert not is_signed_in(rp)


def test_oidcc_rp_initiated_logout_no_state(rp):
    assert_redirected_to(rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=URI), URI)
    assert not is_signed_in(rp)


@pytest.mark.parametrize("uri", ["https://rp.example.com/another", URI + "/", "https://thief.example.com/signed-out"])
def test_oidcc_rp_initiated_logout_bad_post_logout_redirect_uri(rp, uri):
    stays(rp, rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=uri, state="a-state"), uri)


def test_oidcc_rp_initiated_logout_query_added_to_post_logout_redirect_uri(rp):
    uri = URI + "?foo=bar"
    stays(rp, rp.log_out(id_token_hint=rp.hint, post_logout_redirect_uri=uri, state="a-state"), uri)


def test_oidcc_rp_initiated_logout_modified_id_token_hint(rp):
    header = {"alg": "none", "kid": jwt.get_unverified_header(rp.hint)["kid"], "typ": "JWT"}
    modified = unsigned(claims(rp.hint), header)
    stays(rp, rp.log_out(id_token_hint=modified, post_logout_redirect_uri=URI, state="a-state"))


def test_oidcc_rp_initiated_logout_bad_id_token_hint(rp):
    """Somebody else signs the same claims, and names our key."""
    thief = foreign_key("thief")
    kid = jwt.get_unverified_header(rp.hint)["kid"]
    bad = jwt.encode(claims(rp.hint), thief.private, "RS256", headers={"kid": kid})
    stays(rp, rp.log_out(id_token_hint=bad, post_logout_redirect_uri=URI, state="a-state"))


def test_oidcc_rp_initiated_logout_no_id_token_hint(rp):
    stays(rp, rp.log_out(post_logout_redirect_uri=URI, state="a-state"))


def test_oidcc_rp_initiated_logout_no_params(rp):
    asks_first(rp, rp.log_out())


def test_oidcc_rp_initiated_logout_only_state(rp):
    asks_first(rp, rp.log_out(state="a-state"))


def test_oidcc_rp_initiated_logout_no_post_logout_redirect_uri(rp):
    page = assert_page(rp.log_out(id_token_hint=rp.hint, state="a-state"), 200)
    signed_out_page(confirmed(rp, page) if page.forms else page.response)
    assert not is_signed_in(rp)
