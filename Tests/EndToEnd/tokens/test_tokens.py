"""Tokens as others see them: verified with libraries that are not ours, refreshed, rotated and revoked."""

import base64
import time
from urllib.parse import urlencode

import jwt
import pytest
import requests
from authlib.jose import JsonWebKey, JsonWebToken
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow
from support.harness import together
from support.jwts import b64, claims, hmac_signed, unsigned
from support.names import NUMBER, PROJECT, TIMEOUT
from support.servers.site import Site


@pytest.fixture
def user(api, fake_issuer):
    return posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("token-holder")}).json()


def discovery(site):
    document = requests.get(site.issuer + "/.well-known/openid-configuration", timeout=TIMEOUT)
    assert document.status_code == 200
    return document.json()


def test_the_id_token_verifies_with_PyJWT_through_discovery(site, user):
    document = discovery(site)
    assert document["issuer"] == site.issuer
    key = jwt.PyJWKClient(document["jwks_uri"]).get_signing_key_from_jwt(user["idToken"])
    claims = jwt.decode(
        user["idToken"],
        key,
        algorithms=["RS256"],
        audience=PROJECT,
        issuer=site.issuer,
        options={"require": ["exp", "iat", "sub", "aud", "iss", "auth_time"]},
    )
    assert claims["sub"] == claims["user_id"] == user["localId"]
    assert claims["exp"] - claims["iat"] == 3600 and abs(claims["iat"] - time.time()) < 60
    assert claims["email"] == "token-holder@example.com" and isinstance(claims["email_verified"], bool)
    assert claims["firebase"]["sign_in_provider"] == "oidc.fake"
    assert claims["firebase"]["identities"] == {"oidc.fake": ["token-holder"], "email": ["token-holder@example.com"]}
    header = jwt.get_unverified_header(user["idToken"])
    assert header["alg"] == "RS256" and header["typ"] == "JWT" and header["kid"]


def test_the_id_token_verifies_with_authlib(site, user):
    keys = JsonWebKey.import_key_set(requests.get(discovery(site)["jwks_uri"], timeout=TIMEOUT).json())
    claims = JsonWebToken(["RS256"]).decode(
        user["idToken"],
        keys,
        claims_options={"iss": {"essential": True, "value": site.issuer}, "aud": {"essential": True, "value": PROJECT}},
    )
    claims.validate()
    assert claims["sub"] == user["localId"]


def test_the_certificates_verify_the_id_token(site, user):
    certificates = requests.get(site.url + "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", timeout=TIMEOUT)
    assert "max-age" in certificates.headers["cache-control"]
    pem = certificates.json()[jwt.get_unverified_header(user["idToken"])["kid"]]
    certificate = x509.load_pem_x509_certificate(pem.encode())
    signed, _, signature = user["idToken"].rpartition(".")
    certificate.public_key().verify(base64.urlsafe_b64decode(signature + "=="), signed.encode(), padding.PKCS1v15(), SHA256())
    assert certificate.not_valid_before_utc.timestamp() <= time.time() <= certificate.not_valid_after_utc.timestamp()
    jwks = requests.get(site.url + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", timeout=TIMEOUT).json()
    assert {key["kid"] for key in jwks["keys"] if key["kty"] == "RSA"} == set(certificates.json()), "Firebase's verifiers know RS256 alone"
    for key in jwks["keys"]:
        assert not {"d", "p", "q", "dp", "dq", "qi"} & set(key), "public keys only"


def test_key_sets_are_there_under_the_googles_names_too(site):
    for path in (
        "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
        "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        "/robot/v1/metadata/x509/securetoken%40system.gserviceaccount.com",
    ):
        assert requests.get(site.url + path, timeout=TIMEOUT).status_code == 200, path
    for path in ("/nobody/.well-known/openid-configuration", "/nobody/oauth2/jwks"):
        assert_error(requests.get(site.url + path, timeout=TIMEOUT), "Not Found", 404)


@pytest.mark.parametrize("spelling", ["snake", "camel"])
@pytest.mark.parametrize("encoding", ["form", "json"])
def test_refresh_in_both_encodings_and_spellings(api, user, encoding, spelling):
    names = {"snake": ("grant_type", "refresh_token"), "camel": ("grantType", "refreshToken")}[spelling]
    fields = dict(zip(names, ("refresh_token", user["refreshToken"])))
    body = fields if encoding == "json" else urlencode(fields)
    headers = {} if encoding == "json" else {"content-type": "application/x-www-form-urlencoded"}
    response = api.post("/v1/token", body, headers=headers)
    assert response.status_code == 200, response.text
    answer = response.json()
    assert set(answer) == {"access_token", "expires_in", "token_type", "refresh_token", "id_token", "user_id", "project_id"}
    assert answer["access_token"] == answer["id_token"] and answer["refresh_token"] != user["refreshToken"]
    assert (answer["expires_in"], answer["token_type"], answer["user_id"], answer["project_id"]) == (
        "3600",
        "Bearer",
        user["localId"],
        NUMBER,
    )
    old, new = (claims(token) for token in (user["idToken"], answer["id_token"]))
    for claim in ("sub", "auth_time", "firebase", "email"):
        assert old[claim] == new[claim]
    assert api.lookup(answer["id_token"])["localId"] == user["localId"]


def test_SEC_06_a_hundred_parallel_refreshes_get_one_successor(site, api, user):
    answers = together(100, lambda _: api.refresh(user["refreshToken"]))
    assert {answer.status_code for answer in answers} == {200}
    successors = {answer.json()["refresh_token"] for answer in answers}
    assert len(successors) == 1
    assert len({answer.json()["refresh_token"] for answer in together(20, lambda _: api.refresh(successors.copy().pop()))}) == 1


def test_SEC_06_a_used_up_refresh_token_ends_its_session(site, api, user):
    first = user["refreshToken"]
    second = api.refresh(first).json()["refresh_token"]
    assert api.refresh(first).json()["refresh_token"] == second, "an answer may be lost"
    third = api.refresh(second).json()["refresh_token"]
    assert api.refresh(first).json()["refresh_token"] == second, "the grace window"
    site.rows("UPDATE sessions SET rotated_at = rotated_at - interval '1 minute' WHERE account_id = %s", user["localId"])
    assert_error(api.refresh(first), "TOKEN_EXPIRED")
    assert_error(api.refresh(third), "TOKEN_EXPIRED")


def test_a_revoked_account_gets_no_new_tokens(site, api, user):
    site.rows("UPDATE sessions SET ended_at = now(), end_reason = 'revoked' WHERE account_id = %s", user["localId"])
    assert_error(api.refresh(user["refreshToken"]), "TOKEN_EXPIRED")
    site.rows("UPDATE accounts SET valid_since = date_trunc('second', now()) + interval '1 minute' WHERE account_id = %s", user["localId"])
    assert_error(api.call("lookup", {"idToken": user["idToken"]}), "TOKEN_EXPIRED")
    site.rows("UPDATE accounts SET valid_since = date_trunc('second', created_at) WHERE account_id = %s", user["localId"])


def test_a_disabled_account_gets_nothing(site, api, user, fake_issuer):
    site.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", user["localId"])
    try:
        assert_error(api.refresh(user["refreshToken"]), "USER_DISABLED")
        assert_error(api.call("lookup", {"idToken": user["idToken"]}), "USER_DISABLED")
        assert_error(posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("token-holder")}), "USER_DISABLED")
    finally:
        site.rows("UPDATE accounts SET disabled = false WHERE account_id = %s", user["localId"])


