"""Firebase's Admin SDK in emulator mode, against a server as `make run` configures it; and the unsigned custom tokens that the SDK makes
then, which count for the development project on this machine alone (SEC-22)."""

import json
import time

import firebase_admin
import jwt
import pytest
from firebase_admin import auth

from support.clients.api import API, assert_error, posted
from support.jwts import CUSTOM_TOKEN_AUDIENCE, b64, unsigned
from support.leaks import note
from support.names import API_KEY, OTHER, PRODUCTION, PROJECT
from support.servers.make_run import MakeRun
from support.servers.site import Site

EMULATOR = "firebase-auth-emulator@example.com"


@pytest.fixture(scope="module")
def run():
    site = MakeRun(PROJECT, others={"other": OTHER})
    site.serve()
    yield site
    site.close()


@pytest.fixture
def admin(run, monkeypatch):
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", f"127.0.0.1:{run.port}")
    app = firebase_admin.initialize_app(options={"projectId": PROJECT}, name="emulator mode")
    yield app
    firebase_admin.delete_app(app)


def claims(uid="victim", **changes):
    now = int(time.time())
    claims = {"iss": EMULATOR, "sub": EMULATOR, "aud": CUSTOM_TOKEN_AUDIENCE, "uid": uid, "iat": now, "exp": now + 3600, **changes}
    return {name: value for name, value in claims.items() if value is not ...}


def token(uid="victim", **changes):
    return note(unsigned(claims(uid, **changes), {"alg": "none"}))


