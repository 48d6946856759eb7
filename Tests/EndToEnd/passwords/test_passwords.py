"""accounts:signUp, signInWithPassword, update, lookup, delete: every row of their error tables, in the order of the checks."""

import time

import jwt
import pytest
import requests

from support import harness
from support.clients import assert_error, together
from support.common import PROJECT

ON = {"password": True, "anonymous": True, "emailLink": True}


@pytest.fixture(scope="module")
def rest():
    """`demo` protects addresses from enumeration, `open` does not, `closed` has everything switched off."""

    def project(name, number, **more):
        return {"project": name, "number": number, "apiKeys": [f"{name}-key"], "authorizedDomains": ["localhost"], **more}

    site = harness.Site(
        project={"signIn": ON},
        others={
            "open": project("open-project", 2, signIn=ON, emailEnumerationProtection=False),
            "closed": project("closed-project", 3),
            "members": project("members-only", 4, signIn={**ON, "signUp": False, "deletion": False}),
            "policy": project(
                "policy-project",
                5,
                signIn=ON,
                emailEnumerationProtection=False,
                passwordPolicy={"enforcement": "enforce", "minLength": 10, "numeric": True, "forceUpgradeOnSignIn": True},
            ),
            "static": project("static-project", 6, signIn=ON, sessions={"refresh": "static"}),
        },
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def demo(rest):
    return rest.servers[0].api()


@pytest.fixture(scope="module")
def opened(rest):
    return rest.servers[0].api("open-project-key")


counter = iter(range(10_000))


def address():
    return f"person{next(counter)}@example.com"


def sign_up(api, email=None, password="correct horse", **more):
    return api.succeed("signUp", {"email": email or address(), "password": password, "returnSecureToken": True, **more})


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})


# ---------------------------------------------------------------------------------------------------------------------------------
# signUp


def test_an_anonymous_account(rest, demo):
    answer = demo.succeed("signUp", {"returnSecureToken": True})
    assert set(answer) == {"kind", "localId", "idToken", "refreshToken", "expiresIn"}
    token = claims(answer["idToken"])
    assert token["provider_id"] == "anonymous"
    assert token["firebase"] == {"identities": {}, "sign_in_provider": "anonymous"}
    assert "email" not in token
    user = demo.lookup(answer["idToken"])
    assert "passwordHash" not in user and "providerUserInfo" not in user and "email" not in user


def test_an_account_with_a_password(rest, demo):
    email = address()
    answer = demo.succeed("signUp", {"email": email.upper(), "password": "correct horse", "displayName": "Ada"})
    assert answer["email"] == email and answer["displayName"] == "Ada" and len(answer["localId"]) == 28
    token = claims(answer["idToken"])
    assert token["email"] == email and token["email_verified"] is False and token["name"] == "Ada"
    assert token["firebase"] == {"identities": {"email": [email]}, "sign_in_provider": "password"}
    user = demo.lookup(answer["idToken"])
    assert user["passwordHash"] == "UkVEQUNURUQ=", "SDKs look for a hash; nobody sees it"
    assert user["providerUserInfo"] == [{"providerId": "password", "rawId": email, "federatedId": email, "email": email, "displayName": "Ada"}]
    assert isinstance(user["passwordUpdatedAt"], int) and user["validSince"].isdigit()
    stored = rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", answer["localId"])
    assert stored.startswith("$scrypt$ln=14,r=8,p=1$"), "the parameters are kept with the hash"


def test_an_anonymous_account_becomes_permanent(rest, demo):
    anonymous = demo.succeed("signUp", {})
    email = address()
    answer = demo.succeed("signUp", {"idToken": anonymous["idToken"], "email": email, "password": "correct horse"})
    assert answer["localId"] == anonymous["localId"]
    assert claims(answer["idToken"])["firebase"]["sign_in_provider"] == "password"
    assert demo.succeed("signInWithPassword", {"email": email, "password": "correct horse"})["localId"] == anonymous["localId"]
    assert demo.lookup(answer["idToken"])["email"] == email
    # The caller's own new tokens count, the old refresh token is over.
    assert demo.refresh(answer["refreshToken"]).status_code == 200
    assert_error(demo.refresh(anonymous["refreshToken"]), "TOKEN_EXPIRED")


