"""People of Firebase whom no import has brought yet: `migration.firebase.unknownUsers`."""

import json
import os

import pytest
from werkzeug.wrappers import Response

from support.clients.api import assert_error
from support.harness import together, wait_until
from support.leaks import note
from support.migration.moving_site import MovingSite

PASSWORD, OTHER = note("the password at Firebase"), note("another password")
OUTAGES = {
    "down": Response("busy", 503),
    "throttled": Response('{"error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}', 429),
    "forbidden": Response('{"error":{"code":403,"message":"The caller does not have permission"}}', 403),
    "no JSON": Response("<html>", 200),
}


@pytest.fixture(scope="module")
def importing(firebase_of_module):
    project = {"emailEnumerationProtection": False}
    site = MovingSite(firebase_of_module, {"passwords": "changed", "unknownUsers": "import"}, project)
    site.serve()
    yield site
    site.close()


@pytest.fixture
def api(importing, firebase):
    return importing.servers[0].api()


def person(firebase, name="ada", **record):
    """Somebody whom only Firebase has."""
    uid = f"{name}-{os.urandom(4).hex()}"
    return firebase.accounts.add(uid, **{"email": f"{uid}@example.com", "emailVerified": True, "password": PASSWORD, **record})


def sign_in(api, record, password=PASSWORD):
    return api.call("signInWithPassword", {"email": record["email"], "password": password, "returnSecureToken": True})


def sign_up(api, record):
    return api.call("signUp", {"email": record["email"], "password": OTHER, "returnSecureToken": True})


def reset(api, record):
    return api.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": record["email"]})


def lookup(firebase, api, record):
    return api.call("lookup", {"idToken": firebase.sign_in(record["localId"])["idToken"]})


def refresh(firebase, api, record):
    return api.refresh(firebase.sign_in(record["localId"])["refreshToken"])


# The ways in and what each asks Google besides the record.
WAYS = {
    "ID token": lookup,
    "refresh token": refresh,
    "password": lambda firebase, api, record: sign_in(api, record),
    "sign-up": lambda firebase, api, record: sign_up(api, record),
    "reset": lambda firebase, api, record: reset(api, record),
}


def metric(site, outcome):
    return site.servers[0].metric(f'gatehouse_migration_imports_total{{project="demo",outcome="{outcome}"}}') or 0


def test_an_ID_token_brings_the_whole_record(importing, firebase, api):
    record = person(
        firebase,
        displayName="Ada",
        phoneNumber="+15555550142",
        customAttributes='{"plan": "gold"}',
        providerUserInfo=[{"providerId": "google.com", "rawId": "1234567", "email": "ada@gmail.example"}],
    )
    before = metric(importing, "imported")
    user = api.lookup(firebase.sign_in(record["localId"])["idToken"])
    assert user["localId"] == record["localId"] and user["displayName"] == "Ada" and user["emailVerified"]
    assert user["phoneNumber"] == "+15555550142" and user["customAttributes"] == '{"plan": "gold"}'
    assert user["createdAt"] == record["createdAt"] and user["validSince"] == record["validSince"]
    assert "google.com" in [entry["providerId"] for entry in user["providerUserInfo"]]
    # The next token costs Google nothing.
    assert lookup(firebase, api, record).status_code == 200 and firebase.count("lookup") == 1
    wait_until(lambda: metric(importing, "imported") == before + 1, what="the metric")
    events = importing.rows("SELECT actor_kind, action FROM audit_events WHERE account_id = %s", record["localId"])
    assert events == [("person", "account.imported")]


def test_a_refresh_token_brings_its_person_and_the_session_goes_on(firebase, api):
    record = person(firebase)
    answer = refresh(firebase, api, record)
    assert answer.status_code == 200 and answer.json()["user_id"] == record["localId"], answer.text
    assert api.refresh(answer.json()["refresh_token"]).status_code == 200 and firebase.count("refresh") == 1


