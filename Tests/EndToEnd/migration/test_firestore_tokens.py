"""People whose data stays at Firebase get at it: the call of an app, the rules of Google for what it answers, and what ends it.

M9 and SEC-59 of `docs/migrate/firestore.md`, against a double of Google at its own names.
"""

import time

import jwt
import pytest
import requests
from werkzeug.wrappers import Response

from support.accounts import sign_up
from support.clients.api import assert_error
from support.jwts import CUSTOM_TOKEN_AUDIENCE, claims
from support.leaks import logs
from support.migration.data_site import DataSite, trade
from support.migration.mirrored import Mirrored
from support.names import TIMEOUT
from support.servers.site import GENEROUS

CLAIMS = ["role", "plan", "gh_provider", "gh_mfa"]


@pytest.fixture(scope="module")
def data_of_module(firebase_of_module):
    # In development mode only the limits of the file apply.
    site = DataSite(firebase_of_module, CLAIMS, {"limits": {**GENEROUS, "firestoreToken": {"perAccount": "30 per 10m"}}})
    site.serve()
    yield site
    site.close()


@pytest.fixture
def data(data_of_module, firebase):
    """The site, with one server."""
    return data_of_module


@pytest.fixture
def api(data):
    return data.servers[0].api()


def custom_token(api, id_token):
    answer = api.succeed("createFirebaseToken", {"idToken": id_token})
    assert set(answer) == {"customToken", "expiresIn"} and answer["expiresIn"] == "300"
    return answer["customToken"]


def refused(api, id_token, code):
    return assert_error(api.call("createFirebaseToken", {"idToken": id_token}), code)


# -- M9: what the token is


def test_firebase_takes_the_token_for_the_same_person(data, firebase, api):
    ada = sign_up(api)
    token = custom_token(api, ada["idToken"])
    signer = firebase.signer
    told = jwt.decode(token, signer.key.public_pem(), ["RS256"], audience=CUSTOM_TOKEN_AUDIENCE, issuer=signer.email)
    assert told["uid"] == ada["localId"] and told["sub"] == signer.email
    assert told["exp"] - told["iat"] == 300
    assert jwt.get_unverified_header(token) == {"alg": "RS256", "kid": signer.key.kid, "typ": "JWT"}
    answer = trade(firebase, token)
    assert answer.status_code == 200, answer.text
    googles = claims(answer.json["idToken"])
    assert googles["sub"] == ada["localId"] and googles["aud"] == firebase.project_id and answer.json["isNewUser"]
    assert googles["firebase"]["sign_in_provider"] == "custom" and googles["gh_provider"] == "password"
    # At the next start it is the same person.
    assert not trade(firebase, custom_token(api, ada["idToken"])).json["isNewUser"]


def test_only_the_claims_that_the_file_lists_leave_this_server(data, firebase, api):
    data.move("bea", customAttributes='{"admin": true}')
    data.administrator.succeed("update", {"localId": "bea", "customAttributes": '{"role":"editor","salary":1,"gh_mfa":"totp"}'})
    kept = firebase.sign_in("bea", "custom", second_factor="phone", claims={"plan": "gold", "secret": "s"})
    id_token = api.refresh(kept["refreshToken"]).json()["id_token"]
    assert {"salary", "secret"} <= set(claims(id_token))
    told = claims(custom_token(api, id_token))
    assert told["claims"] == {"role": "editor", "plan": "gold", "gh_provider": "custom", "gh_mfa": "phone"}
    assert trade(firebase, custom_token(api, id_token)).status_code == 200
    # What an administrator takes away is gone at once, though the ID token still has it.
    data.administrator.succeed("update", {"localId": "bea", "customAttributes": '{"gh_mfa":"totp"}'})
    assert "role" in claims(id_token)
    assert set(claims(custom_token(api, id_token))["claims"]) == {"plan", "gh_provider", "gh_mfa"}


def test_the_claim_of_a_second_factor_is_ours_alone(data, api):
    person = sign_up(api)
    data.administrator.succeed("update", {"localId": person["localId"], "customAttributes": '{"gh_mfa":"totp","gh_provider":"x"}'})
    assert claims(custom_token(api, person["idToken"]))["claims"] == {"gh_provider": "password"}


# -- who gets none


def test_disabled_signed_out_or_deleted_a_person_gets_none(data, api):
    for change, code in (({"disableUser": True}, "USER_DISABLED"), ({"validSince": "4000000000"}, "TOKEN_EXPIRED")):
        person = sign_up(api)
        custom_token(api, person["idToken"])
        data.administrator.succeed("update", {"localId": person["localId"], **change})
        refused(api, person["idToken"], code)
    person = sign_up(api)
    data.rows("UPDATE sessions SET ended_at = now(), end_reason = 'test' WHERE account_id = %s", person["localId"])
    refused(api, person["idToken"], "TOKEN_EXPIRED")
    person = sign_up(api)
    data.administrator.succeed("delete", {"localId": person["localId"]})
    refused(api, person["idToken"], "USER_NOT_FOUND")


def test_SEC_59_googles_ID_token_gets_none_while_people_move_here(data, firebase, api):
    data.move("cyd")
    kept = firebase.sign_in("cyd")
    assert api.lookup(kept["idToken"])["localId"] == "cyd"
    refused(api, kept["idToken"], "INVALID_ID_TOKEN")
    assert claims(custom_token(api, api.refresh(kept["refreshToken"]).json()["id_token"]))["uid"] == "cyd"