def test_the_errors_of_a_sign_up_in_order(rest, demo, opened):
    taken = address()
    sign_up(demo, taken)
    closed, members = rest.servers[0].api("closed-project-key"), rest.servers[0].api("members-only-key")
    everything_wrong = {"localId": "mine", "email": "no address", "password": "x"}
    assert_error(demo.call("signUp", everything_wrong), "UNEXPECTED_PARAMETER")
    assert_error(demo.call("signUp", {"password": "x"}), "MISSING_EMAIL")
    assert_error(demo.call("signUp", {"idToken": "x"}), "MISSING_EMAIL")
    assert_error(demo.call("signUp", {"email": "no address"}), "MISSING_PASSWORD")
    assert_error(demo.call("signUp", {"email": "a@example.com", "password": ""}), "MISSING_PASSWORD")
    assert_error(closed.call("signUp", {"email": "no address", "password": "x"}), "OPERATION_NOT_ALLOWED")
    assert_error(closed.call("signUp", {}), "ADMIN_ONLY_OPERATION")
    assert_error(members.call("signUp", {}), "ADMIN_ONLY_OPERATION")
    assert_error(members.call("signUp", {"email": "a@example.com", "password": "correct horse"}), "ADMIN_ONLY_OPERATION")
    for wrong in ("", "no address", "a@b@c", "a b@example.com", "@example.com", "a@", "a\n@example.com", "x" * 250 + "@example.com", "ada\u200b@example.com", "<ada@example.com>", "ren\u00e9@example.com", "a..b@example.com"):
        assert_error(demo.call("signUp", {"email": wrong, "password": "x"}), "INVALID_EMAIL")
    # A taken address is told before anything of the password, and in both modes (docs/wire.md, "Order of checks").
    for api in (demo, opened):
        if api is opened:
            sign_up(opened, taken)
        assert_error(api.call("signUp", {"email": taken.upper(), "password": "x"}), "EMAIL_EXISTS")
    message = assert_error(demo.call("signUp", {"email": address(), "password": "12345"}), "WEAK_PASSWORD")
    assert message == "WEAK_PASSWORD : Password should be at least 6 characters"
    for bad in ("garbage", "a.b.c"):
        assert_error(demo.call("signUp", {"idToken": bad, "email": address(), "password": "correct horse"}), "INVALID_ID_TOKEN")


@pytest.mark.parametrize(
    "field, value",
    [
        ("emailVerified", True),
        ("emailVerified", False),
        ("disabled", True),
        ("phoneNumber", "+15550100"),
        ("customAttributes", '{"admin":true}'),
        ("mfaInfo", []),
        ("validSince", "1"),
        ("createdAt", "1"),
        ("lastLoginAt", "1"),
        ("linkProviderUserInfo", {"providerId": "google.com", "rawId": "1"}),
    ],
)
def test_SEC_14_an_administrators_field_is_refused_by_a_sign_up_in_both_spellings(rest, demo, field, value):
    email = address()
    accounts = rest.counts()["accounts"]
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in field)
    for name in (field, snake):
        assert_error(demo.call("signUp", {"email": email, "password": "correct horse", name: value}), "INSUFFICIENT_PERMISSION")
        assert_error(demo.call("signUp", {name: value}), "INSUFFICIENT_PERMISSION")
    assert rest.counts()["accounts"] == accounts


