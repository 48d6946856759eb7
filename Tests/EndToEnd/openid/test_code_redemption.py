"""The token endpoint and codes: who may redeem which, how often, and how a request has to look."""

import dataclasses
import secrets

import pytest
import requests

from support.harness import together
from support.jwts import claims
from support.names import TIMEOUT
from support.openid.checks import assert_token_answer, assert_token_error, assert_token_headers, short
from support.openid.registrations import BASIC, BROWSER, NATIVE, POST, SECOND, SIGNING, STRICT
from support.openid.relying_party import FORM, RelyingParty
from support.openid.times import age_codes


def test_a_code_used_twice_at_once_gives_tokens_once(party):
    """Whatever the order, the second use ends what the first one made."""
    rp = party()
    for _ in range(3):
        answer = rp.authorize(scope="openid offline_access")
        responses = together(2, lambda _: rp.redeem(answer))
        statuses = sorted(response.status_code for response in responses)
        assert statuses in ([200, 400], [400, 400]), [response.text for response in responses]
        assert statuses == [200, 400], "one success"
        won = next(response for response in responses if response.status_code == 200).json()
        assert_token_error(next(response for response in responses if response.status_code == 400), "invalid_grant")
        assert rp.userinfo(won["access_token"]).status_code == 401, "nobody can tell who was first: the person or a thief"
        assert_token_error(rp.refresh(won["refresh_token"]), "invalid_grant")


def test_a_code_of_another_client(party):
    for client in (SECOND, POST, NATIVE):
        answer = party().authorize()
        assert_token_error(party(client).redeem(answer), "invalid_grant")


def test_a_thief_with_the_code_does_not_use_it_up(party):
    """Without the client's credentials or the verifier, nothing is known of who redeems."""
    rp = party(STRICT)
    answer = rp.authorize()
    assert_token_error(rp.redeem(answer, headers={"authorization": "Basic Zm9vOmJhcg=="}), "invalid_client", 401)
    assert rp.tokens(answer)


@pytest.mark.parametrize("uri", [None, "", SECOND.redirect_uri, BASIC.redirect_uri + "/", BASIC.redirect_uri.upper()])
def test_a_code_with_another_redirect_uri(party, uri):
    rp = party()
    response = rp.redeem(rp.authorize(), redirect_uri=uri)
    assert response.json()["error"] in ("invalid_grant", "invalid_request") if not uri else True
    assert_token_error(response, response.json()["error"] if not uri else "invalid_grant")


def test_a_plain_oauth_request_without_a_redirect_uri(party):
    """RFC 6749 section 4.1.3: a client with one address need not name it, neither at first nor with the code."""
    rp = party()
    answer = rp.authorize(redirect_uri=None, scope="profile")
    assert answer.uri == BASIC.redirect_uri
    assert_token_error(rp.redeem(answer, redirect_uri=SECOND.redirect_uri), "invalid_grant")
    assert assert_token_answer(rp.redeem(answer))["scope"] == "profile"
    assert_token_answer(rp.redeem(rp.authorize(redirect_uri=None, scope="profile"), redirect_uri=BASIC.redirect_uri))
    told = assert_token_error(rp.redeem(rp.authorize(), redirect_uri=None), "invalid_request")
    assert "redirect_uri is missing" in told


def test_a_code_that_is_too_old(openid_site, party):
    rp = party()
    young, old = rp.authorize(), rp.authorize()
    age_codes(openid_site, BASIC, 50)
    assert rp.tokens(young)
    age_codes(openid_site, BASIC, 11)
    expired = assert_token_error(rp.redeem(old), "invalid_grant")
    unknown = assert_token_error(rp.redeem(dataclasses.replace(old, parameters={"code": secrets.token_urlsafe(48)})), "invalid_grant")
    assert expired == unknown, "the words do not tell an old code from an unknown one"


@pytest.mark.parametrize("client", [NATIVE, BROWSER, STRICT], ids=["native", "browser", "confidential"])
@pytest.mark.parametrize(
    "verifier",
    [None, "", secrets.token_urlsafe(32), "a" * 42, "a" * 129, "ä" * 43],
    ids=["none", "empty", "wrong", "too short", "too long", "other characters"],
)
def test_a_wrong_verifier(party, ada, client, verifier):
    rp = party(client)
    response = rp.redeem(rp.authorize(ada), code_verifier=verifier)
    assert response.status_code == 400
    allowed = {"invalid_grant"} if verifier and 43 <= len(verifier) <= 128 and verifier.isascii() else {"invalid_grant", "invalid_request"}
    assert response.json()["error"] in allowed
    assert_token_error(response, response.json()["error"])


