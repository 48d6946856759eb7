"""The calls of the SDK that manage one user."""

import time

import pytest
from firebase_admin import auth, exceptions

from support.accounts import person
from support.clients.api import API, assert_error
from support.jwts import claims
from support.names import PROJECT

PASSWORD = "correct horse"


def phone():
    return f"+1555{int.from_bytes(person().encode()[-4:]) % 10_000_000:07}"


def made(sdk, **fields):
    return sdk.create_user(**{"email": f"{person()}@example.com", "password": PASSWORD, **fields})


def signed_in(stage, user):
    return stage.api.succeed("signInWithPassword", {"email": user.email, "password": PASSWORD, "returnSecureToken": True})


def link(stage, user, subject, provider="google.com"):
    """What a sign-in through the provider leaves behind."""
    stage.site.rows(
        "INSERT INTO identities (project_id, provider_id, subject, account_id, email, linked_at, last_sign_in_at)"
        " VALUES (%s, %s, %s, %s, %s, now(), now())",
        PROJECT,
        provider,
        subject,
        user.uid,
        user.email,
    )


def test_create_gives_every_field(stage, sdk):
    uid, email, number, before = person(), f"{person()}@example.com", phone(), time.time() * 1000 - 1000
    profile = {"display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png"}
    user = sdk.create_user(uid=uid, email=email, password=PASSWORD, phone_number=number, email_verified=True, disabled=False, **profile)
    assert (user.uid, user.email, user.phone_number, user.email_verified, user.disabled) == (uid, email, number, True, False)
    assert (user.display_name, user.photo_url, user.custom_claims) == (*profile.values(), None)
    assert before < user.user_metadata.creation_timestamp < time.time() * 1000 + 1000
    assert user.user_metadata.last_sign_in_timestamp is None
    assert {provider.provider_id for provider in user.provider_data} == {"password", "phone"}
    said = claims(signed_in(stage, user)["idToken"])
    assert (said["sub"], said["name"], said["phone_number"], said["email_verified"]) == (uid, "Ada Lovelace", number, True)
    assert said["firebase"]["identities"]["phone"] == [number]
    assert sdk.get_user(uid).user_metadata.last_sign_in_timestamp >= before


def test_create_without_anything_makes_an_account(sdk):
    user = sdk.create_user()
    assert len(user.uid) >= 20 and user.email is None and user.provider_data == []


def test_create_refuses_what_is_taken(sdk):
    user = made(sdk, uid=person(), phone_number=phone())
    with pytest.raises(auth.UidAlreadyExistsError):
        sdk.create_user(uid=user.uid)
    with pytest.raises(auth.EmailAlreadyExistsError):
        sdk.create_user(email=user.email.upper())
    with pytest.raises(auth.PhoneNumberAlreadyExistsError):
        sdk.create_user(phone_number=user.phone_number)


def test_create_refuses_what_the_SDK_lets_through(sdk):
    for fields in ({"password": "12345x"[:6], "email": "no-host@"}, {"phone_number": "+" + "1" * 30}, {"uid": "a\x00b"}):
        with pytest.raises((exceptions.InvalidArgumentError, ValueError)):
            sdk.create_user(**fields)


def test_get_finds_a_user_in_every_way(stage, sdk):
    user = made(sdk, phone_number=phone())
    link(stage, user, "google-" + user.uid)
    by_uid, by_email, by_phone = (
        sdk.get_user(user.uid),
        sdk.get_user_by_email(user.email.upper()),
        sdk.get_user_by_phone_number(user.phone_number),
    )
    assert by_uid.uid == by_email.uid == by_phone.uid == user.uid
    assert {provider.provider_id: provider.uid for provider in by_uid.provider_data}["google.com"] == "google-" + user.uid


def test_get_users_takes_all_kinds_of_names_at_once(stage, sdk):
    users = [made(sdk, phone_number=phone()) for _ in range(4)]
    link(stage, users[3], "google-" + users[3].uid)
    unknown = [auth.UidIdentifier("no-such"), auth.EmailIdentifier("no-such@example.com"), auth.PhoneIdentifier("+15550000000")]
    unknown.append(auth.ProviderIdentifier("google.com", "no-such"))
    result = sdk.get_users(
        [
            auth.UidIdentifier(users[0].uid),
            auth.EmailIdentifier(users[1].email),
            auth.PhoneIdentifier(users[2].phone_number),
            auth.ProviderIdentifier("google.com", "google-" + users[3].uid),
            # A second name of the same user.
            auth.EmailIdentifier(users[0].email),
            *unknown,
        ]
    )
    assert sorted(user.uid for user in result.users) == sorted(user.uid for user in users)
    assert len(result.not_found) == len(unknown)


def test_users_that_are_not_there(sdk):
    for ask in (
        lambda: sdk.get_user("no-such"),
        lambda: sdk.get_user_by_email("no-such@example.com"),
        lambda: sdk.get_user_by_phone_number("+15550000000"),
        lambda: sdk.update_user("no-such", display_name="Ada"),
        lambda: sdk.update_user("no-such"),
        lambda: sdk.set_custom_user_claims("no-such", {"a": 1}),
        lambda: sdk.revoke_refresh_tokens("no-such"),
        lambda: sdk.delete_user("no-such"),
    ):
        with pytest.raises(auth.UserNotFoundError):
            ask()


