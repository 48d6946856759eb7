"""Unmodified receivers of hooks: PyPI's `firebase-functions` and `standardwebhooks`, and the page of docs/hooks.md."""

import json
import re

import jwt
import pytest
import requests
import standardwebhooks

from support.accounts import address, person, sign_up
from support.clients.api import API, assert_error
from support.gateway import signing_secret
from support.harness import ROOT
from support.hooks.receiver import FUNCTIONS, Receiver
from support.leaks import note
from support.names import METHODS, TIMEOUT
from support.servers.site import Site

CERTIFICATES = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


def site_asking(hooks, *, providers=None, **project):
    """A served site with these hooks; each has the secret of the answer."""
    secret = signing_secret()
    entries = {name: {"secrets": {"env": "HOOK_SECRET"}, **entry} for name, entry in hooks.items()}
    site = Site(providers, project={"hooks": entries, "signIn": METHODS, "tokens": {"issuer": "firebase"}, **project})
    site.variables = {"HOOK_SECRET": secret}
    return site, secret


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})


@pytest.fixture(scope="module")
def functions(fake_issuer_of_session, tmp_path_factory):
    """A site whose hooks are functions, and their receiver."""
    site, _ = site_asking({}, providers={"oidc.fake": fake_issuer_of_session.entry()})
    receiver = Receiver(FUNCTIONS, tmp_path_factory.mktemp("receiver"), CERTIFICATES=site.url + CERTIFICATES, GOOGLE_CLOUD_PROJECT="demo")
    site.project["hooks"] = {
        name: {
            "url": f"{receiver.url}/{path}",
            "audience": f"https://hooks.example.com/{path}?for=run.app",
            "secrets": {"env": "HOOK_SECRET"},
            "forward": ["accessToken"],
        }
        for name, path in [("beforeCreate", "create"), ("beforeSignIn", "sign-in")]
    }
    site.write()
    site.serve()
    yield site, receiver
    receiver.close()
    site.close()


def test_unmodified_functions_decide_about_a_new_account_and_its_sign_in(functions):
    site, receiver = functions
    api = API(site.url)
    made = sign_up(api)
    claims = claims_of(made["idToken"])
    assert (claims["name"], claims["role"], claims["level"]) == ("Made by a function", "reader", 2), receiver.log.read_text()
    seen = claims["seen"]
    assert (seen["uid"], seen["method"], seen["address"], seen["providers"]) == (made["localId"], "password", "127.0.0.1", ["password"])
    assert api.lookup(made["idToken"])["displayName"] == "Made by a function"
    # What is the session's own stays with it.
    refreshed = claims_of(api.refresh(made["refreshToken"]).json()["id_token"])
    assert refreshed["seen"] == seen and refreshed["level"] == 2
    again = api.succeed("signInWithPassword", {"email": made["email"], "password": "correct horse", "returnSecureToken": True})
    assert claims_of(again["idToken"])["seen"]["event"] != seen["event"]


def test_a_function_refuses_in_the_words_that_sdks_read(functions):
    site, _ = functions
    email = "eve@blocked.example"
    refused = API(site.url).call("signUp", {"email": email, "password": "correct horse", "returnSecureToken": True})
    error = {"error": {"code": 403, "message": "Not with: this address.", "status": "PERMISSION_DENIED"}}
    text = "HTTP Cloud Function returned an error: " + json.dumps(error, separators=(",", ":"))
    assert assert_error(refused, "BLOCKING_FUNCTION_ERROR_RESPONSE") == f"BLOCKING_FUNCTION_ERROR_RESPONSE : {text}"
    assert site.value("SELECT count(*) FROM accounts WHERE email = %s", email) == 0


def test_functions_get_what_the_provider_said_and_the_token_that_is_forwarded(functions, fake_issuer_of_session):
    site, receiver = functions
    token = fake_issuer_of_session.id_token(person(), audience="gatehouse")
    body = {
        "postBody": f"providerId=oidc.fake&id_token={token}&access_token=opaque-token",
        "requestUri": "http://localhost",
        "returnSecureToken": True,
    }
    made = API(site.url).succeed("signInWithIdp", body)
    seen = claims_of(made["idToken"])["seen"]
    assert seen["method"] == "oidc.fake" and seen["profile"]["sub"] and seen["providers"] == ["oidc.fake"], receiver.log.read_text()


def test_SEC_59_functions_take_no_id_token_for_a_call_of_a_hook(functions):
    site, receiver = functions
    made = sign_up(API(site.url))
    for path in ("create", "sign-in"):
        answer = requests.post(f"{receiver.url}/{path}", json={"data": {"jwt": made["idToken"]}}, timeout=TIMEOUT)
        assert answer.status_code >= 400, answer.text


