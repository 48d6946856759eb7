"""Custom authentication: key files that `gatehouse service-accounts` makes, tokens that the real firebase-admin signs with them."""

import base64
import hashlib
import hmac
import json
import re
import stat
import time

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from support import golden
from support.clients.api import assert_error
from support.clients.backend import Backend, make_key
from support.harness import together
from support.jwts import CUSTOM_TOKEN_AUDIENCE, b64, claims, unsigned
from support.names import API_KEY, PROJECT, TIMEOUT
from support.servers.site import a_site

RESERVED = "acr amr at_hash aud auth_time azp cnf c_hash exp firebase iat iss jti nbf nonce sub".split()


@pytest.fixture(scope="module")
def backend(site):
    backend = Backend(make_key(site))
    yield backend
    backend.close()


def sign_in(api, token, **more):
    return api.call("signInWithCustomToken", {"token": token, "returnSecureToken": True, **more})


def test_the_key_file_is_all_that_is_printed_and_only_its_public_half_is_stored(site):
    path = make_key(site, account="printed")
    key = json.loads(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key["type"] == "service_account" and key["project_id"] == PROJECT
    assert key["client_email"] == f"printed@{PROJECT}.iam.gserviceaccount.com"
    assert key["token_uri"] == site.url + "/token"
    stored = site.value("SELECT public_key FROM service_account_keys WHERE key_id = %s", key["private_key_id"])
    assert set(json.loads(stored)) == {"kty", "use", "alg", "kid", "n", "e"}
    listed = site.run("service-accounts", "list", PROJECT).stdout
    assert re.search(rf"^{key['private_key_id']}  {key['client_email']} +\d{{4}}-.* UTC  live", listed, re.MULTILINE), listed
    told = [json.loads(line) for line in site.run("service-accounts", "list", PROJECT, "--json").stdout.splitlines()]
    (account,) = (entry for entry in told if entry["key"] == key["private_key_id"])
    assert account["account"] == key["client_email"] and "readUsers" in account["rights"] and "revokedAt" not in account
    for arguments in (["create", "nobody"], ["create", PROJECT, "Not A Name"], ["revoke", PROJECT], ["revoke", PROJECT, "--key", "none"]):
        result = site.run("service-accounts", *arguments)
        assert result.returncode != 0 and not result.stdout, arguments


def test_firebase_admin_signs_a_person_in(site, api, backend):
    answer = sign_in(api, backend.admin_token("customer-7", {"role": "admin", "level": 3, "premium": True}))
    assert answer.status_code == 200, answer.text
    user = answer.json()
    assert set(user) == {"kind", "idToken", "refreshToken", "expiresIn", "isNewUser"}
    assert user["kind"] == "identitytoolkit#VerifyCustomTokenResponse" and user["isNewUser"] is True and user["expiresIn"] == "3600"

    def verified(token):
        document = requests.get(site.issuer + "/.well-known/openid-configuration", timeout=TIMEOUT).json()
        key = jwt.PyJWKClient(document["jwks_uri"]).get_signing_key_from_jwt(token)
        return jwt.decode(token, key, algorithms=["RS256"], audience=PROJECT, issuer=site.issuer)

    first = verified(user["idToken"])
    assert first["sub"] == first["user_id"] == "customer-7"
    assert (first["role"], first["level"], first["premium"]) == ("admin", 3, True)
    assert first["firebase"] == {"identities": {}, "sign_in_provider": "custom"}
    again = api.refresh(user["refreshToken"]).json()
    second = verified(again["id_token"])
    assert {name: second[name] for name in second if name not in ("iat", "exp")} == {
        name: first[name] for name in first if name not in ("iat", "exp")
    }

    account = api.lookup(user["idToken"])
    assert account["localId"] == "customer-7" and account["customAuth"] is True and "email" not in account
    assert int(account["lastLoginAt"]) > time.time() * 1000 - 60_000
    v3 = api.post("/identitytoolkit/v3/relyingparty/verifyCustomToken", {"token": backend.admin_token("customer-7")})
    assert v3.status_code == 200 and v3.json()["isNewUser"] is False
    assert "role" not in claims(v3.json()["idToken"]), "developer claims are the session's own"


def test_the_exact_answers(site, api, backend):
    def check(name, **fields):
        body = {"token": fields.get("token"), "returnSecureToken": True} if "token" in fields else fields
        return golden.check(name, api.call(name.split(".")[0], body), [(site.url, "<url>")])

    claims = {"role": "admin", "name": "Ada", "nested": {"deep": [1, None, 1.5]}}
    check("signInWithCustomToken", token=backend.admin_token("golden", claims))
    again = check("signInWithCustomToken.known", token=backend.admin_token("golden"))
    check("lookup.custom", idToken=again["idToken"])
    check("signInWithCustomToken.missing", token="")
    check("signInWithCustomToken.invalid", token=backend.token(aud="demo"))
    check("signInWithCustomToken.forbidden", token=backend.token(claims={"aud": "demo"}))


def test_any_JWT_library_will_do_with_and_without_kid(api, backend):
    for headers in ({}, {"kid": None}):
        assert sign_in(api, backend.token("library", headers=headers)).status_code == 200
    assert sign_in(api, backend.token(uid=..., user_id="library")).json()["isNewUser"] is False
    assert sign_in(api, backend.token("ä" * 128)).status_code == 200


def test_one_account_of_forty_first_sign_ins_at_once(site, api, backend):
    token = backend.token("everybody-at-once")
    answers = together(40, lambda _: sign_in(api, token))
    assert [answer.status_code for answer in answers] == [200] * 40
    assert sorted(answer.json()["isNewUser"] for answer in answers) == [False] * 39 + [True]
    assert site.value("SELECT count(*) FROM accounts WHERE account_id = 'everybody-at-once'") == 1


def hostile(backend):
    """Every token that must not sign in, with a description and its code."""
    now = int(time.time())
    right = backend.token("victim")
    header, body, signature = right.split(".")
    invalid = "INVALID_CUSTOM_TOKEN"
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    stranger_jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(stranger.public_key()))
    kid = {"kid": backend.key["private_key_id"]}
    symmetric = b64({"alg": "HS256", "typ": "JWT", **kid}) + "." + body
    mac = base64.urlsafe_b64encode(hmac.new(backend.public_pem, symmetric.encode(), hashlib.sha256).digest()).rstrip(b"=").decode()
    yield "alg none", unsigned(backend.claims()), invalid
    yield "alg none with kid", unsigned(backend.claims(), {"alg": "none", **kid}), invalid
    emulator = "firebase-auth-emulator@example.com"
    yield "the emulator's", unsigned(backend.claims(iss=emulator, sub=emulator)), invalid
    yield "the emulator's JSON", json.dumps({"uid": "victim"}), invalid
    yield "HS256 with the public key", symmetric + "." + mac, invalid
    yield "ES256", backend.token(key=ec.generate_private_key(ec.SECP256R1()), algorithm="ES256"), invalid
    yield "PS256", backend.token(algorithm="PS256"), invalid
    yield "RS512", backend.token(algorithm="RS512"), invalid
    yield "a stranger's key", backend.token(key=stranger), invalid
    yield "a stranger's key, brought along", backend.token(key=stranger, headers={"kid": None, "jwk": stranger_jwk}), invalid
    yield "another kid", backend.token(headers={"kid": "0" * 40}), invalid
    yield "a kid of SQL", backend.token(headers={"kid": "' OR 1=1 --"}), invalid
    yield "crit", backend.token(headers={"crit": ["b64"]}), invalid
    yield "other claims", f"{header}.{b64(backend.claims('other'))}.{signature}", invalid
    yield "no signature", f"{header}.{body}.", invalid
    yield "padded", right + "=", invalid
    yield "garbage", "garbage", invalid
    yield "wrong aud", backend.token(aud=PROJECT), invalid
    yield "aud of a list", backend.token(aud=[CUSTOM_TOKEN_AUDIENCE]), invalid
    yield "no aud", backend.token(aud=...), invalid
    yield "another sub", backend.token(sub="victim"), invalid
    yield "unknown account", backend.token(iss="nobody@demo.iam.gserviceaccount.com", sub="nobody@demo.iam.gserviceaccount.com"), invalid
    yield "expired", backend.token(iat=now - 3661, exp=now - 61), invalid
    yield "of the future", backend.token(iat=now + 300, exp=now + 900), invalid
    yield "longer than an hour", backend.token(iat=now, exp=now + 3601), invalid
    yield "no exp", backend.token(exp=...), invalid
    yield "no iat", backend.token(iat=...), invalid
    yield "not yet", backend.token(nbf=now + 300), invalid
    twice = json.dumps({**backend.claims(), "claims": {}})
    yield "claims twice", backend.raw_token(twice[:-1] + ', "claims": {"role": "admin"}}'), invalid
    yield "uid twice", backend.raw_token(twice[:-1] + ', "uid": "other"}'), invalid
    yield "deep", backend.raw_token(twice[:-1] + ', "x": ' + "[" * 1000 + "]" * 1000 + "}"), invalid
    yield "uid of 129", backend.token("a" * 129), invalid
    yield "uid of NUL", backend.token("a\0b"), invalid
    yield "uid a number", backend.token(uid=7), invalid
    yield "no uid", backend.token(uid=...), "MISSING_IDENTIFIER"
    yield "uid of nothing", backend.token(""), "MISSING_IDENTIFIER"
    yield "tenant", backend.token(tenant_id="t"), "UNSUPPORTED_TENANT_OPERATION"
    for wrong in ("x", 7, [1]):
        yield f"claims {wrong}", backend.token(claims=wrong), "INVALID_CLAIMS"
    for name in RESERVED:
        yield name, backend.token(claims={"role": "x", name: "x"}), f"FORBIDDEN_CLAIM : {name}"
    yield "1001 characters", backend.token(claims={"a": "x" * 993}), "CLAIMS_TOO_LARGE"