def test_update_changes_every_field_and_removes_them(sdk):
    user = made(sdk)
    email, number = f"{person()}@example.com", phone()
    changed = sdk.update_user(
        user.uid, email=email, email_verified=True, phone_number=number, display_name="Ada", photo_url="https://example.com/a.png"
    )
    assert (changed.email, changed.email_verified, changed.phone_number) == (email, True, number)
    assert (changed.display_name, changed.photo_url) == ("Ada", "https://example.com/a.png")
    gone = sdk.update_user(
        user.uid, phone_number=auth.DELETE_ATTRIBUTE, display_name=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE
    )
    assert (gone.phone_number, gone.display_name, gone.photo_url, gone.email) == (None, None, None, email)


def test_update_refuses_what_another_user_has(sdk):
    one, other = made(sdk, phone_number=phone()), made(sdk)
    with pytest.raises(auth.EmailAlreadyExistsError):
        sdk.update_user(other.uid, email=one.email)
    with pytest.raises(auth.PhoneNumberAlreadyExistsError):
        sdk.update_user(other.uid, phone_number=one.phone_number)
    assert sdk.get_user(other.uid).email == other.email


def test_update_unlinks_a_provider(stage, sdk):
    user = made(sdk)
    link(stage, user, "google-" + user.uid)
    left = sdk.update_user(user.uid, providers_to_delete=["google.com"])
    assert [provider.provider_id for provider in left.provider_data] == ["password"]


def test_a_new_password_ends_sessions(stage, sdk):
    user = made(sdk)
    session = signed_in(stage, user)
    sdk.update_user(user.uid, password="another horse")
    assert_error(stage.api.refresh(session["refreshToken"]), "TOKEN_EXPIRED")
    assert_error(stage.api.call("signInWithPassword", {"email": user.email, "password": PASSWORD}), "INVALID_LOGIN_CREDENTIALS")
    stage.api.succeed("signInWithPassword", {"email": user.email, "password": "another horse"})


def test_a_disabled_user_cannot_sign_in_until_enabled(stage, sdk):
    user = made(sdk)
    session = signed_in(stage, user)
    assert sdk.update_user(user.uid, disabled=True).disabled is True
    assert_error(stage.api.refresh(session["refreshToken"]), "USER_DISABLED")
    assert_error(stage.api.call("signInWithPassword", {"email": user.email, "password": PASSWORD}), "USER_DISABLED")
    assert sdk.update_user(user.uid, disabled=False).disabled is False
    assert signed_in(stage, user)["localId"] == user.uid
    # What was ended stays so.
    assert stage.api.refresh(session["refreshToken"]).status_code == 400


def test_claims_stand_in_the_next_token(stage, sdk):
    user = made(sdk)
    session = signed_in(stage, user)
    sdk.set_custom_user_claims(user.uid, {"role": "admin", "level": 7})
    assert sdk.get_user(user.uid).custom_claims == {"role": "admin", "level": 7}
    refreshed = stage.api.refresh(session["refreshToken"]).json()
    verified = sdk.verify_id_token(refreshed["id_token"])
    assert (verified["role"], verified["level"], verified["uid"]) == ("admin", 7, user.uid)
    assert claims(signed_in(stage, user)["idToken"])["role"] == "admin"
    sdk.set_custom_user_claims(user.uid, None)
    assert sdk.get_user(user.uid).custom_claims in (None, {})
    assert "role" not in claims(signed_in(stage, user)["idToken"])


def test_claims_that_are_refused(sdk):
    user = made(sdk)
    for bad in ({"sub": "x"}, {"a": "x" * 1000}):
        with pytest.raises((exceptions.InvalidArgumentError, ValueError)):
            sdk.set_custom_user_claims(user.uid, bad)
    assert sdk.get_user(user.uid).custom_claims in (None, {})


def test_a_deleted_user_is_gone(stage, sdk):
    user = made(sdk)
    session = signed_in(stage, user)
    sdk.delete_user(user.uid)
    with pytest.raises(auth.UserNotFoundError):
        sdk.get_user(user.uid)
    assert_error(stage.api.refresh(session["refreshToken"]), "USER_NOT_FOUND")
    assert_error(stage.api.call("lookup", {"idToken": session["idToken"]}), "USER_NOT_FOUND")


def test_the_audit_names_the_administrator(stage, sdk):
    user = made(sdk)
    sdk.update_user(user.uid, disabled=True)
    sdk.delete_user(user.uid)
    actors = {row[0] for row in stage.site.rows("SELECT actor FROM audit_events WHERE account_id = %s", user.uid)}
    (actor,) = actors
    assert ("backend@demo" if stage.in_production else "owner") in actor


def test_the_password_is_never_shown(stage, sdk):
    user = made(sdk)
    ((shown,),) = [[listed for listed in page if listed.uid == user.uid] for page in sdk.pages() if user.uid in [u.uid for u in page]]
    ask = stage.site.value("SELECT password_hash IS NOT NULL FROM accounts WHERE account_id = %s", user.uid)
    assert ask is True
    assert shown.password_hash in (None, "UkVEQUNURUQ=") or not stage.in_production
    assert API(stage.site.url).call("lookup", {"localId": [user.uid]}).status_code >= 400
