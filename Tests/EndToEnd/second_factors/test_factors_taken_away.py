"""Tokens of sessions whose second factor was taken away, or was a recovery code (SEC-35)."""

import jwt
import pytest

from support.authenticator import Authenticator, mfa, pending, proven
from support.clients.administrator import Administrator
from support.clients.api import assert_error
from support.harness import together

PASSWORD = {"password": "another horse", "returnSecureToken": True}


@pytest.fixture
def app(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    app.email, app.account = person["email"], person["localId"]
    return app


def test_a_factor_that_an_administrator_replaced_changes_nothing_any_more(site, api, app):
    phone = {"phoneInfo": "+16505550109", "displayName": "The owner's"}
    Administrator(site).succeed("update", {"localId": app.account, "mfa": {"enrollments": [phone]}})
    assert_error(api.call("update", {"idToken": app.id_token, **PASSWORD}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")


def test_a_factor_that_is_the_last_one_leaves_no_claim(api, app):
    done = mfa(api, "mfaEnrollment:withdraw", idToken=app.id_token, mfaEnrollmentId=app.id)
    assert done.status_code == 200, done.text
    # The account has no second factor, so that of the first proof is enough.
    changed = api.succeed("update", {"idToken": app.id_token, **PASSWORD})
    for token in (changed["idToken"], api.refresh(changed["refreshToken"]).json()["id_token"]):
        assert "sign_in_second_factor" not in jwt.decode(token, options={"verify_signature": False})["firebase"]


def test_a_recovery_code_withdraws_and_does_nothing_else(api, app):
    codes = mfa(api, "recoveryCodes:generate", idToken=app.id_token).json()["recoveryCodes"]
    waiting = pending(api, app.email)
    answers = together(
        2, lambda _: mfa(api, "mfaSignIn:finalize", mfaPendingCredential=waiting, recoveryCodeVerificationInfo={"recoveryCode": codes[0]})
    )
    (token,) = [answer.json()["idToken"] for answer in answers if answer.status_code == 200]
    done = mfa(api, "mfaEnrollment:withdraw", idToken=token, mfaEnrollmentId=app.id)
    assert done.status_code == 200, done.text
    for token in (token, done.json()["idToken"], api.refresh(done.json()["refreshToken"]).json()["id_token"]):
        assert_error(api.call("update", {"idToken": token, **PASSWORD}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    fresh = api.succeed("signInWithPassword", {"email": app.email, "password": "correct horse", "returnSecureToken": True})
    api.succeed("update", {"idToken": fresh["idToken"], **PASSWORD})