def sign_in(site, token, key="any-key", **headers):
    api = API(site.url + "/identitytoolkit.googleapis.com", key)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.post("/v1/accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True}, headers=headers)


def test_the_SDK_verifies_what_the_server_issues(run, admin):
    made = API(run.url, "any-key").succeed("signUp", {"returnSecureToken": True})
    verified = auth.verify_id_token(made["idToken"], app=admin)
    assert verified["uid"] == made["localId"] and verified["aud"] == PROJECT


def test_the_SDKs_own_custom_token_signs_in(run, admin):
    text = note(auth.create_custom_token("customer-7", {"role": "admin"}, app=admin).decode())
    assert text.endswith("."), "it is not signed"
    answer = sign_in(run, text)
    assert answer.status_code == 200, answer.text
    assert answer.json()["isNewUser"] is True
    verified = auth.verify_id_token(answer.json()["idToken"], app=admin)
    assert (verified["uid"], verified["role"]) == ("customer-7", "admin")
    account = API(run.url).lookup(answer.json()["idToken"])
    assert account["localId"] == "customer-7" and account["customAuth"] is True
    assert sign_in(run, token("customer-7"), origin="http://localhost:5173", sec_fetch_site="cross-site").json()["isNewUser"] is False


@pytest.mark.parametrize("provider, name", [("google.com", "id_token"), ("github.com", "access_token")])
def test_the_SDK_sees_who_was_made_up(run, admin, provider, name):
    token = json.dumps({"sub": f"{provider}-1", "email": f"{name}@example.com", "email_verified": True, "name": "Ada"})
    made = posted(API(run.url, "any-key"), {"providerId": provider, name: token}).json()
    verified = auth.verify_id_token(made["idToken"], app=admin)
    assert (verified["uid"], verified["name"], verified["email_verified"]) == (made["localId"], "Ada", True)
    assert verified["firebase"]["sign_in_provider"] == provider
    assert verified["firebase"]["identities"] == {provider: [f"{provider}-1"], "email": [f"{name}@example.com"]}


FOREIGN = [
    {"x_forwarded_for": "203.0.113.9"},
    {"forwarded": "for=127.0.0.1"},
    {"via": "1.1 tunnel"},
    {"host": "rebound.example.com"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"sec_fetch_site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_SEC_22_an_unsigned_token_counts_from_this_machine_alone(run, headers):
    before = run.counts()
    assert_error(sign_in(run, token(), API_KEY, **headers), "INVALID_CUSTOM_TOKEN")
    assert run.counts() == before


def test_SEC_22_an_unsigned_token_counts_for_the_development_project_alone(run):
    before = run.counts()
    assert_error(sign_in(run, token(), "other-api-key"), "INVALID_CUSTOM_TOKEN")
    assert run.counts() == before


@pytest.mark.parametrize("settings", [{}, PRODUCTION], ids=["development", "production"])
def test_SEC_22_without_a_development_project_no_unsigned_token_counts(settings):
    project = {"redirectURLs": [], "authorizedDomains": ["auth.example.com", "localhost", "app.example.com"]} if settings else {}
    site = Site(settings=settings, project=project)
    try:
        site.serve()
        assert_error(sign_in(site, token(), API_KEY), "INVALID_CUSTOM_TOKEN")
        assert site.counts() == {"accounts": 0, "identities": 0, "sessions": 0}
    finally:
        site.close()


def hostile():
    """Unsigned tokens, and partly unsigned ones, that are not valid in development mode either."""
    now = int(time.time())
    body = b64(claims())
    yield "signed with something", f"{b64({'alg': 'none'})}.{body}.{b64(b'signature')}"
    yield "two parts", f"{b64({'alg': 'none'})}.{body}"
    yield "four parts", f"{b64({'alg': 'none'})}.{body}.."
    yield "RS256 without a signature", unsigned(claims(), {"alg": "RS256"})
    yield "another spelling", unsigned(claims(), {"alg": "None"})
    yield "alg twice", b64(b'{"alg":"none","alg":"none"}') + f".{body}."
    yield "crit", unsigned(claims(), {"alg": "none", "crit": ["b64"]})
    yield "padded", f"{b64({'alg': 'none'})}.{body}=."
    yield "HS256", jwt.encode(claims(), "x" * 32, "HS256")
    yield "another audience", token(aud=PROJECT)
    yield "no audience", token(aud=...)
    yield "sub of somebody", token(sub="victim")
    yield "expired", token(iat=now - 3600, exp=now - 120)
    yield "of the future", token(iat=now + 300, exp=now + 900)
    yield "longer than an hour", token(exp=now + 7200)
    yield "a long uid", token("a" * 129)
    yield "long", token(claims={"a": "x" * 20_000})


def test_SEC_22_unsigned_tokens_keep_every_other_rule(run):
    before = run.counts()
    for what, text in hostile():
        try:
            assert_error(sign_in(run, note(text)), "INVALID_CUSTOM_TOKEN")
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None
    assert_error(sign_in(run, token("")), "MISSING_IDENTIFIER")
    assert_error(sign_in(run, token(tenant_id="t")), "TENANT_NOT_FOUND")
    assert_error(sign_in(run, token(claims={"aud": "x"})), "FORBIDDEN_CLAIM : aud")
    assert run.counts() == before


def test_test_suites_meet_no_limits(run):
    """More sign-ups, mails and deletions than production lets one address have in an hour."""
    api = API(run.url, "any-key")
    for number in range(101):
        user = api.succeed("signUp", {"email": f"seed-{number}@example.com", "password": "correct horse"})
        # At once: on a slow machine the rest may take longer than a sign-in counts as recent.
        if number < 61:
            api.succeed("delete", {"idToken": user["idToken"]})
    for _ in range(6):
        api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "seed-100@example.com"})
        api.succeed("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    assert run.value("SELECT count(*) FROM rate_limits") == 0


def test_limits_can_be_switched_on_in_development():
    site = Site(project={"signIn": {"anonymous": True}, "limits": {"defaults": True, "signUp": {"perAddress": "2 per 1h"}}})
    try:
        api = site.serve().api()
        answers = [api.call("signUp", {}).status_code for _ in range(3)]
        assert answers == [200, 200, 400]
        assert site.value("SELECT count(*) FROM rate_limits") == 1
    finally:
        site.close()