def test_SEC_14_a_sign_up_sets_nothing_that_is_an_administrators(rest, demo):
    # What SDKs may send, and what is no field at all.
    answer = sign_up(
        demo, address(), photoUrl="https://example.com/x.png", emailVerified=None, clientType="CLIENT_TYPE_WEB", captchaResponse="x",
        recaptchaVersion="RECAPTCHA_ENTERPRISE", admin=True,
    )
    row = rest.rows("SELECT email_verified, disabled, photo_url, custom_attributes FROM accounts WHERE account_id = %s", answer["localId"])
    assert row == [(False, False, None, None)]
    for field in ("tenantId", "targetProjectId"):
        assert demo.call("signUp", {"email": address(), "password": "correct horse", field: "other"}).status_code == 400


def test_two_sign_ups_with_one_address_make_one_account(rest, demo):
    email = address()
    answers = together(10, lambda _: demo.call("signUp", {"email": email, "password": "correct horse"}))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 9
    for answer in answers:
        if answer.status_code == 400:
            assert_error(answer, "EMAIL_EXISTS")
    assert rest.value("SELECT count(*) FROM accounts WHERE email = %s AND project_id = %s", email, PROJECT) == 1


# ---------------------------------------------------------------------------------------------------------------------------------
# signInWithPassword


def test_a_sign_in_with_a_password(rest, demo):
    email = address()
    made = sign_up(demo, email, displayName="Ada")
    answer = demo.succeed("signInWithPassword", {"email": email.title(), "password": "correct horse", "returnSecureToken": True})
    assert answer["kind"] == "identitytoolkit#VerifyPasswordResponse" and answer["registered"] is True
    assert answer["localId"] == made["localId"] and answer["displayName"] == "Ada" and answer["expiresIn"] == "3600"
    assert claims(answer["idToken"])["auth_time"] >= claims(made["idToken"])["auth_time"]


def test_the_errors_of_a_sign_in_in_order(rest, demo, opened):
    closed = rest.servers[0].api("closed-project-key")
    assert_error(closed.call("signInWithPassword", {}), "PASSWORD_LOGIN_DISABLED")
    assert_error(demo.call("signInWithPassword", {}), "MISSING_EMAIL")
    assert_error(demo.call("signInWithPassword", {"email": "no address"}), "INVALID_EMAIL")
    assert_error(demo.call("signInWithPassword", {"email": "a@example.com"}), "MISSING_PASSWORD")
    email = address()
    for api in (demo, opened):
        sign_up(api, email)
    unknown = {"email": "nobody@example.com", "password": "correct horse"}
    wrong = {"email": email, "password": "battery staple"}
    assert_error(opened.call("signInWithPassword", unknown), "EMAIL_NOT_FOUND")
    assert_error(opened.call("signInWithPassword", wrong), "INVALID_PASSWORD")
    assert_error(demo.call("signInWithPassword", unknown), "INVALID_LOGIN_CREDENTIALS")
    assert_error(demo.call("signInWithPassword", wrong), "INVALID_LOGIN_CREDENTIALS")


def test_SEC_15_an_unknown_address_a_wrong_password_and_a_disabled_account_look_alike(rest, demo):
    email, disabled = address(), address()
    sign_up(demo, email)
    gone = sign_up(demo, disabled)
    rest.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", gone["localId"])
    bodies = {
        demo.call("signInWithPassword", {"email": who, "password": "wrong password"}).text
        for who in ("nobody@example.com", email, disabled)
    }
    assert len(bodies) == 1
    # Whoever knows the password is told.
    assert_error(demo.call("signInWithPassword", {"email": disabled, "password": "correct horse"}), "USER_DISABLED")


def test_a_password_of_another_project_opens_nothing(rest, demo, opened):
    email = address()
    sign_up(demo, email)
    assert_error(opened.call("signInWithPassword", {"email": email, "password": "correct horse"}), "EMAIL_NOT_FOUND")