def test_the_challenge_is_not_the_verifier(party, ada):
    """As the method plain would have it."""
    rp = party(NATIVE)
    answer = rp.authorize(ada)
    assert_token_error(rp.redeem(answer, code_verifier=answer.sent["code_challenge"]), "invalid_grant")


def test_a_verifier_without_a_challenge(party):
    """Somebody took the challenge out of the request on its way."""
    rp = party()
    answer = rp.authorize()
    assert "code_challenge" not in answer.sent
    assert_token_error(rp.redeem(answer, code_verifier=answer.verifier), "invalid_grant")


@pytest.mark.parametrize("code", ["", "garbage", "a" * 43, "a" * 4000, "\x00", "é"], ids=short)
def test_a_code_that_never_was(party, code):
    rp = party()
    answer = dataclasses.replace(rp.authorize(), parameters={"code": code})
    response = rp.redeem(answer)
    assert_token_error(response, "invalid_request" if not code else response.json()["error"])
    assert response.json()["error"] in ("invalid_grant", "invalid_request")


def test_each_part_of_a_code_counts(party):
    rp = party()
    answer = rp.authorize()
    for index in (0, len(answer.code) // 2, len(answer.code) - 2):
        letter = "A" if answer.code[index] != "A" else "B"
        changed = answer.code[:index] + letter + answer.code[index + 1 :]
        assert_token_error(rp.redeem(dataclasses.replace(answer, parameters={"code": changed})), "invalid_grant")
    assert rp.tokens(answer), "a wrong guess does not use the code up"


def test_codes_are_long_and_random(party):
    rp = party()
    codes = [rp.authorize().code for _ in range(5)]
    assert len({code[-20:] for code in codes}) == 5
    assert all(len(code) >= 43 for code in codes)


# -- the shape of requests and answers


@pytest.mark.parametrize("client", [BASIC, POST, SIGNING, NATIVE, BROWSER, STRICT], ids=lambda client: client.authentication)
def test_the_types_of_all_members(party, ada, client):
    rp = party(client)
    answer = rp.authorize(ada, scope="openid offline_access")
    body = assert_token_answer(rp.redeem(answer))
    assert {"refresh_token", "id_token", "scope"} <= set(body) and body["expires_in"] == 3600
    assert set(body["scope"].split()) == {"openid", "offline_access"}
    assert_token_answer(rp.refresh(body["refresh_token"]))


def test_no_refresh_token_without_offline_access_except_for_native_apps(party, ada):
    assert "refresh_token" not in party().sign_in(None).tokens
    assert "refresh_token" in party(NATIVE).sign_in(ada).tokens


def test_the_access_token_is_a_jwt_of_its_own_type(party):
    """RFC 9068: so it can never pass for an ID token."""
    import jwt

    rp = party()
    signed_in = rp.sign_in(None, scope="openid email")
    token = signed_in.tokens["access_token"]
    assert jwt.get_unverified_header(token)["typ"] == "at+jwt"
    said = claims(token)
    assert {"iss", "sub", "aud", "client_id", "scope", "jti", "iat", "exp"} <= set(said)
    assert (said["iss"], said["sub"], said["client_id"]) == (rp.issuer, signed_in.claims["sub"], BASIC.id)
    assert said["exp"] - said["iat"] == signed_in.tokens["expires_in"]
    assert len({claims(rp.sign_in(None).tokens["access_token"])["jti"] for _ in range(3)}) == 3 and len(said["jti"]) >= 22


def token_url(site):
    return f"{site.issuer}/oauth2/token"


def test_a_token_request_is_a_posted_form(openid_site, party):
    rp = party()
    url = token_url(openid_site)
    form, headers = rp.credentials(rp.token_form(rp.authorize()))
    refused = requests.get(url, params=form, headers=headers, timeout=TIMEOUT)
    assert refused.status_code == 405 and "POST" in refused.headers["allow"]
    assert_token_error(requests.post(url, json=form, headers=headers, timeout=TIMEOUT), "invalid_request")
    assert_token_error(requests.post(url, params=form, headers=headers, timeout=TIMEOUT), "invalid_request")
    assert requests.post(url, data={**form, "extra": "a" * (1 << 20)}, headers=headers, timeout=TIMEOUT).status_code == 413
    # AppAuth for iOS names a character set.
    tolerated = requests.post(url, data=form, headers={**headers, "content-type": FORM + "; charset=UTF-8"}, timeout=TIMEOUT)
    assert_token_answer(tolerated)


@pytest.mark.parametrize("name", ["grant_type", "code", "redirect_uri", "client_id", "code_verifier"])
def test_a_parameter_twice(party, name, ada):
    rp = party(NATIVE)
    form = {"client_id": NATIVE.id, **rp.token_form(rp.authorize(ada))}
    for second in (form[name], "another"):
        assert_token_error(rp.post("token_endpoint", {**form, name: [form[name], second]}, credentials=False), "invalid_request")
    assert_token_answer(rp.post("token_endpoint", form, credentials=False))


@pytest.mark.parametrize("garbled", [b"grant_type=%zz", b"grant_type=%ff", b"code=%c0%af&grant_type=authorization_code"])
def test_a_form_that_cannot_be_read(openid_site, party, garbled):
    _, headers = party().credentials({})
    answer = requests.post(token_url(openid_site), data=garbled, headers={**headers, "content-type": FORM}, timeout=TIMEOUT)
    assert_token_error(answer, "invalid_request")


@pytest.mark.parametrize(
    "type, error",
    [
        (None, "invalid_request"),
        ("", "invalid_request"),
        ("password", "unsupported_grant_type"),
        ("client_credentials", "unsupported_grant_type"),
        ("Authorization_Code", "unsupported_grant_type"),
        ("urn:ietf:params:oauth:grant-type:token-exchange", "unsupported_grant_type"),
        ('"\\\r\n<ü>', "unsupported_grant_type"),
    ],
    ids=short,
)
def test_another_grant_type(party, type, error):
    assert_token_error(party().post("token_endpoint", {"grant_type": type, "code": "x", "redirect_uri": "x"}), error)


@pytest.mark.parametrize("missing", ["code", "grant_type"])
def test_a_parameter_is_missing(party, missing):
    rp = party()
    assert_token_error(rp.redeem(rp.authorize(), **{missing: None}), "invalid_request")


def test_errors_are_never_stored_either(party):
    assert_token_headers(party().post("token_endpoint", {}))


def test_a_web_app_may_redeem_from_its_own_origin_alone(openid_site, party):
    """CORS at the token endpoint is for the origins that browser apps have registered."""
    rp = party(BROWSER)
    own, foreign = "http://localhost:5173", "https://thief.example.com"
    answer = rp.redeem(rp.authorize(), headers={"origin": own})
    assert answer.status_code == 200 and answer.headers["access-control-allow-origin"] == own
    assert "access-control-allow-credentials" not in answer.headers
    told = rp.redeem(rp.authorize(), headers={"origin": foreign})
    assert told.headers.get("access-control-allow-origin") not in (foreign, "*")
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    asked = requests.options(token_url(openid_site), headers={"origin": own, **preflight}, timeout=TIMEOUT)
    assert asked.status_code in (200, 204) and asked.headers["access-control-allow-origin"] in (own, "*")


def test_the_id_token_of_every_flow(openid_site, party, ada):
    """Byte-equal issuer, a text as subject, and issued now."""
    import time

    for client in (BASIC, POST, SIGNING, NATIVE, BROWSER, STRICT):
        rp = RelyingParty(openid_site.issuer, client, browser=party().browser)
        signed_in = rp.sign_in(ada, scope="openid offline_access")
        refreshed = rp.refresh(signed_in.tokens["refresh_token"]).json()
        for token in (signed_in.tokens["id_token"], refreshed["id_token"]):
            said = claims(token)
            assert said["iss"] == rp.metadata["issuer"] and type(said["sub"]) is str and said["sub"] == ada.id
            assert type(said["iat"]) is int and abs(said["iat"] - time.time()) < 60
            assert said["aud"] == client.id