def test_SEC_12_hostile_tokens_are_refused_and_nothing_is_written(site, api, backend, nothing_is_written):
    for what, token, code in hostile(backend):
        try:
            assert_error(sign_in(api, token), code)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None
    for token in ("", None):
        assert_error(api.call("signInWithCustomToken", {"token": token}), "MISSING_CUSTOM_TOKEN")
    assert_error(api.call("signInWithCustomToken", {}), "MISSING_CUSTOM_TOKEN")
    huge = sign_in(api, backend.token(claims={"a": "x" * 1_000_000}))
    assert huge.status_code in (400, 413), huge.text
    assert_error(sign_in(api, backend.token(claims={"a": "x" * 40_000})), "INVALID_CUSTOM_TOKEN")
    assert_error(sign_in(api, backend.token("victim"), tenantId="t"), "UNSUPPORTED_TENANT_OPERATION")


def test_claims_of_a_thousand_characters_are_taken(api, backend):
    answer = sign_in(api, backend.token("thousand", claims={"a": "x" * 992}))
    assert answer.status_code == 200 and claims(answer.json()["idToken"])["a"] == "x" * 992


def test_no_sign_in_succeeds_with_another_projects_account(site, api, backend, nothing_is_written):
    other = Backend(make_key(site, "other"))
    try:
        assert_error(sign_in(api, other.admin_token("victim")), "CREDENTIAL_MISMATCH")
        email = backend.key["client_email"]
        assert_error(sign_in(api, other.token("victim", iss=email, sub=email)), "INVALID_CUSTOM_TOKEN")
        email = other.key["client_email"]
        assert_error(sign_in(api, backend.token("victim", iss=email, sub=email)), "INVALID_CUSTOM_TOKEN")
    finally:
        other.close()


