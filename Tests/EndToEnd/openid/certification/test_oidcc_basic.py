"""The plans Basic OP and Form Post OP of the OpenID Foundation's conformance suite: the happy flow, userinfo and scopes.

Each test has the name of the module that it imitates.
<https://openid.net/certification/testing/>
"""

import time

import jwt
import pytest

from support.openid.checks import assert_delivered, assert_redirected, assert_token_answer
from support.openid.registrations import BASIC, POST
from support.openid.relying_party import delivered, half_hash

PROFILE = {
    *("name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website", "gender"),
    *("birthdate", "zoneinfo", "locale", "updated_at"),
}
EMAIL = {"email", "email_verified"}
PHONE = {"phone_number", "phone_number_verified"}


def assert_id_token(claims, rp, answer, tokens):
    """What the suite checks of every ID token, beyond what `RelyingParty.claims` refuses."""
    header = jwt.get_unverified_header(tokens["id_token"])
    assert header["alg"] == "RS256" and header["kid"] and header["typ"] == "JWT"
    assert claims["iss"] == rp.metadata["issuer"]
    assert type(claims["sub"]) is str and 0 < len(claims["sub"]) <= 255 and claims["sub"].isascii()
    assert claims["aud"] == rp.client.id and "azp" not in claims
    assert all(type(claims[name]) is int for name in ("exp", "iat", "nbf", "auth_time") if name in claims)
    assert abs(claims["iat"] - time.time()) < 60
    assert claims["exp"] - claims["iat"] == 3600
    assert claims.get("nonce") == answer.sent.get("nonce")
    assert claims["at_hash"] == half_hash(tokens["access_token"])
    assert claims.get("acr", "an absent one is fine")
    assert not set(claims) & (PROFILE | EMAIL), "the profile is what userinfo tells"


def server(rp, person, **changes):
    """The module `oidcc-server`: a whole sign-in, with all checks."""
    kids = [key.key_id for key in rp.keys().keys]
    assert all(kids) and len(set(kids)) == len(kids)
    answer = rp.check_answer(rp.authorize(person, **changes))
    assert_delivered(answer, rp.mode)
    assert set(answer.parameters) - {"session_state"} == {"code", "state", "iss"}
    response = rp.redeem(answer)
    tokens = assert_token_answer(response)
    claims = rp.claims(tokens["id_token"], answer.sent.get("nonce"), tokens["access_token"])
    assert_id_token(claims, rp, answer, tokens)
    told = rp.userinfo(tokens["access_token"])
    assert told.status_code == 200 and told.json()["sub"] == claims["sub"]
    return claims


def test_oidcc_server(fresh, ada):
    claims = server(fresh, ada)
    assert claims["sub"] == ada.id, "the native shape's subject is the account's id"


def test_oidcc_response_type_missing(rp):
    sent, _ = rp.parameters(response_type=None)
    answer = delivered(rp.send(sent), BASIC.redirect_uris)
    assert_redirected(answer, "invalid_request", BASIC, mode=rp.mode or "query", sent=sent["state"])


def test_oidcc_idtoken_signature(rp):
    token = rp.sign_in(None).tokens["id_token"]
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "RS256" and header["kid"] in {key.key_id for key in rp.keys().keys}
    signed, _, signature = token.rpartition(".")
    other = signature[:-5] + ("A" if signature[-5] != "A" else "B") + signature[-4:]
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(f"{signed}.{other}", rp.keys()[header["kid"]], algorithms=["RS256"], audience=BASIC.id)


def test_oidcc_idtoken_unsigned(rp):
    """The module is skipped where `none` is not listed; no client can register for it here."""
    assert rp.metadata["id_token_signing_alg_values_supported"] == ["RS256"]
    assert jwt.get_unverified_header(rp.sign_in(None).tokens["id_token"])["alg"] == "RS256"


def only_the_subject(rp, how):
    signed_in = rp.sign_in(None)
    told = rp.userinfo(signed_in.tokens["access_token"], how)
    assert told.status_code == 200 and told.headers["content-type"].split(";")[0] == "application/json"
    assert told.json() == {"sub": signed_in.claims["sub"]}, "openid alone opens nothing but the subject"


def test_oidcc_userinfo_get(rp):
    only_the_subject(rp, "get")


def test_oidcc_userinfo_post_header(rp):
    only_the_subject(rp, "post-header")


def test_oidcc_userinfo_post_body(rp):
    only_the_subject(rp, "post-body")


def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(rp):
    assert "nonce" not in rp.sign_in(None, nonce=None).claims


def userinfo(rp, scope):
    signed_in = rp.sign_in(None, scope=scope)
    told = rp.userinfo(signed_in.tokens["access_token"])
    assert told.status_code == 200, told.text
    assert told.json()["sub"] == signed_in.claims["sub"]
    assert all(value not in (None, "", [], {}) for value in told.json().values()), told.json()
    return told.json()


def assert_profile(told, person):
    assert told["name"] == person.name
    assert type(told.get("updated_at", 0)) is int


def assert_email(told, person):
    assert told["email"] == person.email and told["email_verified"] is False


def test_oidcc_scope_profile(rp, ada):
    told = userinfo(rp, "openid profile")
    assert_profile(told, ada)
    assert not set(told) & (EMAIL | PHONE | {"address"})


def test_oidcc_scope_email(rp, ada):
    told = userinfo(rp, "openid email")
    assert_email(told, ada)
    assert set(told) == {"sub"} | EMAIL


def test_oidcc_scope_address(rp):
    """The suite warns about the missing claim: accounts have no postal address, and the metadata does not promise one."""
    assert userinfo(rp, "openid address").keys() == {"sub"}
    assert "address" not in rp.metadata["claims_supported"]


def test_oidcc_scope_phone(rp):
    """The suite warns about the missing claims: accounts have no telephone number."""
    assert userinfo(rp, "openid phone").keys() == {"sub"}


def test_oidcc_scope_all(rp, ada):
    told = userinfo(rp, "openid profile email address phone")
    assert_profile(told, ada)
    assert_email(told, ada)
    assert set(told) <= {"sub", "address"} | PROFILE | EMAIL | PHONE


def test_oidcc_alternate_happy_flow(rp, ada):
    """The order of scopes and of parameters does not matter."""
    sent, verifier = rp.parameters(scope="email openid")
    backwards = dict(reversed(sent.items()))
    answer = rp.check_answer(rp.finish(rp.browser.follow(rp.send(backwards)), backwards, verifier, ada))
    tokens = rp.tokens(answer)
    assert rp.claims(tokens["id_token"], sent["nonce"])["sub"] == ada.id
    assert_email(rp.userinfo(tokens["access_token"]).json(), ada)


def test_oidcc_display_page(fresh, ada):
    assert "page" in fresh.metadata["display_values_supported"]
    server(fresh, ada, display="page")


def test_oidcc_display_popup(fresh, ada):
    assert "popup" in fresh.metadata["display_values_supported"]
    server(fresh, ada, display="popup")


def test_oidcc_server_client_secret_post(newcomer, mode, ada):
    rp = newcomer(POST, mode=mode)
    assert {"client_secret_basic", "client_secret_post"} <= set(rp.metadata["token_endpoint_auth_methods_supported"])
    server(rp, ada)
