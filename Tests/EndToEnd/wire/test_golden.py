"""The exact JSON of every call's answers, order of members included: see support/golden.py."""

import hashlib
import re

import pytest
import requests

from support import golden
from support.clients.administrator import Administrator
from support.clients.api import posted
from support.clients.emulator import ask
from support.harness import ROOT
from support.leaks import note
from support.migration.service_accounts import ServiceAccount
from support.names import API_KEY, METHODS, TIMEOUT
from support.servers.site import Site, write_secret

SIGNER, ADMINISTRATOR = ServiceAccount("firestore-signer", "acme-prod"), ServiceAccount("administrator", "acme-prod")
FIRESTORE = {
    "projectId": "acme-prod",
    "serviceAccount": {"file": f"../{SIGNER.key.kid}.json"},
    "administrator": {"file": f"../{ADMINISTRATOR.key.kid}.json"},
    "claims": ["gh_provider"],
}
TEST_NUMBERS = {"+16505550101": "123456", "+16505550102": "123456"}


@pytest.fixture(scope="module")
def place(doubles):
    site = Site(
        {name: doubles[name].entry() for name in ("oidc.fake", "apple.com")},
        project={"signIn": METHODS, "firestore": FIRESTORE, "phone": {"enabled": True, "testNumbers": TEST_NUMBERS}},
        others={
            "open": {
                "project": "open-project",
                "number": 2,
                "apiKeys": ["open-key"],
                "authorizedDomains": ["localhost"],
                "signIn": METHODS,
                "emailEnumerationProtection": False,
            }
        },
    )
    for account in (SIGNER, ADMINISTRATOR):
        write_secret(site.folder / f"{account.key.kid}.json", account.file())
    site.serve()
    yield site
    site.close()


@pytest.fixture(autouse=True)
def no_account_stays(place):
    """A test that fails in the middle leaves nothing to the next one."""
    yield
    assert ask(place, "DELETE", "/emulator/v1/projects/demo/accounts").status_code == 200


@pytest.fixture(scope="module")
def call(place):
    api, opened = place.servers[0].api(), place.servers[0].api("open-key")

    def one(name, method, body, *, key=None):
        response = (opened if key else api).post(method if method.startswith("/") else f"/v1/accounts:{method}", body)
        return golden.check(name, response, [(place.url, "<url>")])

    return one


@pytest.fixture(scope="module")
def get(place):
    def one(name, path, **query):
        return golden.check(name, requests.get(place.url + path, params={"key": API_KEY, **query}, timeout=TIMEOUT), [(place.url, "<url>")])

    return one


def test_a_password_account_from_sign_up_to_deletion(call):
    ada = {"email": "Ada@Example.com", "password": "correct horse"}
    call("signUp", "signUp", {**ada, "returnSecureToken": True})
    call("signUp.taken", "signUp", ada)
    call("signUp.weak", "signUp", {"email": "other@example.com", "password": "short"})
    signed_in = call("signInWithPassword", "signInWithPassword", ada)
    call("signInWithPassword.wrong", "signInWithPassword", {**ada, "password": "battery staple"})
    token = signed_in["idToken"]
    call("update.profile", "update", {"idToken": token, "displayName": "Ada", "photoUrl": "https://example.com/ada.png"})
    call("signInWithPassword.profile", "signInWithPassword", ada)
    call("lookup", "lookup", {"idToken": token})
    call("createFirebaseToken", "createFirebaseToken", {"idToken": token})
    call("token", "/v1/token", {"grantType": "refresh_token", "refreshToken": signed_in["refreshToken"]})
    call("lookup.refreshed", "lookup", {"idToken": token})
    changed = call("update.password", "update", {"idToken": token, "password": "battery staple", "returnSecureToken": True})
    token = changed["idToken"]
    call("update.unlinked", "update", {"idToken": token, "deleteProvider": ["password"]})
    call("lookup.bare", "lookup", {"idToken": token})
    call("delete", "delete", {"idToken": token})
    call("lookup.gone", "lookup", {"idToken": token})
    call("token.gone", "/v1/token", {"grantType": "refresh_token", "refreshToken": changed["refreshToken"]})


