"""Passwords that Firebase knows and this server does not: `migration.firebase.passwords`."""

import base64
import json
import os
import time

import pytest
from werkzeug.wrappers import Response

from support.clients.api import assert_error
from support.harness import wait_until
from support.leaks import note
from support.migration.hashes import SIGNER_KEY, scrypt_hash
from support.migration.moving_site import MovingSite

FIRST, SECOND = note("a first password"), note("a second password")


def b64(data):
    return base64.b64encode(data).decode()


def imported(site, *uids, hashes=True):
    """Imports people as `firebase auth:export` writes them; Firebase has them, too."""
    users = []
    for uid in uids:
        email = f"{uid}@example.com"
        record = site.firebase.accounts.add(uid, email=email, emailVerified=True, password=FIRST)
        user = {"localId": uid, "email": email, "emailVerified": True, "createdAt": record["createdAt"]}
        if hashes:
            salt = os.urandom(8)
            user |= {"passwordHash": b64(scrypt_hash(FIRST, salt)), "salt": b64(salt)}
        users.append(user)
    file, parameters = site.folder / "users.json", site.folder / "hashes.json"
    file.write_text(json.dumps({"users": users}))
    config = {**site.firebase.hash_config, "signerKey": b64(SIGNER_KEY)}
    parameters.write_text(json.dumps({"signIn": {"hashConfig": config}}))
    given = ["--hash-config", parameters] if hashes else []
    site.run("import", "firebase", "demo", file, *given, "--yes", check=True)


@pytest.fixture(scope="module")
def sites(firebase_of_module):
    sites = {mode: MovingSite(firebase_of_module, {"passwords": mode}) for mode in ("changed", "always")}
    for site in sites.values():
        site.serve()
    yield sites
    for site in sites.values():
        site.close()


def sign_in(site, uid, password):
    return (
        site.servers[0].api().call("signInWithPassword", {"email": f"{uid}@example.com", "password": password, "returnSecureToken": True})
    )


def test_a_password_that_was_changed_at_firebase_is_taken_over_once(sites, firebase):
    site = sites["changed"]
    imported(site, "ada")
    firebase.accounts.people["ada"]["password"] = SECOND
    assert_error(sign_in(site, "ada", "a wrong password"), "INVALID_LOGIN_CREDENTIALS")
    answer = sign_in(site, "ada", SECOND)
    assert answer.status_code == 200 and answer.json()["localId"] == "ada", answer.text
    assert firebase.count("password") == 2

    # The log has the sign-in that was refused, and not the one that Google has confirmed.
    def refused():
        return [line for line in site.servers[0].log().splitlines() if "sign-in refused" in line and '"account":"ada"' in line]

    assert len(wait_until(refused, what="the line")) == 1
    # From now on the password is ours, and Firebase is asked no more, whatever is tried.
    assert sign_in(site, "ada", SECOND).status_code == 200
    firebase.accounts.people["ada"]["password"] = FIRST
    assert_error(sign_in(site, "ada", FIRST), "INVALID_LOGIN_CREDENTIALS")
    assert firebase.count("password") == 2


def test_what_was_changed_here_is_not_asked_about(sites, firebase):
    site = sites["changed"]
    imported(site, "bea", "cyd", "dot")
    api = site.servers[0].api()
    signed_in = sign_in(site, "bea", FIRST).json()
    api.succeed("update", {"idToken": signed_in["idToken"], "password": SECOND})
    site.administrator.succeed("update", {"localId": "cyd", "disableUser": True})
    site.administrator.succeed("update", {"localId": "dot", "validSince": str(int(time.time()))})
    for uid in ("bea", "cyd", "dot", "stranger"):
        assert sign_in(site, uid, "a wrong password").status_code == 400
    assert_error(sign_in(site, "bea", FIRST), "INVALID_LOGIN_CREDENTIALS")
    assert firebase.count("password") == 0


def test_without_hashes_the_first_sign_in_of_each_person_asks(sites, firebase):
    site = sites["always"]
    imported(site, "eda", "fay", hashes=False)
    assert sign_in(site, "eda", FIRST).json()["localId"] == "eda"
    # An address without an account costs the same question.
    assert_error(sign_in(site, "stranger", FIRST), "INVALID_LOGIN_CREDENTIALS")
    assert firebase.count("password") == 2
    # The address belongs to another account there.
    firebase.accounts.people["fay"]["email"] = "moved@example.com"
    firebase.accounts.add("eve", email="fay@example.com", password=FIRST)
    assert_error(sign_in(site, "fay", FIRST), "INVALID_LOGIN_CREDENTIALS")
    assert sign_in(site, "eda", FIRST).status_code == 200 and firebase.count("password") == 3


@pytest.mark.parametrize(
    "status, body",
    [
        (503, "busy"),
        (429, '{"error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}'),
        (400, '{"error":{"code":400,"message":"TOO_MANY_ATTEMPTS_TRY_LATER : Access has been temporarily disabled"}}'),
        (400, '{"error":{"code":400,"message":"QUOTA_EXCEEDED : Exceeded quota"}}'),
        (400, '{"error":{"code":400,"message":"MISSING_RECAPTCHA_TOKEN"}}'),
        (403, '{"error":{"code":403,"message":"The API key was revoked."}}'),
        (400, '{"error":{"code":400,"message":"PASSWORD_LOGIN_DISABLED"}}'),
    ],
)
def test_SEC_56_an_outage_of_google_is_no_wrong_password(sites, firebase, status, body):
    site = sites["changed"]
    uid = "gil" + os.urandom(4).hex()
    imported(site, uid)
    firebase.accounts.people[uid]["password"] = SECOND
    firebase.trouble["password"] = Response(body, status)
    answer = sign_in(site, uid, SECOND)
    assert answer.status_code == 503 and answer.headers["content-type"].startswith("text/plain"), answer.text
    firebase.trouble.clear()
    assert sign_in(site, uid, SECOND).status_code == 200


def test_SEC_55_a_person_with_a_second_factor_there_gets_no_session_here(sites, firebase):
    site = sites["changed"]
    imported(site, "hal")
    firebase.trouble["password"] = Response('{"mfaPendingCredential":"pending","mfaInfo":[{"mfaEnrollmentId":"1"}]}', 200)
    before = site.counts()["sessions"]
    assert_error(sign_in(site, "hal", SECOND), "OPERATION_NOT_ALLOWED")
    assert site.counts()["sessions"] == before


def test_SEC_56_guesses_cost_google_few_questions(firebase_of_module, firebase):
    limits = {"migratePassword": {"perAccount": "2 per 1h"}}
    site = MovingSite(firebase_of_module, {"passwords": "changed"}, {"limits": {"defaults": False, **limits}})
    try:
        site.serve()
        imported(site, "ivy")
        for _ in range(2):
            assert_error(sign_in(site, "ivy", "a wrong password"), "INVALID_LOGIN_CREDENTIALS")
        assert_error(sign_in(site, "ivy", "a wrong password"), "TOO_MANY_ATTEMPTS_TRY_LATER")
        assert sign_in(site, "ivy", FIRST).status_code == 200
        assert firebase.count("password") == 2
    finally:
        site.close()