def test_deleting_takes_a_recent_sign_in(site, api, user):
    site.rows("UPDATE sessions SET auth_time = auth_time - interval '10 minutes' WHERE account_id = %s", user["localId"])
    stale = api.refresh(user["refreshToken"]).json()["id_token"]
    assert_error(api.call("delete", {"idToken": stale}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")


def tampered(token):
    header, payload, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    kid = jwt.get_unverified_header(token)["kid"]
    yield f"{header}.{payload}."  # no signature
    yield unsigned(claims)  # alg none
    yield unsigned(claims, {"alg": "none", "kid": kid})  # alg none with kid
    yield f"{header}.{b64({**claims, 'sub': 'somebody-else'})}.{signature}"  # other claims
    yield f"{header}.{payload}.{'A' * len(signature)}"  # broken signature
    yield f"{b64({'alg': 'RS256', 'kid': 'nobody', 'typ': 'JWT'})}.{payload}.{signature}"  # unknown key
    yield f"{header}.{payload}"  # two parts
    yield f"{header}.{payload}.{signature}="  # padded
    yield "garbage"  # not a token
    yield "A" * 60_000  # huge


def test_SEC_12_forged_id_tokens_are_refused(site, api, user):
    for token in tampered(user["idToken"]):
        assert_error(api.call("lookup", {"idToken": token}), "INVALID_ID_TOKEN")
    claims = jwt.decode(user["idToken"], options={"verify_signature": False})
    kid = jwt.get_unverified_header(user["idToken"])["kid"]
    pem = requests.get(site.url + "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", timeout=TIMEOUT).json()[kid]
    public = x509.load_pem_x509_certificate(pem.encode()).public_key()
    spki = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert_error(api.call("lookup", {"idToken": hmac_signed(claims, spki, kid)}), "INVALID_ID_TOKEN")


def test_the_firebase_style_of_tokens_and_ES256(fake_issuer):
    site = Site({"oidc.fake": fake_issuer.entry()}, project={"tokens": {"issuer": "firebase", "lifetime": "5m", "algorithm": "ES256"}})
    try:
        site.serve()
        user = WebFlow(site, "oidc.fake").run(fake_issuer.login("ecdsa"))
        jwks = site.url + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        key = jwt.PyJWKClient(jwks).get_signing_key_from_jwt(user["idToken"])
        claims = jwt.decode(
            user["idToken"], key, algorithms=["ES256"], audience=PROJECT, issuer="https://securetoken.google.com/" + PROJECT
        )
        assert claims["exp"] - claims["iat"] == 300 and user["expiresIn"] == "300"
    finally:
        site.close()
