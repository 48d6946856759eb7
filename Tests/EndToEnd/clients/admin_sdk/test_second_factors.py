"""Phones as second factors. The SDK for Python has no function for them, so the bodies are those of the SDK for Node, sent by Python's client."""

import pytest

from support.accounts import person
from support.authenticator import mfa

NUMBER = "+16505550101"
PASSWORD = "correct horse"


@pytest.fixture
def ada(stage):
    """An account that an administrator made with a phone."""
    uid = person()
    made = {"localId": uid, "email": f"{uid}@example.com", "emailVerified": True, "password": PASSWORD}
    stage.sdk.user_call("/accounts", {**made, "mfaInfo": [{"phoneInfo": NUMBER, "displayName": "Work"}]})
    return uid


def factors(stage, uid):
    (user,) = stage.sdk.user_call("/accounts:lookup", {"localId": [uid]})["users"]
    return user.get("mfaInfo", [])


def signed_in(stage, uid):
    """The claims, as the SDK verifies them, of a sign-in by password and message."""
    waiting = stage.api.succeed("signInWithPassword", {"email": f"{uid}@example.com", "password": PASSWORD, "returnSecureToken": True})
    (factor,) = waiting["mfaInfo"]
    assert factor["phoneInfo"] == "+*******0101"
    named = {"mfaPendingCredential": waiting["mfaPendingCredential"]}
    started = mfa(stage.api, "mfaSignIn:start", **named, mfaEnrollmentId=factor["mfaEnrollmentId"], phoneSignInInfo={})
    assert started.status_code == 200, started.text
    proof = {"sessionInfo": started.json()["phoneResponseInfo"]["sessionInfo"], "code": "123456"}
    done = mfa(stage.api, "mfaSignIn:finalize", **named, phoneVerificationInfo=proof)
    assert done.status_code == 200, done.text
    return factor, stage.sdk.verify_id_token(done.json()["idToken"], check_revoked=True)


def test_a_phone_of_a_new_user_is_asked_for_and_the_claims_name_it(stage, ada):
    (stored,) = factors(stage, ada)
    assert (stored["phoneInfo"], stored["displayName"]) == (NUMBER, "Work") and stored["enrolledAt"]
    factor, claims = signed_in(stage, ada)
    assert factor["mfaEnrollmentId"] == stored["mfaEnrollmentId"]
    assert claims["uid"] == ada and claims["firebase"]["sign_in_provider"] == "password"
    assert claims["firebase"]["sign_in_second_factor"] == "phone"
    assert claims["firebase"]["second_factor_identifier"] == factor["mfaEnrollmentId"]


def test_a_phone_is_replaced_and_cleared(stage, ada):
    other = {"mfaEnrollmentId": "other", "phoneInfo": "+16505550199", "displayName": "Home", "enrolledAt": "2024-01-02T03:04:05.000Z"}
    stage.sdk.user_call("/accounts:update", {"localId": ada, "mfa": {"enrollments": [other]}})
    (stored,) = factors(stage, ada)
    assert {name: stored[name] for name in other} == other
    listed = next(user for page in stage.sdk.pages() for user in page if user.uid == ada)
    assert listed._data["mfaInfo"] == [stored]
    stage.sdk.user_call("/accounts:update", {"localId": ada, "mfa": {}})
    assert factors(stage, ada) == []
    assert "idToken" in stage.api.succeed(
        "signInWithPassword", {"email": f"{ada}@example.com", "password": PASSWORD, "returnSecureToken": True}
    )


def test_a_phone_is_imported(stage):
    uid = person()
    factor = {"mfaEnrollmentId": "work", "phoneInfo": NUMBER, "enrolledAt": "2024-01-02T03:04:05.000Z"}
    record = {"localId": uid, "email": f"{uid}@example.com", "emailVerified": True, "mfaInfo": [factor]}
    assert not stage.sdk.user_call("/accounts:batchCreate", {"users": [record]}).get("error")
    stage.sdk.update_user(uid, password=PASSWORD)
    factor, claims = signed_in(stage, uid)
    assert claims["firebase"]["second_factor_identifier"] == factor["mfaEnrollmentId"] == "work"
