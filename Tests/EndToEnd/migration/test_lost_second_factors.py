"""People with an authenticator app of Firebase's, which gives its secret to no one: Firebase's word, digits by mail, and a new app in its place."""

import json
import re

import pyotp
import pytest
from werkzeug.wrappers import Response

from support.authenticator import Authenticator, mfa, pending
from support.clients.api import assert_error
from support.harness import wait_until
from support.jwts import claims
from support.leaks import note
from support.mail.mailing_site import code_in
from support.mail.smtp import Post
from support.migration.moving_site import MovingSite

PASSWORD = note("correct horse")
DIGITS = re.compile(r"\b\d{6}\b")


@pytest.fixture(scope="module")
def sites(firebase_of_module):
    """By `passwords` of the section `migration.firebase`: with `off`, Firebase is not asked."""
    sites = {}
    for mode in ("changed", "off"):
        post = Post()
        site = MovingSite(firebase_of_module, {"passwords": mode}, {"mfa": {"state": "enabled"}}, settings={"mail": post.settings()})
        site.post = post
        site.serve()
        sites[mode] = site
    yield sites
    for site in sites.values():
        site.close()
        site.post.close()


def leaving(site, uid):
    """A person whom both sides have, with an authenticator app whose secret Firebase keeps."""
    factor = {"mfaEnrollmentId": f"{uid}-app", "displayName": "phone", "totpInfo": {}}
    record = {"email": f"{uid}@example.com", "emailVerified": True}
    site.move(uid, password=PASSWORD, **record)
    site.firebase.accounts.people[uid] |= {"mfaInfo": [factor], "authenticator": pyotp.TOTP(note(pyotp.random_base32()))}
    site.rows("UPDATE accounts SET second_factors = %s WHERE account_id = %s", json.dumps([factor]), uid)
    return site.firebase.accounts.people[uid]["authenticator"]


def finish(site, uid, credential, code):
    return mfa(
        site.servers[0].api(),
        "mfaSignIn:finalize",
        mfaPendingCredential=credential,
        mfaEnrollmentId=f"{uid}-app",
        totpVerificationInfo={"verificationCode": code},
    )


def mails(site, uid):
    return [mail for mail in site.post.messages if mail.recipients == [f"{uid}@example.com"]]


def digits(site, uid):
    """Those of the first mail to the person."""
    wait_until(lambda: mails(site, uid), what="a mail with digits")
    return note(DIGITS.search(mails(site, uid)[0].text)[0])


def second_factor(id_token):
    firebase = claims(id_token)["firebase"]
    return firebase.get("sign_in_second_factor"), firebase.get("second_factor_identifier")


def test_firebase_judges_the_code_while_people_move(sites, firebase):
    site, uid = sites["changed"], "ada"
    app = leaving(site, uid)
    api = site.servers[0].api()
    credential = pending(api, f"{uid}@example.com")
    assert_error(finish(site, uid, credential, "000000" if app.now() != "000000" else "111111"), "INVALID_CODE")
    done = finish(site, uid, credential, app.now())
    assert done.status_code == 200, done.text
    assert second_factor(done.json()["idToken"]) == ("totp", "ada-app")
    assert firebase.count("password") == 1 and firebase.count("second_factor") == 2
    wait_until(lambda: mails(site, uid), what="a mail about the app")
    assert not DIGITS.search(mails(site, uid)[0].text) and "set up the app again" in mails(site, uid)[0].text
    new = Authenticator(api, done.json()["idToken"])
    assert [factor["mfaEnrollmentId"] for factor in api.lookup(new.id_token)["mfaInfo"]] == [new.id]
    assert new.finish(pending(api, "ada@example.com")).status_code == 200
    assert firebase.count("password") == 1


def test_digits_by_mail_stand_in_where_firebase_is_not_asked(sites, firebase):
    site, uid = sites["off"], "bob"
    leaving(site, uid)
    api = site.servers[0].api()
    credential = pending(api, f"{uid}@example.com")
    done = finish(site, uid, credential, digits(site, uid))
    assert done.status_code == 200, done.text
    assert second_factor(done.json()["idToken"]) == ("email", None)
    assert firebase.count("password") == 0
    new = Authenticator(api, done.json()["idToken"])
    assert new.finish(pending(api, f"{uid}@example.com")).status_code == 200


@pytest.mark.parametrize("trouble", [Response("busy", 503), Response('{"error":{"message":"QUOTA_EXCEEDED"}}', 429)], ids=["down", "quota"])
def test_digits_by_mail_stand_in_where_firebase_does_not_answer(sites, firebase, trouble):
    site, uid = sites["changed"], f"cy{trouble.status_code}"
    leaving(site, uid)
    firebase.trouble["password"] = trouble
    credential = pending(site.servers[0].api(), f"{uid}@example.com")
    assert finish(site, uid, credential, digits(site, uid)).status_code == 200


def test_an_outage_of_firebase_is_no_wrong_code(sites, firebase):
    site, uid = sites["changed"], "dan"
    app = leaving(site, uid)
    credential = pending(site.servers[0].api(), f"{uid}@example.com")
    firebase.trouble["second_factor"] = Response("busy", 503)
    assert finish(site, uid, credential, app.now()).status_code == 503
    del firebase.trouble["second_factor"]
    assert finish(site, uid, credential, app.now()).status_code == 200


def test_SEC_55_a_new_password_by_mail_gets_no_digits(sites, firebase):
    site, uid = sites["off"], "eve"
    leaving(site, uid)
    api = site.servers[0].api()
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": f"{uid}@example.com"})
    wait_until(lambda: mails(site, uid), what="a mail with a link")
    api.succeed("resetPassword", {"oobCode": code_in(mails(site, uid)[0]), "newPassword": note("another password")})
    credential = pending(api, f"{uid}@example.com", "another password")
    assert_error(finish(site, uid, credential, "123456"), "OPERATION_NOT_ALLOWED")
    assert not [mail for mail in mails(site, uid) if DIGITS.search(mail.text)]