def test_long_and_strange_passwords(rest, demo):
    for password in ("ü" * 100, "😀" * 6, "a" * 4096, " " * 6, "nul\x00byte"):
        email = address()
        sign_up(demo, email, password)
        assert demo.call("signInWithPassword", {"email": email, "password": password}).status_code == 200
        assert demo.call("signInWithPassword", {"email": email, "password": password + "x"}).status_code == 400
    assert_error(demo.call("signUp", {"email": address(), "password": "a" * 4097}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    assert_error(demo.call("signInWithPassword", {"email": address(), "password": "a" * 60_000}), "INVALID_LOGIN_CREDENTIALS")


def test_the_policy_of_a_project(rest):
    api = rest.servers[0].api("policy-project-key")
    message = assert_error(api.call("signUp", {"email": address(), "password": "short"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    assert message == (
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 10 characters, "
        "Password must contain a numeric character]"
    )
    email = address()
    made = sign_up(api, email, "long enough 1")
    assert_error(api.call("update", {"idToken": made["idToken"], "password": "short"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    # A password from before the policy has to be replaced at sign-in.
    old = rest.servers[0].api("open-project-key")
    before = sign_up(old, email, "simple")
    hashed = rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", before["localId"])
    rest.rows("UPDATE accounts SET password_hash = %s WHERE account_id = %s", hashed, made["localId"])
    assert_error(api.call("signInWithPassword", {"email": email, "password": "simple"}), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")


def test_a_hash_of_other_parameters_is_renewed_at_sign_in(rest, demo):
    email = address()
    made = sign_up(demo, email)
    with harness.a_site(
        project={"signIn": ON}, settings={"passwordHashing": {"scrypt": {"cost": 12}}}, database=rest.database, migrate=False
    ) as other:
        other.master_key = rest.master_key
        other.write()
        other.serve()
        assert other.servers[0].api().call("signInWithPassword", {"email": email, "password": "correct horse"}).status_code == 200
    stored = rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", made["localId"])
    assert stored.startswith("$scrypt$ln=12,r=8,p=1$")
    assert demo.call("signInWithPassword", {"email": email, "password": "correct horse"}).status_code == 200
    assert rest.value("SELECT password_hash FROM accounts WHERE account_id = %s", made["localId"]).startswith("$scrypt$ln=14,r=8,p=1$")


# ---------------------------------------------------------------------------------------------------------------------------------
# update


def update(api, token, **fields):
    return api.call("update", {"idToken": token, "returnSecureToken": True, **fields})


def test_a_profile_is_set_and_cleared(rest, demo):
    made = sign_up(demo)
    answer = update(demo, made["idToken"], displayName="Ada", photoUrl="https://example.com/a.png").json()
    assert answer["displayName"] == "Ada" and answer["photoUrl"] == "https://example.com/a.png"
    assert answer["providerUserInfo"][0]["providerId"] == "password"
    assert "idToken" not in answer and answer["passwordHash"] == "UkVEQUNURUQ="
    assert claims(demo.refresh(made["refreshToken"]).json()["id_token"])["picture"] == "https://example.com/a.png"
    answer = update(demo, made["idToken"], displayName=None).json()
    assert "displayName" not in answer and answer["photoUrl"]
    answer = update(demo, made["idToken"], deleteAttribute=["PHOTO_URL"]).json()
    assert "photoUrl" not in answer
    update(demo, made["idToken"], displayName="Ada", photoUrl="https://example.com/a.png")
    answer = update(demo, made["idToken"], deleteAttribute=[2, "4"]).json()
    assert "displayName" not in answer and "photoUrl" not in answer
    for field, longest in (("displayName", 256), ("photoUrl", 2048)):
        assert update(demo, made["idToken"], **{field: "x" * longest}).status_code == 200
        assert update(demo, made["idToken"], **{field: "x" * (longest + 1)}).status_code == 400
        assert update(demo, made["idToken"], **{field: "a\u0000b"}).status_code == 400


def test_a_new_password_ends_every_other_session(rest, demo):
    email = address()
    made = sign_up(demo, email)
    other = demo.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    time.sleep(1)  # tokens of one second cannot be told apart
    answer = update(demo, made["idToken"], password="battery staple").json()
    assert claims(answer["idToken"])["auth_time"] > claims(made["idToken"])["auth_time"], "Node compares auth_time"
    for token in (made, other):
        assert_error(demo.refresh(token["refreshToken"]), "TOKEN_EXPIRED")
        assert_error(demo.call("lookup", {"idToken": token["idToken"]}), "TOKEN_EXPIRED")
    assert demo.refresh(answer["refreshToken"]).status_code == 200
    assert demo.lookup(answer["idToken"])["localId"] == made["localId"]
    assert_error(demo.call("signInWithPassword", {"email": email, "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")
    assert demo.call("signInWithPassword", {"email": email, "password": "battery staple"}).status_code == 200


def test_a_new_address_where_addresses_are_not_protected(rest, opened):
    old, new = address(), address()
    made = sign_up(opened, old)
    answer = update(opened, made["idToken"], email=new.upper()).json()
    assert answer["email"] == new and answer.get("emailVerified") is False
    assert opened.lookup(answer["idToken"])["initialEmail"] == old
    taken = address()
    sign_up(opened, taken)
    assert_error(update(opened, answer["idToken"], email=taken), "EMAIL_EXISTS")
    assert_error(update(opened, answer["idToken"], email="no address"), "INVALID_EMAIL")


def test_a_new_address_where_addresses_are_protected_takes_a_mail(rest, demo):
    made = sign_up(demo)
    message = assert_error(update(demo, made["idToken"], email=address()), "OPERATION_NOT_ALLOWED")
    assert "verify" in message.lower()
    anonymous = demo.succeed("signUp", {})
    assert_error(update(demo, anonymous["idToken"], email=address(), password="correct horse"), "OPERATION_NOT_ALLOWED")
    assert_error(update(demo, anonymous["idToken"], password="correct horse"), "MISSING_EMAIL")


def test_an_unlinked_password_leaves_the_callers_session_and_the_address(rest, demo):
    email = address()
    made = sign_up(demo, email)
    other = demo.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    answer = update(demo, made["idToken"], deleteProvider=["password"]).json()
    assert answer["providerUserInfo"] == [] and "passwordHash" not in answer
    assert "idToken" not in answer, "an SDK would not take it from this answer"
    assert demo.lookup(made["idToken"])["email"] == email
    assert_error(demo.refresh(other["refreshToken"]), "TOKEN_EXPIRED")
    assert_error(demo.call("lookup", {"idToken": other["idToken"]}), "TOKEN_EXPIRED")
    assert_error(demo.call("signUp", {"email": email, "password": "correct horse"}), "EMAIL_EXISTS")
    token = demo.refresh(made["refreshToken"]).json()["id_token"]
    linked = demo.succeed("signUp", {"idToken": token, "email": email, "password": "battery staple"})
    again = demo.succeed("signInWithPassword", {"email": email, "password": "battery staple"})
    assert linked["localId"] == again["localId"] == made["localId"]


def test_an_old_sign_in_changes_no_credentials(rest, demo):
    email = address()
    made = sign_up(demo, email)
    rest.rows("UPDATE sessions SET auth_time = auth_time - interval '301 s' WHERE account_id = %s", made["localId"])
    old = demo.refresh(made["refreshToken"]).json()["id_token"]
    assert_error(update(demo, old, password="battery staple"), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert_error(demo.call("delete", {"idToken": old}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert update(demo, old, displayName="Ada").status_code == 200
    fresh = demo.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    assert update(demo, fresh["idToken"], password="battery staple").status_code == 200


def test_tokens_that_replace_others_of_the_same_second_differ_from_them(demo):
    def same_second():
        made = sign_up(demo)
        answer = update(demo, made["idToken"], password="battery staple").json()
        return (made, answer) if claims(made["idToken"])["iat"] == claims(answer["idToken"])["iat"] else None

    made, answer = harness.wait_until(same_second, what="a sign-up and an update in one second")
    assert answer["idToken"] != made["idToken"], "an SDK would not look at the refresh token beside it"
    assert int(answer["expiresIn"]) == claims(answer["idToken"])["exp"] - claims(answer["idToken"])["iat"] == 3600
    assert demo.lookup(answer["idToken"])["localId"] == made["localId"]
    assert demo.refresh(answer["refreshToken"]).status_code == 200


def stale(rest, api, made):
    """A token of the account whose sign-in is too old: what somebody who has stolen the refresh token gets."""
    rest.rows("UPDATE sessions SET auth_time = auth_time - interval '1 hour' WHERE account_id = %s", made["localId"])
    return api.refresh(made["refreshToken"]).json()["id_token"]


@pytest.mark.parametrize(
    "change",
    [{"deleteAttribute": ["PASSWORD"]}, {"deleteAttribute": ["EMAIL"]}, {"deleteProvider": ["password"]}, {"password": "battery staple"}],
)
def test_an_old_sign_in_does_not_become_fresh_by_removing_things_first(rest, opened, change):
    email = address()
    made = sign_up(opened, email)
    before = rest.rows("SELECT * FROM accounts WHERE account_id = %s", made["localId"])
    assert_error(update(opened, stale(rest, opened, made), **change), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert rest.rows("SELECT * FROM accounts WHERE account_id = %s", made["localId"])[0][:12] == before[0][:12]
    assert opened.call("signInWithPassword", {"email": email, "password": "correct horse"}).status_code == 200


def test_a_sign_up_moves_no_address_that_is_protected(rest, demo):
    made = sign_up(demo)
    body = {"idToken": made["idToken"], "email": address(), "password": "battery staple"}
    assert_error(demo.call("signUp", body), "OPERATION_NOT_ALLOWED")


def test_of_two_changes_at_once_none_is_lost(rest, demo):
    for _ in range(5):
        made = sign_up(demo)
        changes = [{"displayName": "Ada"}, {"photoUrl": "https://example.com/a.png"}]
        answers = together(2, lambda index: update(demo, made["idToken"], **changes[index]))
        assert [answer.status_code for answer in answers] == [200, 200]
        user = demo.lookup(made["idToken"])
        assert (user["displayName"], user["photoUrl"]) == ("Ada", "https://example.com/a.png")


def test_passwords_set_at_once_are_answered_as_they_come(rest, demo):
    made = sign_up(demo)
    time.sleep(1)  # tokens of one second cannot be told apart
    answers = together(8, lambda index: update(demo, made["idToken"], password=f"battery staple {index}"))
    assert {answer.status_code for answer in answers} <= {200, 400}
    assert sum(answer.status_code == 200 for answer in answers) == 1
    for answer in answers:
        if answer.status_code == 400:
            assert_error(answer, "TOKEN_EXPIRED")


def test_the_errors_of_an_update(rest, demo):
    made = sign_up(demo)
    assert_error(demo.call("update", {"displayName": "x"}), "INVALID_REQ_TYPE")
    assert_error(update(demo, "garbage", displayName="x"), "INVALID_ID_TOKEN")
    assert_error(update(demo, made["idToken"], password="12345"), "WEAK_PASSWORD")
    assert_error(update(demo, made["idToken"], deleteAttribute=["EVERYTHING"]), "Invalid JSON payload received. *")
    assert_error(update(demo, made["idToken"], deleteAttribute=["PROVIDER"]), "OPERATION_NOT_ALLOWED")
    assert_error(rest.servers[0].api("open-project-key").call("update", {"idToken": made["idToken"]}), "INVALID_ID_TOKEN")
    rest.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", made["localId"])
    assert_error(update(demo, made["idToken"], displayName="x"), "USER_DISABLED")
    rest.rows("DELETE FROM accounts WHERE account_id = %s", made["localId"])
    assert_error(update(demo, made["idToken"], displayName="x"), "USER_NOT_FOUND")


@pytest.mark.parametrize(
    "field, value",
    [
        ("emailVerified", True),
        ("customAttributes", '{"admin":true}'),
        ("phoneNumber", "+15550100"),
        ("validSince", "1"),
        ("createdAt", "1"),
        ("lastLoginAt", "1"),
        ("mfa", {}),
        ("linkProviderUserInfo", {"providerId": "google.com", "rawId": "1"}),
        ("disableUser", False),
    ],
)
def test_SEC_14_an_administrators_field_is_refused_in_both_spellings(rest, demo, field, value):
    made = sign_up(demo)
    before = rest.rows("SELECT * FROM accounts WHERE account_id = %s", made["localId"])
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in field)
    for name in (field, snake):
        code = "OPERATION_NOT_ALLOWED" if field == "disableUser" else "INSUFFICIENT_PERMISSION"
        assert_error(update(demo, made["idToken"], displayName="x", **{name: value}), code)
    assert rest.rows("SELECT * FROM accounts WHERE account_id = %s", made["localId"]) == before


def test_SEC_14_a_local_id_in_an_update_changes_nobody_else(rest, demo):
    victim, made = sign_up(demo), sign_up(demo)
    assert update(demo, made["idToken"], displayName="x", localId=victim["localId"]).json()["localId"] == made["localId"]
    assert rest.value("SELECT display_name FROM accounts WHERE account_id = %s", victim["localId"]) is None


# ---------------------------------------------------------------------------------------------------------------------------------
# delete, createAuthUri, tokens


def test_a_deleted_account_is_gone(rest, demo):
    email = address()
    made = sign_up(demo, email)
    assert demo.succeed("delete", {"idToken": made["idToken"], "localId": "ignored"}) == {"kind": "identitytoolkit#DeleteAccountResponse"}
    assert_error(demo.refresh(made["refreshToken"]), "USER_NOT_FOUND")
    assert_error(demo.call("signInWithPassword", {"email": email, "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")
    assert sign_up(demo, email)["localId"] != made["localId"]


def test_a_project_may_keep_deletion_for_administrators(rest, demo):
    made = sign_up(demo)
    with harness.a_site(
        project={"signIn": {**ON, "deletion": False}}, database=rest.database, migrate=False
    ) as other:
        other.master_key, other.settings["publicURL"] = rest.master_key, rest.url
        other.write()
        other.serve()
        assert_error(other.servers[0].api().call("delete", {"idToken": made["idToken"]}), "ADMIN_ONLY_OPERATION")


def test_methods_of_an_address(rest, demo, opened):
    email = address()
    for api in (demo, opened):
        sign_up(api, email)
    body = {"identifier": email.upper(), "continueUri": "http://localhost"}
    hidden = demo.succeed("createAuthUri", body)
    assert set(hidden) == {"kind", "sessionId"} and hidden == {**demo.succeed("createAuthUri", {**body, "identifier": "x@y.example"}), **hidden}
    told = opened.succeed("createAuthUri", body)
    assert told["registered"] is True and told["signinMethods"] == ["password"] and told["allProviders"] == ["password"]
    told = opened.succeed("createAuthUri", {**body, "identifier": "nobody@example.com"})
    assert told["registered"] is False and told["signinMethods"] == []
    assert_error(opened.call("createAuthUri", {"continueUri": "http://localhost"}), "MISSING_IDENTIFIER")
    assert_error(opened.call("createAuthUri", {"identifier": email}), "MISSING_CONTINUE_URI")
    assert_error(opened.call("createAuthUri", {**body, "identifier": "no address"}), "INVALID_IDENTIFIER")
    assert_error(opened.call("createAuthUri", {**body, "continueUri": "no uri"}), "INVALID_CONTINUE_URI")


def test_a_project_with_static_refresh_tokens(rest):
    api = rest.servers[0].api("static-project-key")
    made = sign_up(api)
    for _ in range(3):
        answer = api.refresh(made["refreshToken"]).json()
        assert answer["refresh_token"] == made["refreshToken"]
    update(api, made["idToken"], password="battery staple")
    assert_error(api.refresh(made["refreshToken"]), "TOKEN_EXPIRED")


def test_recaptcha_is_off_for_everything(rest, demo):
    url = rest.url + "/v2/recaptchaConfig"
    query = {"key": demo.key, "clientType": "CLIENT_TYPE_WEB", "version": "RECAPTCHA_ENTERPRISE"}
    answer = requests.get(url, params=query, timeout=10).json()
    assert answer["recaptchaKey"].split("/") == ["projects", PROJECT, "keys", "off"]
    assert {(state["provider"], state["enforcementState"]) for state in answer["recaptchaEnforcementState"]} == {
        ("EMAIL_PASSWORD_PROVIDER", "OFF"),
        ("PHONE_PROVIDER", "OFF"),
    }
    for missing, code in (("clientType", "MISSING_CLIENT_TYPE"), ("version", "MISSING_RECAPTCHA_VERSION")):
        rest_of = {name: value for name, value in query.items() if name != missing}
        assert_error(requests.get(url, params=rest_of, timeout=10), code)
    assert_error(requests.get(url, params={**query, "version": "V2"}, timeout=10), "INVALID_RECAPTCHA_VERSION")
    assert_error(requests.get(rest.url + "/v1/recaptchaParams", params={"key": demo.key}, timeout=10), "RECAPTCHA_NOT_ENABLED")


def test_the_v3_names_and_snake_case_do_the_same(rest, demo):
    email = address()
    base = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
    made = demo.post(base + "signupNewUser", {"email": email, "password": "correct horse", "return_secure_token": True}).json()
    again = demo.post(base + "verifyPassword", {"email": email, "password": "correct horse"}).json()
    assert again["localId"] == made["localId"]
    assert demo.post(base + "setAccountInfo", {"id_token": again["idToken"], "display_name": "Ada"}).json()["displayName"] == "Ada"
    assert demo.post(base + "getAccountInfo", {"id_token": again["idToken"]}).json()["users"][0]["displayName"] == "Ada"
    assert demo.post(base + "deleteAccount", {"id_token": again["idToken"]}).status_code == 200


def test_an_empty_address_beside_an_empty_password_is_an_invalid_address(demo):
    assert_error(demo.call("signUp", {"email": "", "password": ""}), "INVALID_EMAIL")


def test_an_unspecified_attribute_removes_nothing(demo):
    made = sign_up(demo)
    answer = update(demo, made["idToken"], deleteAttribute=["USER_ATTRIBUTE_NAME_UNSPECIFIED"])
    assert answer.status_code == 200 and answer.json()["email"] == made["email"]


def test_SEC_74_the_last_refresh_is_told_by_the_day_from_the_first_sign_in_on(demo):
    made = sign_up(demo)
    assert demo.lookup(made["idToken"])["lastRefreshAt"].rstrip("Z").removesuffix(".000").endswith("T00:00:00")


def test_an_account_is_found_by_the_address_of_its_provider(rest, opened):
    made, provided = sign_up(opened), address()
    project, account = rest.rows("SELECT project_id, account_id FROM accounts WHERE account_id = %s", made["localId"])[0]
    rest.rows(
        "INSERT INTO identities (project_id, provider_id, subject, account_id, email, linked_at, last_sign_in_at)"
        " VALUES (%s, 'oidc.acme', %s, %s, %s, now(), now())", project, provided, account, provided,
    )
    answer = opened.succeed("createAuthUri", {"identifier": provided, "continueUri": "http://localhost"})
    assert answer["registered"] is True and answer["allProviders"] == ["password", "oidc.acme"]
    stranger = opened.succeed("createAuthUri", {"identifier": address(), "continueUri": "http://localhost"})
    assert stranger["registered"] is False