def test_a_phone_number_and_another_accounts(call):
    def code(name, number="+16505550101"):
        return {"sessionInfo": call(name, "sendVerificationCode", {"phoneNumber": number})["sessionInfo"], "code": "123456"}

    made = call("signInWithPhoneNumber", "signInWithPhoneNumber", code("sendVerificationCode"))
    call("sendVerificationCode.region", "sendVerificationCode", {"phoneNumber": "+4930123456"})
    call("sendVerificationCode.malformed", "sendVerificationCode", {"phoneNumber": "030 123456"})
    wrong = {**code("sendVerificationCode"), "code": "654321"}
    call("signInWithPhoneNumber.wrong", "signInWithPhoneNumber", wrong)
    call("lookup.phone", "lookup", {"idToken": made["idToken"]})
    guest = call("signUp.anonymous", "signUp", {"returnSecureToken": True})
    taken = call("signInWithPhoneNumber.taken", "signInWithPhoneNumber", {**code("sendVerificationCode"), "idToken": guest["idToken"]})
    proof = {"temporaryProof": taken["temporaryProof"], "phoneNumber": "+16505550101"}
    call("signInWithPhoneNumber.proof", "signInWithPhoneNumber", proof)
    call("signInWithPhoneNumber.spent", "signInWithPhoneNumber", proof)
    other = code("sendVerificationCode", "+16505550102")
    call("signInWithPhoneNumber.linked", "signInWithPhoneNumber", {**other, "idToken": guest["idToken"]})


def test_an_anonymous_account_and_its_upgrade(call):
    anonymous = call("signUp.anonymous", "signUp", {"returnSecureToken": True})
    call("lookup.anonymous", "lookup", {"idToken": anonymous["idToken"]})
    upgraded = call(
        "signUp.upgrade", "signUp", {"idToken": anonymous["idToken"], "email": "grace@example.com", "password": "correct horse"}
    )
    call("lookup.upgraded", "lookup", {"idToken": upgraded["idToken"]})


def test_a_new_address(call):
    made = call("signUp.open", "signUp", {"email": "old@example.com", "password": "correct horse"}, key="open")
    moved = call("update.email", "update", {"idToken": made["idToken"], "email": "new@example.com"}, key="open")
    call("lookup.moved", "lookup", {"idToken": moved["idToken"]}, key="open")
    call("signInWithPassword.unknown", "signInWithPassword", {"email": "old@example.com", "password": "correct horse"}, key="open")


def test_methods_of_an_address(call):
    who = {"identifier": "somebody@example.com", "continueUri": "http://localhost"}
    call("createAuthUri.protected", "createAuthUri", who)
    call("createAuthUri.unknown", "createAuthUri", who, key="open")
    call("signUp.somebody", "signUp", {"email": "somebody@example.com", "password": "correct horse"}, key="open")
    call("createAuthUri.known", "createAuthUri", who, key="open")


def test_a_sign_in_at_a_provider(place, call, fake_issuer):
    body = {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("ada")}
    answer = golden.check("signInWithIdp", posted(place.servers[0].api(), body), [(place.url, "<url>"), (fake_issuer.url, "<issuer>")])
    call("lookup.provider", "lookup", {"idToken": answer["idToken"]})


def test_a_revocation(place, call, apple):
    token = apple.id_token("ada", nonce=hashlib.sha256(note("a-raw-nonce-of-an-app").encode()).hexdigest())
    body = {"providerId": "apple.com", "id_token": token, "nonce": "a-raw-nonce-of-an-app"}
    person = posted(place.servers[0].api(), body).json()
    body = {"idToken": person["idToken"], "providerId": "apple.com", "tokenType": "CODE", "token": apple.native("ada")}
    call("revokeToken", "/v2/accounts:revokeToken", body)
    call("revokeToken.used", "/v2/accounts:revokeToken", body)


def test_what_apps_ask_before_a_sign_in(call, get):
    get("projects", "/v1/projects")
    get("projects.v3", "/identitytoolkit/v3/relyingparty/getProjectConfig")
    get("passwordPolicy", "/v2/passwordPolicy")
    get("recaptchaConfig", "/v2/recaptchaConfig", clientType="CLIENT_TYPE_WEB", version="RECAPTCHA_ENTERPRISE")
    get("recaptchaParams", "/v1/recaptchaParams")
    call("verifyIosClient", "verifyIosClient", {"appToken": "aa"})
    get("discovery", "/demo/.well-known/openid-configuration")


