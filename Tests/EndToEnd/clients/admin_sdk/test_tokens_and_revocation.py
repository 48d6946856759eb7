"""Custom tokens that the SDK signs, and the ends of sessions that it checks."""

import pytest
from firebase_admin import auth

from support.accounts import person
from support.clients.api import API, assert_error
from support.jwts import claims, wait_past
from support.names import API_KEY


def sign_in(stage, uid, **options):
    token = stage.sdk.create_custom_token(uid, **options)
    return stage.api.succeed("signInWithCustomToken", {"token": token, "returnSecureToken": True})


def checked(stage, token):
    return stage.sdk.verify_id_token(token, check_revoked=True)


def test_a_custom_token_signs_in_and_its_claims_arrive(stage):
    uid = person()
    user = sign_in(stage, uid, developer_claims={"premium": True})
    verified = checked(stage, user["idToken"])
    assert (verified["uid"], verified["premium"], user["isNewUser"]) == (uid, True, True)
    assert verified["firebase"]["sign_in_provider"] == "custom"
    assert stage.sdk.get_user(uid).uid == uid


def test_claims_of_the_user_and_of_the_token_join(stage):
    uid = person()
    sign_in(stage, uid)
    stage.sdk.set_custom_user_claims(uid, {"role": "reader", "level": 1})
    verified = checked(stage, sign_in(stage, uid, developer_claims={"role": "writer"})["idToken"])
    assert (verified["role"], verified["level"]) == ("writer", 1), "the token's own claims come last"


def test_a_custom_token_signs_in_at_its_own_project_alone(stage):
    token = stage.other.create_custom_token(person())
    answer = API(stage.site.url, API_KEY).call("signInWithCustomToken", {"token": token, "returnSecureToken": True})
    if stage.in_production:
        assert_error(answer, "CREDENTIAL_MISMATCH")
    else:
        # Unsigned tokens name no project.
        assert answer.status_code == 200


def test_revocation_ends_sessions_and_tokens(stage):
    uid = person()
    user = sign_in(stage, uid)
    assert checked(stage, user["idToken"])["uid"] == uid
    wait_past(user["idToken"])
    stage.sdk.revoke_refresh_tokens(uid)
    with pytest.raises(auth.RevokedIdTokenError):
        checked(stage, user["idToken"])
    # Without the check, the SDK asks nothing.
    assert stage.sdk.verify_id_token(user["idToken"])["uid"] == uid
    assert_error(stage.api.refresh(user["refreshToken"]), "TOKEN_EXPIRED")
    assert_error(stage.api.call("lookup", {"idToken": user["idToken"]}), "TOKEN_EXPIRED")
    valid_after = stage.sdk.get_user(uid).tokens_valid_after_timestamp
    assert valid_after > claims(user["idToken"])["iat"] * 1000


def test_a_sign_in_after_the_revocation_is_good(stage):
    email = f"{person()}@example.com"
    user = stage.sdk.create_user(email=email, password="correct horse")
    first = stage.api.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    wait_past(first["idToken"])
    stage.sdk.revoke_refresh_tokens(user.uid)
    second = stage.api.succeed("signInWithPassword", {"email": email, "password": "correct horse", "returnSecureToken": True})
    assert checked(stage, second["idToken"])["uid"] == user.uid
    assert stage.api.refresh(second["refreshToken"]).status_code == 200


def test_a_custom_token_right_after_the_revocation_signs_in(stage):
    """A back end ends all sessions of a person, and lets the device at hand go on."""
    uid = person()
    before = sign_in(stage, uid)
    for _ in range(20):
        stage.sdk.revoke_refresh_tokens(uid)
        assert_error(stage.api.refresh(before["refreshToken"]), "TOKEN_EXPIRED")
        before = sign_in(stage, uid)
        assert stage.api.refresh(before["refreshToken"]).status_code == 200


def test_a_disabled_user_fails_the_check(stage):
    uid = person()
    user = sign_in(stage, uid)
    stage.sdk.update_user(uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        checked(stage, user["idToken"])


def test_a_deleted_user_fails_the_check(stage):
    uid = person()
    user = sign_in(stage, uid)
    stage.sdk.delete_user(uid)
    with pytest.raises(auth.UserNotFoundError):
        checked(stage, user["idToken"])