def test_a_right_password_brings_its_person_and_is_kept(firebase, api):
    record = person(firebase)
    assert_error(sign_in(api, record, OTHER), "EMAIL_NOT_FOUND")
    answer = sign_in(api, record)
    assert answer.status_code == 200 and answer.json()["localId"] == record["localId"], answer.text
    asked = firebase.count("password"), firebase.count("lookup")
    assert sign_in(api, record).status_code == 200
    assert (firebase.count("password"), firebase.count("lookup")) == asked == (2, 1)


def test_a_sign_up_meets_the_account_that_firebase_has(importing, firebase, api):
    record = person(firebase)
    assert_error(sign_up(api, record), "EMAIL_EXISTS")
    assert importing.rows("SELECT account_id FROM accounts WHERE email = %s", record["email"]) == [(record["localId"],)]
    # The person signs in with the password that they have.
    assert sign_in(api, record).json()["localId"] == record["localId"]
    # An address that nobody has there is free.
    answer = sign_up(api, {"email": f"new-{os.urandom(4).hex()}@example.com"})
    assert answer.status_code == 200, answer.text


def test_a_reset_reaches_a_person_who_is_not_here_yet(importing, firebase, api):
    record = person(firebase)
    assert reset(api, record).status_code == 200
    assert importing.rows("SELECT account_id FROM accounts WHERE email = %s", record["email"]) == [(record["localId"],)]
    assert_error(reset(api, {"email": "stranger@example.com"}), "EMAIL_NOT_FOUND")


def test_a_person_who_is_disabled_there_is_disabled_here(firebase, api):
    record = person(firebase)
    kept = firebase.sign_in(record["localId"])
    record["disabled"] = True
    assert_error(api.call("lookup", {"idToken": kept["idToken"]}), "USER_DISABLED")