def test_standard_webhooks_verifies_and_the_token_is_signed_by_the_keys_of_id_tokens(gateway):
    gateway.answers = [(200, "{}")]
    site, secret = site_asking({"beforeSignIn": {"url": f"{gateway.url}/sign-in"}})
    try:
        site.serve()
        api = API(site.url)
        made = sign_up(api)
        (call,) = gateway.requests
        body = standardwebhooks.Webhook(secret).verify(call["body"], call["headers"])
        assert set(body) == {"data"} and set(body["data"]) == {"jwt"}
        token = note(body["data"]["jwt"])
        key = jwt.PyJWKClient(f"{site.url}/demo/oauth2/jwks").get_signing_key_from_jwt(token).key
        claims = jwt.decode(token, key, ["RS256"], audience=f"{gateway.url}/sign-in", issuer="https://securetoken.google.com/demo")
        assert claims["exp"] - claims["iat"] == 30 and claims["event_id"] == call["headers"]["webhook-id"]
        assert claims["sub"] == claims["user_record"]["uid"] == made["localId"] and jwt.get_unverified_header(token)["typ"] == "JWT"
        # It opens nothing here.
        assert_error(api.call("lookup", {"idToken": token}), "INVALID_ID_TOKEN")
        assert_error(api.call("signInWithCustomToken", {"token": token}), "INVALID_CUSTOM_TOKEN")
        assert api.refresh(token).status_code == 400
    finally:
        site.close()


def test_a_hook_of_a_tenant_learns_which_and_its_claims_stand_beside_the_tenant(gateway):
    records = (
        {"displayName": "Made by a hook", "updateMask": "displayName"},
        {"sessionClaims": {"desk": 7}, "updateMask": "sessionClaims"},
    )
    hooks = {name: {"url": gateway.url, "secrets": {"env": "HOOK_SECRET"}} for name in ("beforeCreate", "beforeSignIn")}
    site = Site(
        project={"hooks": hooks, "signIn": METHODS, "tokens": {"issuer": "firebase"}},
        tenants={"customer-a": {"signIn": METHODS}, "customer-b": {"signIn": METHODS}},
    )
    site.variables = {"HOOK_SECRET": signing_secret()}
    try:
        site.serve()
        api = API(site.url)
        body = {"email": address(), "password": "correct horse", "returnSecureToken": True}
        for tenant in ("customer-a", "customer-b", None):
            gateway.requests.clear()
            gateway.answers = [(200, json.dumps({"userRecord": record})) for record in records]
            made = api.succeed("signUp", {**body, "tenantId": tenant})
            asked = [claims_of(json.loads(call["body"])["data"]["jwt"]) for call in gateway.requests]
            assert [claims["event_type"] for claims in asked] == ["beforeCreate", "beforeSignIn"]
            for claims in asked:
                record = claims["user_record"]
                assert (claims.get("tenant_id"), record.get("tenant_id"), record["uid"]) == (tenant, tenant, made["localId"])
            claims = claims_of(made["idToken"])
            assert (claims["firebase"].get("tenant"), claims["desk"], claims["name"]) == (tenant, 7, "Made by a hook")
            refreshed = claims_of(api.refresh(made["refreshToken"]).json()["id_token"])
            assert (refreshed["firebase"].get("tenant"), refreshed["desk"]) == (tenant, 7)
        named = site.rows("SELECT DISTINCT project_id FROM accounts WHERE display_name = 'Made by a hook'")
        assert len(named) == 3
    finally:
        site.close()


def test_the_page_of_the_documentation_works_as_it_is_written(tmp_path):
    program = tmp_path / "page.py"
    program.write_text(re.search(r"```python\n(.*?)```", (ROOT / "docs/hooks.md").read_text(), re.DOTALL)[1])
    site, secret = site_asking({})
    receiver = Receiver(program, tmp_path, HOOK_SECRET=secret)
    try:
        site.project["hooks"] = {"beforeSignIn": {"url": receiver.url, "secrets": {"env": "HOOK_SECRET"}}}
        site.write()
        site.serve()
        made = sign_up(API(site.url), address())
        assert claims_of(made["idToken"])["desk"] == 7
        refused = API(site.url).call("signUp", {"email": "eve@elsewhere.example", "password": "correct horse", "returnSecureToken": True})
        assert "Only people of example.com may sign in." in assert_error(refused, "BLOCKING_FUNCTION_ERROR_RESPONSE")
        assert requests.post(receiver.url, json={"data": {"jwt": "a.b.c"}}, timeout=TIMEOUT).status_code == 401
    finally:
        receiver.close()
        site.close()
