"""The plans Basic OP and Form Post OP: parameters, codes, request objects, PKCE and refresh tokens.

Each test has the name of the module of the OpenID Foundation's conformance suite that it imitates.
"""

import re
import secrets

from support.jwts import claims as unverified
from support.jwts import unsigned, wait_past
from support.openid.checks import assert_page, assert_redirected, assert_token_answer, assert_token_error
from support.openid.registrations import BASIC, SECOND
from support.openid.relying_party import delivered
from support.openid.times import age_codes


def test_oidcc_ensure_request_with_unknown_parameter_succeeds(rp, ada):
    signed_in = rp.sign_in(None, extra="foobar")
    assert signed_in.claims["sub"] == ada.id
    assert "extra" not in signed_in.answer.parameters


def test_oidcc_codereuse(rp):
    answer = rp.authorize()
    assert rp.tokens(answer)
    assert_token_error(rp.redeem(answer), "invalid_grant")


def test_oidcc_codereuse_30seconds(openid_site, rp):
    """The suite waits half a minute between the two uses; here the row gets older. What the code gave ends, at userinfo at once."""
    answer = rp.authorize(scope="openid offline_access")
    tokens = rp.tokens(answer)
    assert rp.userinfo(tokens["access_token"]).status_code == 200
    age_codes(openid_site, BASIC, 30)
    assert_token_error(rp.redeem(answer), "invalid_grant")
    assert rp.userinfo(tokens["access_token"]).status_code == 401
    assert_token_error(rp.refresh(tokens["refresh_token"]), "invalid_grant")


def test_oidcc_ensure_registered_redirect_uri(rp):
    uri = f"{BASIC.redirect_uri}/{secrets.token_hex(8)}"
    assert_page(rp.open(redirect_uri=uri), uri=uri)


def test_oidcc_ensure_post_request_succeeds(fresh, ada):
    answer = fresh.check_answer(fresh.authorize(ada, method="POST"))
    assert fresh.claims(fresh.tokens(answer)["id_token"], answer.sent["nonce"])["sub"] == ada.id
    sent, _ = fresh.parameters()
    assert fresh.send(sent, "POST").status_code in (200, 303), "302 would have the browser send the form once more"
    assert fresh.authorize(method="POST").pages == []


def request_object(rp, **claims):
    said = {"iss": BASIC.id, "aud": rp.metadata["issuer"], "client_id": BASIC.id, "response_type": "code", "scope": "openid"}
    return unsigned({**said, **claims})


def test_oidcc_request_uri_unsigned_supported_correctly_or_rejected_as_unsupported(rp):
    assert rp.metadata["request_uri_parameter_supported"] is False
    sent, _ = rp.parameters(request_uri="https://rp.example.com/request.jwt")
    answer = delivered(rp.send(sent), BASIC.redirect_uris)
    assert_redirected(answer, "request_uri_not_supported", BASIC, mode=rp.mode or "query", sent=sent["state"])


def test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported(rp):
    """To ignore the object is the failure that the module looks for."""
    assert rp.metadata["request_parameter_supported"] is False
    sent, _ = rp.parameters(request=request_object(rp, nonce=secrets.token_hex(8)))
    answer = delivered(rp.send(sent), BASIC.redirect_uris)
    assert_redirected(answer, "request_not_supported", BASIC, mode=rp.mode or "query", sent=sent["state"])


def test_oidcc_ensure_request_object_with_redirect_uri(rp):
    """The object's redirect URI never counts."""
    thief = "https://thief.example.com/callback"
    sent, _ = rp.parameters(request=request_object(rp, redirect_uri=thief))
    response = rp.send(sent)
    assert thief not in response.text and thief not in response.headers.get("location", "")
    answer = delivered(response, BASIC.redirect_uris)
    assert_redirected(answer, "request_not_supported", BASIC, mode=rp.mode or "query", sent=sent["state"])


def test_oidcc_refresh_token(newcomer, mode, ada):
    """The suite's own order: the certification client's refresh, then the second client's token at the first client."""
    first, second = newcomer(BASIC, mode=mode), newcomer(SECOND, mode=mode)
    assert "refresh_token" in first.metadata["grant_types_supported"]
    signed_in = first.sign_in(ada, scope="openid offline_access", prompt="consent")
    token = signed_in.tokens["refresh_token"]
    assert re.fullmatch(r"[\x20-\x7E]{22,512}", token)
    wait_past(signed_in.tokens["id_token"])
    refreshed = assert_token_answer(first.refresh(token))
    nonce = unverified(refreshed["id_token"]).get("nonce")
    assert nonce in (None, signed_in.claims["nonce"])
    claims = first.claims(refreshed["id_token"], nonce, refreshed["access_token"])
    for name in ("iss", "sub", "aud", "auth_time"):
        assert claims[name] == signed_in.claims[name]
    assert claims["iat"] > signed_in.claims["iat"]
    assert ("azp" in claims) == ("azp" in signed_in.claims)
    assert refreshed["access_token"] != signed_in.tokens["access_token"] and refreshed["refresh_token"] != token
    assert first.userinfo(refreshed["access_token"]).json()["sub"] == ada.id

    others = second.sign_in(ada, scope="openid offline_access", prompt="consent").tokens["refresh_token"]
    assert_token_error(first.refresh(others), "invalid_grant")
    assert second.refresh(others).status_code == 200, "it is still the second client's own"


def test_oidcc_ensure_request_with_valid_pkce_succeeds(rp, ada):
    assert rp.metadata["code_challenge_methods_supported"] == ["S256"]
    signed_in = rp.sign_in(None, code_challenge=...)
    assert "code_challenge" in signed_in.answer.sent and signed_in.claims["sub"] == ada.id
