"""accounts:update and accounts:delete: every row of their tables of errors."""

import pytest

from support.accounts import address, sign_up, update
from support.clients.api import assert_error
from support.harness import together, wait_until
from support.jwts import claims, wait_past
from support.names import METHODS
from support.servers.site import a_site


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
    answer = update(demo, made["idToken"], deleteAttribute=[2, "4"])
    assert answer.status_code == 200 and "displayName" not in answer.json() and "photoUrl" not in answer.json()
    for field, longest, start in (("displayName", 256, ""), ("photoUrl", 2048, "https://example.com/")):
        assert update(demo, made["idToken"], **{field: start.ljust(longest, "x")}).status_code == 200
        assert update(demo, made["idToken"], **{field: start.ljust(longest + 1, "x")}).status_code == 400
        assert update(demo, made["idToken"], **{field: "a\u0000b"}).status_code == 400


def test_a_new_password_ends_every_other_session(rest, demo):
    email = address()
    made = sign_up(demo, email)
    other = demo.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    wait_past(made["idToken"], other["idToken"])
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

    made, answer = wait_until(same_second, what="a sign-up and an update in one second")
    assert answer["idToken"] != made["idToken"], "an SDK would not look at the refresh token beside it"
    assert int(answer["expiresIn"]) == claims(answer["idToken"])["exp"] - claims(answer["idToken"])["iat"] == 3600
    assert demo.lookup(answer["idToken"])["localId"] == made["localId"]
    assert demo.refresh(answer["refreshToken"]).status_code == 200


def stale(rest, api, made):
    """A token of the account whose sign-in is too old, as a thief of the refresh token gets it."""
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
    wait_past(made["idToken"])
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


def test_SEC_14_a_local_id_in_an_update_changes_no_other_account(rest, demo):
    victim, made = sign_up(demo), sign_up(demo)
    assert update(demo, made["idToken"], displayName="x", localId=victim["localId"]).json()["localId"] == made["localId"]
    assert rest.value("SELECT display_name FROM accounts WHERE account_id = %s", victim["localId"]) is None


def test_an_unspecified_attribute_removes_nothing(demo):
    made = sign_up(demo)
    answer = update(demo, made["idToken"], deleteAttribute=["USER_ATTRIBUTE_NAME_UNSPECIFIED", 0])
    assert answer.status_code == 200 and answer.json()["email"] == made["email"]


def test_a_deleted_account_is_gone(rest, demo):
    email = address()
    made = sign_up(demo, email)
    assert demo.succeed("delete", {"idToken": made["idToken"], "localId": "ignored"}) == {"kind": "identitytoolkit#DeleteAccountResponse"}
    assert_error(demo.refresh(made["refreshToken"]), "USER_NOT_FOUND")
    assert_error(demo.call("signInWithPassword", {"email": email, "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")
    assert sign_up(demo, email)["localId"] != made["localId"]


def test_a_project_may_keep_deletion_for_administrators(rest, demo):
    made = sign_up(demo)
    with a_site(project={"signIn": {**METHODS, "deletion": False}}, database=rest.database, migrate=False) as other:
        other.master_key, other.settings["publicURL"] = rest.master_key, rest.url
        other.write()
        other.serve()
        assert_error(other.servers[0].api().call("delete", {"idToken": made["idToken"]}), "ADMIN_ONLY_OPERATION")
