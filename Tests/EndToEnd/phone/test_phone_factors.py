"""Phone numbers as second factors, by the calls that the SDKs make."""

import contextlib

import pytest
import requests

from support.authenticator import proven
from support.clients.api import assert_error
from support.harness import together
from support.leaks import note
from support.mail.mailing_site import ADA, UNLIMITED, MailingSite
from support.names import TIMEOUT

NUMBER, OTHER_NUMBER = "+16505550101", "+16505550102"
PHONE = {"enabled": True, "testNumbers": {NUMBER: "123456", OTHER_NUMBER: "123456"}}


@pytest.fixture(scope="module")
def site():
    site = MailingSite(project={"phone": PHONE, "mfa": {"state": "enabled", "sms": True}})
    for port in (None, site.port + 1):
        site.serve(port)
    yield site
    site.close()


@pytest.fixture(scope="module")
def apis(site):
    return [server.api() for server in site.servers]


@pytest.fixture(scope="module")
def ada(site, apis):
    made = apis[0].succeed("signUp", {**ADA, "returnSecureToken": True})
    site.rows("UPDATE accounts SET email_verified = true, email_proven = true WHERE account_id = %s", made["localId"])
    return made


def call(api, method, body):
    return api.post(f"/v2/accounts/{method}", body)


def succeed(api, method, body):
    answer = call(api, method, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_number_is_enrolled_asked_for_and_withdrawn(site, apis, ada):
    api = apis[0]
    start = {"idToken": ada["idToken"], "phoneEnrollmentInfo": {"phoneNumber": NUMBER}}
    session = succeed(api, "mfaEnrollment:start", start)["phoneSessionInfo"]["sessionInfo"]
    proof = {"sessionInfo": session, "code": "123456"}
    # The code of an enrolment is none for a sign-in by phone, nor for a second factor.
    assert_error(api.call("signInWithPhoneNumber", proof), "INVALID_SESSION_INFO")
    enrolled = succeed(
        api, "mfaEnrollment:finalize", {"idToken": ada["idToken"], "displayName": "My phone", "phoneVerificationInfo": proof}
    )
    again = {"idToken": enrolled["idToken"], "phoneEnrollmentInfo": {"phoneNumber": NUMBER}}
    assert_error(call(api, "mfaEnrollment:start", again), "SECOND_FACTOR_EXISTS")

    waiting = api.succeed("signInWithPassword", {**ADA, "returnSecureToken": True})
    assert "idToken" not in waiting
    (factor,) = waiting["mfaInfo"]
    assert factor["phoneInfo"] == "+*******0101" and factor["displayName"] == "My phone"
    pending = {"mfaPendingCredential": waiting["mfaPendingCredential"], "mfaEnrollmentId": factor["mfaEnrollmentId"]}
    # iOS puts the hidden number into it.
    body = {**pending, "phoneSignInInfo": {"phoneNumber": factor["phoneInfo"]}}
    session = succeed(apis[1], "mfaSignIn:start", body)["phoneResponseInfo"]["sessionInfo"]
    body = {"mfaPendingCredential": pending["mfaPendingCredential"], "phoneVerificationInfo": {"sessionInfo": session, "code": "123456"}}
    answers = together(3, lambda index: call(apis[index % 2], "mfaSignIn:finalize", body))
    done = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(done) == 1, [answer.text for answer in answers]
    (user,) = api.succeed("lookup", {"idToken": done[0]["idToken"]})["users"]
    assert [each["mfaEnrollmentId"] for each in user["mfaInfo"]] == [factor["mfaEnrollmentId"]]
    gone = {"idToken": done[0]["idToken"], "mfaEnrollmentId": factor["mfaEnrollmentId"]}
    succeed(api, "mfaEnrollment:withdraw", gone)
    assert "idToken" in api.succeed("signInWithPassword", {**ADA, "returnSecureToken": True})


def test_what_is_missing_or_wrong_is_named(apis, ada):
    token = apis[0].succeed("signInWithPassword", {**ADA, "returnSecureToken": True})["idToken"]
    for info, error in [
        ({}, "MISSING_PHONE_NUMBER"),
        ({"phoneNumber": "030"}, "INVALID_PHONE_NUMBER*"),
        ({"phoneNumber": "+4930123456"}, "OPERATION_NOT_ALLOWED : SMS unable to be sent*"),
    ]:
        assert_error(call(apis[0], "mfaEnrollment:start", {"idToken": token, "phoneEnrollmentInfo": info}), error)
    for info, error in [
        ({}, "MISSING_SESSION_INFO"),
        ({"sessionInfo": "x"}, "MISSING_CODE"),
        ({"sessionInfo": "x", "code": "123456"}, "INVALID_SESSION_INFO"),
    ]:
        assert_error(call(apis[0], "mfaEnrollment:finalize", {"idToken": token, "phoneVerificationInfo": info}), error)
        body = {"mfaPendingCredential": "A" * 43, "phoneVerificationInfo": info}
        expected = "INVALID_MFA_PENDING_CREDENTIAL" if "code" in info else error
        assert_error(call(apis[0], "mfaSignIn:finalize", body), expected)


def test_a_stranger_who_knows_the_number_locks_its_owner_out_of_nothing():
    limits = {"sendSMS": {"perNumber": "1 per 1h", "perPrefix": "1 per 1h"}, "phoneCode": {"perNumber": "1 per 1d"}}
    phone = {"enabled": True, "regions": ["US"], "transport": {"log": {}}}
    with contextlib.closing(
        MailingSite(project={"phone": phone, "mfa": {"state": "enabled", "sms": True}, "limits": {**UNLIMITED, **limits}})
    ) as site:
        site.serve()
        api = site.servers[0].api()

        def code(session):
            sent = requests.get(site.url + "/emulator/v1/projects/demo/verificationCodes", timeout=TIMEOUT).json()["verificationCodes"]
            return note(next(each["code"] for each in sent if each["sessionInfo"] == session))

        person = proven(site, api)
        start = {"idToken": person["idToken"], "phoneEnrollmentInfo": {"phoneNumber": NUMBER}}
        session = succeed(api, "mfaEnrollment:start", start)["phoneSessionInfo"]["sessionInfo"]
        proof = {"sessionInfo": session, "code": code(session)}
        succeed(api, "mfaEnrollment:finalize", {"idToken": person["idToken"], "phoneVerificationInfo": proof})
        site.rows("DELETE FROM rate_limits")

        session = api.succeed("sendVerificationCode", {"phoneNumber": NUMBER})["sessionInfo"]
        wrong = {"sessionInfo": session, "code": "x"}
        assert_error(api.call("signInWithPhoneNumber", wrong), "INVALID_CODE")
        assert_error(api.call("signInWithPhoneNumber", wrong), "TOO_MANY_ATTEMPTS_TRY_LATER")
        assert_error(api.call("sendVerificationCode", {"phoneNumber": NUMBER}), "TOO_MANY_ATTEMPTS_TRY_LATER")

        waiting = api.succeed("signInWithPassword", {"email": person["email"], "password": "correct horse", "returnSecureToken": True})
        (factor,) = waiting["mfaInfo"]
        pending = {"mfaPendingCredential": waiting["mfaPendingCredential"]}
        ask = {**pending, "mfaEnrollmentId": factor["mfaEnrollmentId"], "phoneSignInInfo": {}}
        session = succeed(api, "mfaSignIn:start", ask)["phoneResponseInfo"]["sessionInfo"]
        succeed(api, "mfaSignIn:finalize", {**pending, "phoneVerificationInfo": {"sessionInfo": session, "code": code(session)}})
