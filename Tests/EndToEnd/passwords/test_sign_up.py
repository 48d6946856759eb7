"""accounts:signUp: every row of its table of errors, in the order of the checks."""

import pytest

from support.accounts import address, sign_up
from support.clients.api import assert_error
from support.harness import together
from support.jwts import claims
from support.names import PROJECT


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
    assert user["providerUserInfo"] == [
        {"providerId": "password", "rawId": email, "federatedId": email, "email": email, "displayName": "Ada"}
    ]
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
    # The caller's own new tokens are valid; the old refresh token has ended.
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
    for wrong in (
        "",
        "no address",
        "a@b@c",
        "a b@example.com",
        "@example.com",
        "a@",
        "a\n@example.com",
        "x" * 250 + "@example.com",
        "ada\u200b@example.com",
        "<ada@example.com>",
        "ren\u00e9@example.com",
        "a..b@example.com",
    ):
        assert_error(demo.call("signUp", {"email": wrong, "password": "x"}), "INVALID_EMAIL")
    # A taken address is reported before the password is checked, and in both modes (docs/wire.md, "Order of checks").
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
    # Fields that SDKs may send, and members that are not fields at all.
    answer = sign_up(
        demo,
        address(),
        photoUrl="https://example.com/x.png",
        emailVerified=None,
        clientType="CLIENT_TYPE_WEB",
        captchaResponse="x",
        recaptchaVersion="RECAPTCHA_ENTERPRISE",
        admin=True,
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


def test_an_empty_address_beside_an_empty_password_is_an_invalid_address(demo):
    assert_error(demo.call("signUp", {"email": "", "password": ""}), "INVALID_EMAIL")