def test_an_account_gets_thirty_in_ten_minutes(data, api):
    person, other = sign_up(api), sign_up(api)
    for _ in range(30):
        custom_token(api, person["idToken"])
    refused(api, person["idToken"], "TOO_MANY_ATTEMPTS_TRY_LATER")
    custom_token(api, other["idToken"])


def test_a_project_without_data_at_firebase_says_so(moving, firebase):
    api = moving.servers[0].api()
    told = refused(api, sign_up(api)["idToken"], "OPERATION_NOT_ALLOWED")
    assert "firestore" in told
    assert_error(api.call("createFirebaseToken", {}), "MISSING_ID_TOKEN")


def test_pages_may_call_it(data):
    headers = {"origin": "https://app.example.com", "access-control-request-method": "POST"}
    url = data.servers[0].url + "/v1/accounts:createFirebaseToken"
    answer = requests.options(url, headers={**headers, "access-control-request-headers": "content-type"}, timeout=TIMEOUT)
    assert answer.status_code in (200, 204) and answer.headers["access-control-allow-origin"] == headers["origin"]


# -- what ends here ends there


def test_M9_google_ends_the_session_of_a_person_who_is_disabled_signed_out_or_deleted_here(data, firebase, api):
    mirrored = Mirrored(data)
    person, other = sign_up(api), sign_up(api)
    trade(firebase, custom_token(api, person["idToken"]))
    uid = person["localId"]
    before = int(mirrored.people[uid]["validSince"])
    data.administrator.succeed("update", {"localId": uid, "validSince": "4000000000"})
    mirrored.copy()
    assert int(mirrored.people[uid]["validSince"]) > before
    data.administrator.succeed("update", {"localId": uid, "disableUser": True})
    mirrored.copy()
    there = mirrored.people[uid]
    # Nothing else of the account is Google's business, nor anyone who has no data there.
    assert there["disabled"] is True and "email" not in there and other["localId"] not in mirrored.people
    data.administrator.succeed("delete", {"localId": uid})
    mirrored.copy()
    assert uid not in mirrored.people


def test_M9_a_token_that_was_out_when_sessions_ended_gives_none_that_lasts(data, firebase, api):
    mirrored = Mirrored(data)
    revoked, deleted = sign_up(api), sign_up(api)
    tokens = {person["localId"]: custom_token(api, person["idToken"]) for person in (revoked, deleted)}
    data.administrator.succeed("update", {"localId": revoked["localId"], "validSince": str(int(time.time()))})
    data.administrator.succeed("delete", {"localId": deleted["localId"]})
    mirrored.copy()
    for token in tokens.values():
        assert trade(firebase, token).status_code == 200
    data.rows("UPDATE accounts SET valid_since = valid_since - interval '10 minutes' WHERE account_id = %s", revoked["localId"])
    kept = firebase.sessions_of(revoked["localId"])
    for session in kept:
        session["auth_time"] -= 600
    mirrored.copy(late=True)
    assert deleted["localId"] not in mirrored.people
    assert all(session["auth_time"] < int(mirrored.people[revoked["localId"]]["validSince"]) for session in kept)


# -- the keys


def test_SEC_59_a_back_end_cannot_have_the_key_that_signs(data, firebase, api):
    """Otherwise the token, which an ID token was traded for, would open a session here."""
    token = custom_token(api, sign_up(api)["idToken"])
    told = data.run("service-accounts", "import", "demo", data.folder / "projects/signer.json")
    assert told.returncode == 1 and f"{firebase.signer.email} signs for data at Firebase (firestore of demo)" in told.stderr
    assert_error(api.call("signInWithCustomToken", {"token": token}), "INVALID_CUSTOM_TOKEN")


def test_SEC_58_the_keys_are_in_no_row_no_log_and_no_answer(data, firebase, api):
    custom_token(api, sign_up(api)["idToken"])
    checked = data.run("check")
    seen = checked.stdout + checked.stderr + "".join(log.read_text(errors="replace") for log in logs if data.folder in log.parents)
    tables = [name for (name,) in data.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    seen += "".join(str(data.rows(f"SELECT t::text FROM {name} t")) for name in tables)
    keys = [account.key.private_pem().decode().splitlines()[1] for account in (firebase.signer, firebase.administrator)]
    assert "POST" in seen and not [key for key in keys if key in seen]


def test_live_asks_google_about_both_keys(firebase_of_module, firebase):
    site = DataSite(firebase_of_module)

    def live():
        result = site.run("check", "--live")
        return result.returncode, result.stdout

    try:
        status, told = live()
        assert status == 0 and "demo  firestore  ok" in told
        firebase.revoked_keys = {firebase.signer.key.kid}
        status, told = live()
        assert status == 1 and "Google does not know the key that signs custom tokens" in told and "download another key" in told
        firebase.revoked_keys = set()
        firebase.trouble["lookup"] = Response('{"error":{"code":403,"message":"The caller does not have permission"}}', 403)
        status, told = live()
        assert status == 1 and "cannot be ended by the administrator's key" in told and "Firebase Authentication Admin" in told
    finally:
        site.close()


def test_the_section_is_refused_without_the_administrator(firebase_of_module, firebase):
    site = DataSite(firebase_of_module)
    try:
        section = site.project["firestore"]
        site.project["firestore"] = {**section, "administrator": section["serviceAccount"]}
        site.write()
        assert "which is also administrator" in site.run("check").stdout
        del site.project["firestore"]["administrator"]
        site.write()
        told = site.run("check")
        assert told.returncode == 1 and "would keep Google's session" in told.stdout + told.stderr
    finally:
        site.close()