def test_no_sign_in_succeeds_with_a_revoked_key_and_its_account_goes_on_with_another(site, api):
    first, second = (Backend(make_key(site, account="revoked")) for _ in range(2))
    try:
        session = sign_in(api, first.admin_token("kept")).json()
        result = site.run("service-accounts", "revoke", PROJECT, "--key", first.key["private_key_id"])
        assert result.returncode == 0, result.stderr
        for headers in ({}, {"kid": None}):
            assert_error(sign_in(api, first.token("kept", headers=headers)), "INVALID_CUSTOM_TOKEN")
        assert sign_in(api, second.admin_token("kept")).status_code == 200
        assert api.refresh(session["refreshToken"]).status_code == 200, "who is signed in stays so"
        assert site.run("service-accounts", "revoke", PROJECT, "--account", "revoked").returncode == 0
        assert_error(sign_in(api, second.admin_token("kept")), "INVALID_CUSTOM_TOKEN")
        assert "revoked" in site.run("service-accounts", "list", PROJECT).stdout
    finally:
        first.close()
        second.close()


def test_a_disabled_account_is_not_signed_in(site, api, backend, nothing_is_written):
    columns = "project_id, account_id, valid_since, created_at, disabled"
    site.rows(f"INSERT INTO accounts ({columns}) VALUES (%s, 'off', 'epoch', now(), true)", PROJECT)
    try:
        assert_error(sign_in(api, backend.admin_token("off")), "USER_DISABLED")
    finally:
        site.rows("DELETE FROM accounts WHERE account_id = 'off'")


def test_times_with_a_fraction_are_read(api, backend):
    now = time.time()
    assert sign_in(api, backend.token("fraction", iat=int(now) - 0.5, exp=int(now) + 600.75)).status_code == 200


def test_SEC_05_a_project_may_take_each_token_once():
    with a_site(project={"customTokens": {"singleUse": True}}) as site:
        api = site.serve().api(API_KEY)
        backend = Backend(make_key(site))
        try:
            token = backend.admin_token("once")
            answers = together(50, lambda _: sign_in(api, token))
            assert sorted(answer.status_code for answer in answers) == [200] + [400] * 49
            assert_error(sign_in(api, token), "INVALID_CUSTOM_TOKEN")
            assert site.counts() == {"accounts": 1, "identities": 0, "sessions": 1}
            assert sign_in(api, backend.admin_token("once", {"second": True})).status_code == 200
        finally:
            backend.close()