def test_a_session_that_was_revoked_there_opens_nothing(firebase, api):
    record = person(firebase)
    kept = firebase.sign_in(record["localId"], ago=7200)
    record["validSince"] = str(int(record["createdAt"]) // 1000 - 60)
    assert_error(api.call("lookup", {"idToken": kept["idToken"]}), "TOKEN_EXPIRED")


def test_SEC_55_a_second_factor_there_stays_one_here(importing, firebase, api):
    record = person(firebase, mfaInfo=[{"mfaEnrollmentId": "p", "phoneInfo": "+15551000001"}])
    before = importing.counts()["sessions"]
    firebase.trouble["password"] = Response('{"mfaPendingCredential":"pending","mfaInfo":[{"mfaEnrollmentId":"p"}]}', 200)
    waiting = sign_in(api, record).json()
    assert "idToken" not in waiting and waiting["mfaInfo"] == [{"mfaEnrollmentId": "p", "phoneInfo": "+*******0001"}]
    assert importing.counts()["sessions"] == before
    assert importing.value("SELECT second_factors IS NOT NULL FROM accounts WHERE account_id = %s", record["localId"])


def test_who_is_gone_there_is_unknown_here(firebase, api):
    record = person(firebase)
    token = firebase.sign_in(record["localId"])["idToken"]
    del firebase.accounts.people[record["localId"]]
    assert_error(api.call("lookup", {"idToken": token}), "USER_NOT_FOUND")


def test_who_was_deleted_here_does_not_come_back(importing, firebase, api):
    record = person(firebase)
    kept = firebase.sign_in(record["localId"])
    signed_in = sign_in(api, record).json()
    api.succeed("delete", {"idToken": signed_in["idToken"]})
    assert_error(api.call("lookup", {"idToken": kept["idToken"]}), "USER_NOT_FOUND")
    assert_error(api.refresh(kept["refreshToken"]), "USER_NOT_FOUND")
    assert_error(sign_in(api, record), "EMAIL_NOT_FOUND")
    assert_error(reset(api, record), "EMAIL_NOT_FOUND")
    # The address is theirs to use again.
    again = sign_up(api, record)
    assert again.status_code == 200 and again.json()["localId"] != record["localId"], again.text


def test_SEC_54_nobody_takes_an_address_or_a_number_that_is_here(importing, firebase, api):
    taken = person(firebase, "bea")
    importing.administrator.succeed("", {"localId": f"holder-{taken['localId']}", "email": taken["email"]})
    assert_error(lookup(firebase, api, taken), "USER_NOT_FOUND")
    assert_error(refresh(firebase, api, taken), "USER_NOT_FOUND")
    number = person(firebase, "cyd", phoneNumber="+15555550177")
    importing.administrator.succeed("", {"localId": f"holder-{number['localId']}", "phoneNumber": "+15555550177"})
    assert_error(sign_in(api, number), "USER_NOT_FOUND")
    # No other account gets the address of somebody whose record cannot be stored.
    assert_error(sign_up(api, number), "EMAIL_EXISTS")
    assert importing.servers[0].logged("an account of Firebase was not imported")


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize("way", WAYS)
def test_while_google_does_not_answer_nothing_is_decided(importing, firebase, api, way, outage):
    record = person(firebase)
    before = importing.counts()["accounts"]
    firebase.trouble["lookup"] = OUTAGES[outage]
    answer = WAYS[way](firebase, api, record)
    assert answer.status_code == 503 and answer.headers["content-type"].startswith("text/plain"), answer.text
    assert importing.counts()["accounts"] == before
    firebase.trouble.clear()
    answer = WAYS[way](firebase, api, record)
    assert answer.status_code == (400 if way == "sign-up" else 200) and (way != "sign-up" or "EMAIL_EXISTS" in answer.text), answer.text


@pytest.mark.parametrize("way", WAYS)
def test_two_requests_at_once_make_one_account(importing, firebase, api, way):
    record = person(firebase)
    answers = together(8, lambda number: WAYS[way](firebase, importing.servers[0].api(), record))
    expected = 400 if way == "sign-up" else 200
    assert {answer.status_code for answer in answers} == {expected}, {answer.text for answer in answers}
    assert importing.value("SELECT count(*) FROM accounts WHERE email = %s", record["email"]) == 1


def test_a_delta_run_goes_on_where_the_person_came_from(importing, firebase, api):
    record = person(firebase, displayName="Ada")
    assert lookup(firebase, api, record).status_code == 200
    record["displayName"] = "Ada Lovelace"
    file = importing.folder / "users.json"
    shown = {name: value for name, value in record.items() if name != "password"}
    file.write_text(json.dumps({"users": [shown]}))
    importing.run("import", "firebase", "demo", file, "--yes", check=True)
    assert api.lookup(firebase.sign_in(record["localId"])["idToken"])["displayName"] == "Ada Lovelace"


def test_a_refusal_of_a_function_at_google_reaches_the_app(firebase, api):
    record = person(firebase)
    text = 'HTTP Cloud Function returned an error: {"error":{"status":"PERMISSION_DENIED","message":"Not from here."}}'
    body = json.dumps({"error": {"code": 400, "message": f"BLOCKING_FUNCTION_ERROR_RESPONSE : {text}"}})
    firebase.trouble["password"] = Response(body, 400)
    answer = sign_in(api, record)
    assert answer.status_code == 400 and answer.json()["error"]["message"] == f"BLOCKING_FUNCTION_ERROR_RESPONSE : {text}"
    firebase.trouble.clear()
    assert sign_in(api, record).status_code == 200


def test_by_default_they_are_unknown(moving, firebase):
    record, api = person(firebase), moving.servers[0].api()
    for answer in (lookup(firebase, api, record), refresh(firebase, api, record)):
        assert_error(answer, "USER_NOT_FOUND")
    assert firebase.count("lookup") == 0
    assert sign_up(api, record).status_code == 200