def test_what_administrators_do(place):
    administrator = Administrator(place)

    def administer(name, call, body=None):
        return golden.check(f"administrator.{name}", administrator.call(call, body), [(place.url, "<url>")])

    ada = {"localId": "ada", "email": "Ada@example.com", "emailVerified": True, "phoneNumber": "+441234567890", "displayName": "Ada"}
    administer("accounts", "", ada)
    administer("accounts.again", "", ada)
    administer("accounts.empty", "", {"localId": "bob"})
    identity = {"providerId": "google.com", "rawId": "123", "email": "ada@gmail.com", "displayName": "Ada L."}
    administer("update", "update", {"localId": "ada", "customAttributes": '{"admin":true}', "linkProviderUserInfo": identity})
    administer("update.disabled", "update", {"localId": "ada", "disableUser": True, "createdAt": 1600000000000})
    administer("lookup", "lookup", {"phoneNumber": ["+441234567890"]})
    administer("lookup.none", "lookup", {"localId": ["nobody"]})
    administer("batchGet", "batchGet?maxResults=2")
    administer("query", "query", {"expression": [{"userId": "ada"}]})
    administer("query.count", "query", {"returnUserInfo": False})
    link = {"requestType": "EMAIL_SIGNIN", "email": "grace@example.com", "returnOobLink": True}
    code = administer("sendOobCode", "sendOobCode", link)
    note(code["oobCode"])
    administer("batchDelete", "batchDelete", {"localIds": ["nobody", "ada"]})
    administer("delete", "delete", {"localId": "bob"})
    administer("delete.again", "delete", {"localId": "bob"})


def test_errors_of_every_kind(place):
    def post(name, path="/v1/accounts:signUp", data="{}", params={"key": API_KEY}, **headers):
        response = requests.post(place.url + path, data=data, params=params, headers=headers, timeout=TIMEOUT)
        golden.check(f"error.{name}", response)

    post("business", data='{"email":"x"}')
    post("noKey", params={})
    post("unknownKey", params={"key": "nobody"})
    post("bearer", authorization="Bearer owner")
    post("malformed", data='{"email":')
    post("wrongType", data='{"email":{}}')
    post("notFound", path="/v1/accounts:nothing")
    post("tenant", data='{"tenantId":"acme"}')
    golden.check("error.method", requests.get(place.url + "/v1/accounts:signUp", params={"key": API_KEY}, timeout=TIMEOUT))


def test_every_call_has_a_golden_file():
    names = {path.name.split(".")[0] for path in golden.FOLDER.glob("*.json")}
    calls = set()
    for path in (ROOT / "Sources/IdentityToolkit").glob("**/*.swift"):
        calls |= set(re.findall(r'Route(?:\.client)?\(\.\w+, "/v\d/(?:accounts:)?(\w+)"', path.read_text()))
    # A photo's bytes are not JSON, and keys differ from run to run.
    assert len(calls) > 10 and calls - {"providerPhoto", "sessionCookiePublicKeys"} <= names, "a call without a golden file"


def test_codes_in_mails(place, call):
    def code(kind):
        sent = requests.get(f"{place.url}/emulator/v1/projects/demo/oobCodes", timeout=TIMEOUT).json()["oobCodes"]
        return note(next(item["oobCode"] for item in reversed(sent) if item["requestType"] == kind))

    email = "carol@example.com"
    made = call("signUp.carol", "signUp", {"email": email, "password": "correct horse"})
    call("sendOobCode", "sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    call("sendOobCode.unknown", "sendOobCode", {"requestType": 1, "email": "nobody@example.com"})
    call("sendOobCode.verify", "sendOobCode", {"requestType": "4", "idToken": made["idToken"]})
    call("sendOobCode.missing", "sendOobCode", {})
    reset = code("PASSWORD_RESET")
    call("resetPassword.inspected", "resetPassword", {"oobCode": reset})
    call("update.verified", "update", {"oobCode": code("VERIFY_EMAIL")})
    call("resetPassword", "resetPassword", {"oobCode": reset, "newPassword": "battery staple"})
    call("resetPassword.used", "resetPassword", {"oobCode": reset, "newPassword": "battery staple"})
    link = {"requestType": "EMAIL_SIGNIN", "continueUrl": "https://app.example.com/", "canHandleCodeInApp": True}
    call("sendOobCode.link", "sendOobCode", {**link, "email": email})
    known = call("signInWithEmailLink", "signInWithEmailLink", {"email": email, "oobCode": code("EMAIL_SIGNIN")})
    call("sendOobCode.move", "sendOobCode", {"requestType": 7, "idToken": known["idToken"], "newEmail": "caroline@example.com"})
    change = code("VERIFY_AND_CHANGE_EMAIL")
    call("resetPassword.change", "resetPassword", {"oobCode": change})
    call("update.moved", "update", {"oobCode": change})
    call("update.recovered", "update", {"oobCode": code("RECOVER_EMAIL")})
    call("sendOobCode.stranger", "sendOobCode", {**link, "email": "dora@example.com"})
    fresh = call("signInWithEmailLink.new", "signInWithEmailLink", {"email": "dora@example.com", "oobCode": code("EMAIL_SIGNIN")})
    call("lookup.link", "lookup", {"idToken": fresh["idToken"]})
