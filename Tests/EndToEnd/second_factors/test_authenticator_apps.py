"""Authenticator apps: enrolled, asked for and withdrawn, with codes of pyotp; mails about them; two processes."""

import json
import subprocess
import time

import jwt
import pyotp
import pytest

from support.accounts import sign_up
from support.authenticator import Authenticator, mfa, pending, proven
from support.clients.administrator import Administrator
from support.clients.api import assert_error
from support.harness import wait_until
from support.mail.action_page import opened


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})["firebase"]


def test_a_person_signs_in_by_both_proofs(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    assert claims(app.id_token)["sign_in_second_factor"] == "totp"
    done = app.finish(pending(api, person["email"]))
    assert done.status_code == 200, done.text
    tokens = done.json()
    assert claims(tokens["idToken"])["second_factor_identifier"] == app.id
    refreshed = api.refresh(tokens["refreshToken"]).json()
    assert claims(refreshed["id_token"])["sign_in_second_factor"] == "totp"


@pytest.mark.parametrize(("steps", "counts"), [(-2, False), (0, False), (1, True), (2, False)])
def test_a_code_counts_in_its_own_period_and_beside_it_and_not_the_one_that_enrolled(site, api, steps, counts):
    def tried():
        """The answer, where all of it was within one period; at the end of a period, another code is the present one."""
        period = time.time() // 30
        person = proven(site, api)
        app = Authenticator(api, person["idToken"])
        answer = app.finish(pending(api, person["email"]), app.code(steps))
        return (answer,) if time.time() // 30 == period else None

    (answer,) = wait_until(tried, what="a try within one period")
    if counts:
        assert answer.status_code == 200, answer.text
    else:
        assert_error(answer, "INVALID_CODE")


def test_a_code_of_oathtool_counts_too(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    at = f"@{int(time.time()) + 30}"
    code = subprocess.run(
        ["oathtool", "--totp", "--base32", "--now", at, "-"], input=app.totp.secret, capture_output=True, text=True, check=True
    )
    assert app.finish(pending(api, person["email"]), code.stdout.strip()).status_code == 200


def test_SEC_33_two_processes_take_a_code_once(site, api):
    other = site.servers[1].api()
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    first, second = pending(api, person["email"]), pending(other, person["email"])
    code = app.code()
    assert app.finish(first, code).status_code == 200
    app.api = other
    assert_error(app.finish(second, code), "INVALID_CODE")


def test_SEC_36_the_mail_about_a_new_factor_takes_it_away_again_only_by_its_button(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    others = Authenticator(api, app.id_token, name="Desk")
    link = site.link(person["email"], 2)
    assert "mode=revertSecondFactorAddition" in link
    code = site.code(person["email"], 2)
    told = api.succeed("resetPassword", {"oobCode": code})
    assert told["requestType"] == "REVERT_SECOND_FACTOR_ADDITION" and told["email"] == person["email"]
    assert told["mfaInfo"]["mfaEnrollmentId"] == app.id and told["mfaInfo"]["totpInfo"] == {}
    page = opened(link)
    assert "My phone" in page.text
    assert len(api.lookup(others.id_token)["mfaInfo"]) == 2
    done = page.submit()
    assert "removed" in done.text and "reset" in done.links
    assert_error(api.call("lookup", {"idToken": others.id_token}), "TOKEN_EXPIRED")
    answer = others.finish(pending(api, person["email"]))
    assert [factor["displayName"] for factor in api.lookup(answer.json()["idToken"])["mfaInfo"]] == ["Desk"]
    assert_error(api.call("resetPassword", {"oobCode": code}), "INVALID_OOB_CODE")


def test_applyActionCode_takes_the_factor_away_too(site, api):
    person = proven(site, api)
    Authenticator(api, person["idToken"])
    api.succeed("update", {"oobCode": site.code(person["email"], 2)})
    assert "idToken" in api.succeed(
        "signInWithPassword", {"email": person["email"], "password": "correct horse", "returnSecureToken": True}
    )


def test_an_owner_is_told_of_what_happens_to_second_factors(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    codes = mfa(api, "recoveryCodes:generate", idToken=app.id_token).json()["recoveryCodes"]
    used = mfa(
        api,
        "mfaSignIn:finalize",
        mfaPendingCredential=pending(api, person["email"]),
        recoveryCodeVerificationInfo={"recoveryCode": codes[0].lower()},
    )
    assert claims(used.json()["idToken"])["sign_in_second_factor"] == "recovery_code"
    assert mfa(api, "mfaEnrollment:withdraw", idToken=used.json()["idToken"], mfaEnrollmentId=app.id).status_code == 200
    subjects = [site.mail(person["email"], number).message["Subject"] for number in range(2, 6)]
    for subject, word in zip(subjects, ("added", "New recovery codes", "was used", "removed"), strict=True):
        assert word in subject, subjects


def test_SEC_31_no_way_in_goes_around_the_second_factor(site, api):
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    email = person["email"]
    api.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "https://app.example.com/"})
    code = site.code(email, 3)
    link = api.succeed("signInWithEmailLink", {"email": email, "oobCode": code})
    assert "idToken" not in link and link["mfaInfo"][0]["mfaEnrollmentId"] == app.id
    # A new password is no session, and takes no factor away.
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    api.succeed("resetPassword", {"oobCode": site.code(email, 4), "newPassword": "another horse"})
    waiting = pending(api, email, "another horse")
    # The reset ended what waited before, and the session that the app was enrolled in.
    assert_error(app.finish(link["mfaPendingCredential"]), "INVALID_MFA_PENDING_CREDENTIAL")
    assert_error(api.call("lookup", {"idToken": app.id_token}), "TOKEN_EXPIRED")
    assert app.finish(waiting).status_code == 200


def test_an_imported_authenticator_app_signs_in_by_its_secret(site, api):
    secret = pyotp.random_base32()
    email = f"imported{secret[:8].lower()}@example.com"
    source = site.folder / "imported.jsonl"
    factor = {
        "mfaEnrollmentId": "t",
        "totpInfo": {"sharedSecretKey": secret, "hashingAlgorithm": "SHA1", "verificationCodeLength": 6, "periodSec": 30},
    }
    source.write_text(f'{{"localId": "{secret[:12]}", "email": "{email}", "emailVerified": true, "mfaInfo": [{json.dumps(factor)}]}}\n')
    site.run("import", "json", "demo", source, "--yes", check=True)
    Administrator(site).succeed("update", {"localId": secret[:12], "password": "correct horse"})
    answer = mfa(
        api,
        "mfaSignIn:finalize",
        mfaPendingCredential=pending(api, email),
        mfaEnrollmentId="t",
        totpVerificationInfo={"verificationCode": pyotp.TOTP(secret).now()},
    )
    assert answer.status_code == 200, answer.text


def test_an_account_without_a_proven_address_enrols_none(api):
    person = sign_up(api)
    assert_error(mfa(api, "mfaEnrollment:start", idToken=person["idToken"], totpEnrollmentInfo={}), "UNVERIFIED_EMAIL")
