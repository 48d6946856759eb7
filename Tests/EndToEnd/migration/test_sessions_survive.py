"""People who are signed in at Firebase stay signed in when the app is pointed here: the calls are those that the SDKs send.

M4 to M7 and SEC-51 to SEC-53 of `docs/migrate/sessions.md`, against a double of Google at its own names.
"""

import secrets
import time

import pytest
import requests
from werkzeug.wrappers import Response

from support.clients.api import assert_error
from support.harness import free_port, together, wait_until
from support.jwts import claims, foreign_key
from support.migration.moving_site import MovingSite
from support.names import TIMEOUT

DAY = 86_400
EXCHANGES = 'gatehouse_migration_exchanges_total{project="demo",outcome="%s"}'


def refreshed(api, token):
    answer = api.refresh(token)
    assert answer.status_code == 200, answer.text
    return answer.json()


def without_json(answer):
    """A 503 that SDKs take for a failure of the network, so that nobody is signed out."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"].startswith("text/plain") and answer.headers["retry-after"]
    return True


# -- M4: still signed in


def test_a_person_who_was_signed_in_at_firebase_stays_signed_in(moving, firebase, api):
    moving.move("ada", email="ada@example.com", emailVerified=True)
    kept = firebase.sign_in("ada", ago=20 * 3600)
    # At start, the SDK sends the ID token that it has kept.
    assert api.lookup(kept["idToken"])["localId"] == "ada"
    first = refreshed(api, kept["refreshToken"])
    assert first["user_id"] == "ada" and api.lookup(first["id_token"])["email"] == "ada@example.com"
    told = claims(first["id_token"])
    assert told["auth_time"] == claims(kept["idToken"])["auth_time"] and told["firebase"]["sign_in_provider"] == "password"
    # From now on nothing of Google's is needed.
    second = refreshed(api, first["refresh_token"])
    assert refreshed(api, second["refresh_token"])["user_id"] == "ada"
    assert firebase.count("refresh") == 1
    rows = moving.rows("SELECT bridged, sign_in_provider FROM sessions WHERE account_id = 'ada'")
    assert rows == [(True, "password")]
    assert moving.rows("SELECT action FROM audit_events WHERE account_id = 'ada' AND actor_kind = 'person'") == [("session.bridged",)]
    wait_until(lambda: (moving.servers[0].metric(EXCHANGES % "exchanged") or 0) >= 1, what="the metric")
    page = requests.get(moving.servers[0].url + "/emulator/projects/demo/overview", timeout=TIMEOUT)
    assert "A session of Firebase goes on here." in page.text, page.text


def test_an_answer_that_was_lost_is_given_again_without_google(moving, firebase, api):
    moving.move("bea")
    kept = firebase.sign_in("bea", ago=DAY // 2)["refreshToken"]
    first = refreshed(api, kept)
    assert refreshed(api, kept)["refresh_token"] == first["refresh_token"]
    assert firebase.count("refresh") == 1


def test_second_factor_and_claims_of_a_custom_token_stay(moving, firebase, api):
    moving.move("cyd", customAttributes='{"admin": true}')
    kept = firebase.sign_in("cyd", "custom", second_factor="phone", claims={"plan": "gold"})
    told = claims(refreshed(api, kept["refreshToken"])["id_token"])
    assert told["firebase"]["sign_in_second_factor"] == "phone" and told["firebase"]["second_factor_identifier"] == "factor-1"
    # What an administrator gave the person there is no claim of the custom token: here, the account has none.
    assert told["plan"] == "gold" and "admin" not in told


# -- M5: one session, and its end


def test_SEC_53_fifty_exchanges_on_two_processes_make_one_session(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module)
    try:
        servers = [site.serve(), site.serve(free_port())]
        site.move("ada")
        kept = firebase.sign_in("ada", ago=DAY // 2)["refreshToken"]
        answers = together(50, lambda number: servers[number % 2].api().refresh(kept))
        assert all(answer.status_code == 200 for answer in answers), {answer.text for answer in answers if answer.status_code != 200}
        assert len({answer.json()["refresh_token"] for answer in answers}) == 1
        assert site.value("SELECT count(*) FROM sessions") == 1
        assert site.value("SELECT count(*) FROM audit_events WHERE action = 'session.bridged'") == 1
        # One question for each process at most.
        assert firebase.count("refresh") <= 2
    finally:
        site.close()


def test_SEC_53_used_long_after_its_successor_it_ends_the_session(moving, firebase, api):
    moving.move("dot")
    kept = firebase.sign_in("dot", ago=DAY // 2)["refreshToken"]
    first = refreshed(api, kept)
    second = refreshed(api, first["refresh_token"])
    moving.rows("UPDATE sessions SET rotated_at = rotated_at - interval '1 hour' WHERE account_id = 'dot'")
    assert_error(api.refresh(kept), "TOKEN_EXPIRED")
    assert_error(api.refresh(second["refresh_token"]), "TOKEN_EXPIRED")
    assert moving.servers[0].logged("a used refresh token came back")


def test_SEC_53_a_session_that_was_revoked_and_cleaned_up_is_not_made_again(moving, firebase, api):
    moving.move("eda")
    kept = firebase.sign_in("eda", ago=DAY // 2)["refreshToken"]
    refreshed(api, kept)
    moving.administrator.succeed("update", {"localId": "eda", "disableUser": True})
    moving.administrator.succeed("update", {"localId": "eda", "disableUser": False})
    moving.rows("UPDATE sessions SET ended_at = ended_at - interval '31 days' WHERE account_id = 'eda'")
    # A clean-up runs soon after each start.
    spent = "\\x" + "01" * 16
    moving.rows("INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES ('demo', %s, now() - interval '1 day')", spent)
    server = moving.serve(free_port())
    try:
        wait_until(lambda: moving.value("SELECT count(*) FROM spent_tokens WHERE token_id = %s", spent) == 0, what="the clean-up")
        assert_error(api.refresh(kept), "TOKEN_EXPIRED")
    finally:
        server.stop()
        moving.servers.remove(server)
    assert firebase.count("refresh") == 1


def test_SEC_53_disabled_deleted_or_secured_here_it_opens_nothing(moving, firebase, api):
    for uid in ("fay", "gil", "hal"):
        moving.move(uid, email=f"{uid}@example.com", password="a first password")
    kept = {uid: firebase.sign_in(uid, ago=DAY // 2) for uid in ("fay", "gil", "hal")}
    moving.administrator.succeed("update", {"localId": "fay", "disableUser": True})
    assert_error(api.refresh(kept["fay"]["refreshToken"]), "USER_DISABLED")
    assert_error(api.call("lookup", {"idToken": kept["fay"]["idToken"]}), "USER_DISABLED")
    moving.administrator.succeed("delete", {"localId": "gil"})
    assert_error(api.refresh(kept["gil"]["refreshToken"]), "USER_NOT_FOUND")
    signed_in = api.succeed("signInWithPassword", {"email": "hal@example.com", "password": "a first password"})
    api.succeed("update", {"idToken": signed_in["idToken"], "password": "a second password"})
    assert_error(api.refresh(kept["hal"]["refreshToken"]), "TOKEN_EXPIRED")
    assert_error(api.call("lookup", {"idToken": kept["hal"]["idToken"]}), "TOKEN_EXPIRED")


# -- M6: an ID token is no session


def test_SEC_51_an_ID_token_of_googles_never_becomes_a_session(moving, firebase, api):
    moving.move("kit", email="kit@example.com", emailVerified=True, password="a first password")
    token = firebase.sign_in("kit", ago=3600)["idToken"]
    before = moving.counts()["sessions"]
    assert api.lookup(token)["localId"] == "kit"
    for name, body in {
        "update": {"idToken": token, "password": "a second password"},
        "signUp": {"idToken": token, "email": "kit@example.com", "password": "a second password"},
        "signInWithIdp": {"idToken": token, "requestUri": "http://localhost", "postBody": "id_token=a.b.c&providerId=google.com"},
        "delete": {"idToken": token},
        "signInWithEmailLink": {"idToken": token, "email": "kit@example.com", "oobCode": "no code"},
        "signInWithCustomToken": {"token": token},
    }.items():
        answer = api.call(name, {**body, "returnSecureToken": True})
        assert answer.status_code == 400 and "refreshToken" not in answer.json(), f"{name} {answer.text}"
    assert_error(api.call("update", {"idToken": token, "password": "a second password"}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert_error(api.refresh(token), "INVALID_REFRESH_TOKEN")
    cookie = requests.post(
        f"{moving.url}/v1/projects/demo:createSessionCookie",
        json={"idToken": token, "validDuration": "600"},
        headers={"authorization": f"Bearer {moving.administrator.token}"},
        timeout=TIMEOUT,
    )
    assert_error(cookie, "INVALID_ID_TOKEN")
    assert moving.counts()["sessions"] == before and firebase.count("refresh") == 0


# -- SEC-52: one Firebase project, for a time


def test_SEC_52_only_tokens_of_the_project_in_the_file_count(moving, firebase, api):
    moving.move("lea")
    kept = firebase.sign_in("lea")
    session = firebase.sessions[kept["refreshToken"]]
    for changes in (
        {"aud": "acme-test", "iss": "https://securetoken.google.com/acme-test"},
        {"aud": "demo"},
        {"iss": "https://session.firebase.google.com/acme-prod"},
        {"sub": "eve"},
        {"firebase": {"sign_in_provider": "password", "tenant": "customers"}},
        {"auth_time": int(time.time()) + 600},
    ):
        assert_error(api.call("lookup", {"idToken": firebase.id_token(session, **changes)}), "INVALID_ID_TOKEN")
    assert_error(api.call("lookup", {"idToken": firebase.id_token(session, foreign_key("google-1"))}), "INVALID_ID_TOKEN")
    assert_error(api.call("lookup", {"idToken": firebase.id_token(session, foreign_key("google-9"))}), "INVALID_ID_TOKEN")
    assert_error(api.call("lookup", {"idToken": firebase.id_token(session, exp=int(time.time()) - 5)}), "TOKEN_EXPIRED")
    # Another number is another project, whatever its id: a fault of the configuration, not of the person.
    firebase.number += 1
    try:
        assert without_json(api.refresh(kept["refreshToken"]))
    finally:
        firebase.number -= 1
    tenant = firebase.sign_in("lea", tenant="customers")["refreshToken"]
    assert_error(api.refresh(tenant), "INVALID_REFRESH_TOKEN")
    assert refreshed(api, kept["refreshToken"])["user_id"] == "lea"


def test_SEC_52_it_ends_at_its_time_without_a_restart_and_serves_no_other_project(firebase_of_module, firebase):
    other = {"project": "other", "number": 8, "apiKeys": ["other-key"], "authorizedDomains": ["localhost"]}
    site = MovingSite(firebase_of_module, others={"other": other})
    try:
        api = site.serve().api()
        site.move("ada")
        kept, late = firebase.sign_in("ada"), firebase.sign_in("ada")
        keys = f"{site.url}/demo/.well-known/firebase-keys"
        ours = requests.get(f"{site.url}/demo/oauth2/jwks", timeout=TIMEOUT).json()["keys"]
        union = requests.get(keys, timeout=TIMEOUT).json()["keys"]
        assert {key["kid"] for key in union} == {key["kid"] for key in ours} | {"google-1"}
        certificates = requests.get(f"{keys}?format=x509", timeout=TIMEOUT).json()
        assert certificates["google-1"].startswith("-----BEGIN CERTIFICATE-----") and len(certificates) > 1
        assert requests.get(f"{keys}?format=pem", timeout=TIMEOUT).status_code == 400
        assert requests.get(f"{site.url}/other/.well-known/firebase-keys", timeout=TIMEOUT).status_code == 404
        google_shaped = f"{site.url}/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        assert "google-1" not in requests.get(google_shaped, timeout=TIMEOUT).text
        elsewhere = site.servers[0].api("other-key")
        assert_error(elsewhere.call("lookup", {"idToken": kept["idToken"]}), "INVALID_ID_TOKEN")
        assert_error(elsewhere.refresh(kept["refreshToken"]), "INVALID_REFRESH_TOKEN")
        first = refreshed(api, kept["refreshToken"])
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 5))
        site.project["migration"]["firebase"]["until"] = until
        site.reload({})
        wait_until(lambda: requests.get(keys, timeout=TIMEOUT).status_code == 404, what="the end of the window")
        assert_error(api.call("lookup", {"idToken": late["idToken"]}), "INVALID_ID_TOKEN")
        assert_error(api.refresh(late["refreshToken"]), "INVALID_REFRESH_TOKEN")
        assert refreshed(api, first["refresh_token"])["user_id"] == "ada"
    finally:
        site.close()


# -- M7: Google has troubles


@pytest.mark.parametrize(
    "answer, outcome",
    [
        (Response("busy", 503), "unavailable"),
        (Response('{"error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}', 429), "unavailable"),
        (Response("<html>", 200), "unavailable"),
        (Response('{"error":{"code":403,"message":"The API key was revoked."}}', 403), "misconfigured"),
        (Response('{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}', 400), "misconfigured"),
        (Response('{"error":{"code":400,"message":"PROJECT_NUMBER_MISMATCH"}}', 400), "misconfigured"),
    ],
    ids=["down", "throttled", "no JSON", "key revoked", "key unknown", "other number"],
)
def test_nobody_is_signed_out_while_google_has_troubles(moving, firebase, api, answer, outcome):
    uid = f"ivy-{secrets.token_hex(4)}"
    moving.move(uid)
    kept = firebase.sign_in(uid)["refreshToken"]
    before = moving.servers[0].metric(EXCHANGES % outcome) or 0
    firebase.trouble["refresh"] = answer
    assert without_json(api.refresh(kept))
    wait_until(lambda: (moving.servers[0].metric(EXCHANGES % outcome) or 0) == before + 1, what="the metric")
    firebase.trouble.clear()
    assert refreshed(api, kept)["user_id"] == uid


@pytest.mark.parametrize("code", ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"])
def test_what_google_says_of_the_person_reaches_the_app(moving, firebase, api, code):
    moving.move(f"jan-{code.lower()}")
    kept = firebase.sign_in(f"jan-{code.lower()}")["refreshToken"]
    firebase.trouble["refresh"] = Response(f'{{"error":{{"code":400,"message":"{code}"}}}}', 400)
    assert_error(api.refresh(kept), code)


def test_a_person_whom_nobody_moved_is_unknown(moving, firebase, api):
    firebase.accounts.add("stranger")
    kept = firebase.sign_in("stranger")
    assert_error(api.refresh(kept["refreshToken"]), "USER_NOT_FOUND")
    assert_error(api.call("lookup", {"idToken": kept["idToken"]}), "USER_NOT_FOUND")


def test_many_tokens_of_one_address_wait(firebase_of_module, firebase):
    limits = {"migrateSession": {"perAddress": "2 per 1h"}}
    site = MovingSite(firebase_of_module, project={"limits": {"defaults": False, **limits}})
    try:
        api = site.serve().api()
        site.move("ada")
        for _ in range(2):
            refreshed(api, firebase.sign_in("ada")["refreshToken"])
        assert without_json(api.refresh(firebase.sign_in("ada")["refreshToken"]))
        assert firebase.count("refresh") == 2
    finally:
        site.close()
