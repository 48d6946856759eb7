"""Session cookies by the SDK, with the functions of `docs/backends/session-cookies.md`."""

import datetime
import time

import jwt
import pytest
from firebase_admin import auth, exceptions

from support.accounts import person
from support.admin_sdk.pages import blocks
from support.clients.api import API, assert_error
from support.jwts import claims, foreign_key, wait_past
from support.leaks import note
from support.names import OTHER, PROJECT

WEEK = datetime.timedelta(days=7)


def sign_in(stage, uid=None, **options):
    token = stage.sdk.create_custom_token(uid or person(), **options)
    return stage.api.succeed("signInWithCustomToken", {"token": token, "returnSecureToken": True})


def test_a_cookie_says_what_the_ID_token_said(stage, sdk):
    user = sign_in(stage, developer_claims={"premium": True})
    cookie = sdk.create_session_cookie(user["idToken"], expires_in=WEEK)
    verified, source = sdk.verify_session_cookie(cookie, check_revoked=True), claims(user["idToken"])
    assert verified["iss"] == f"https://session.firebase.google.com/{PROJECT}"
    assert verified["exp"] - verified["iat"] == WEEK.total_seconds() and abs(verified["iat"] - time.time()) < 60
    assert verified["premium"] is True
    for name in ("sub", "aud", "auth_time", "firebase", "user_id"):
        assert verified[name] == source[name]


def test_the_functions_of_the_page(stage):
    first, second = blocks("session-cookies.md", "python", "cookie")
    user = sign_in(stage)
    script = "import firebase_admin\napp = firebase_admin.get_app(name)\n" + first + second
    script += "cookie = make_session(token, app)\nwho = person(cookie, app)\n"
    names = stage.process.do("execute", script, {"token": user["idToken"], "name": stage.sdk.name})
    assert names["who"] == claims(user["idToken"])["sub"]
    note(names["cookie"])


def test_a_cookie_is_verified_with_a_JWT_library(production_stage):
    cookie = production_stage.sdk.create_session_cookie(sign_in(production_stage)["idToken"], expires_in=WEEK)
    keys = jwt.PyJWKClient(production_stage.site.url + "/v1/sessionCookiePublicKeys")
    issuer = f"https://session.firebase.google.com/{PROJECT}"
    key = keys.get_signing_key_from_jwt(cookie)
    assert jwt.decode(cookie, key, algorithms=["RS256"], audience=PROJECT, issuer=issuer)["sub"]
    id_tokens = jwt.PyJWKClient(f"{production_stage.site.url}/{PROJECT}/oauth2/jwks")
    assert not {key.key_id for key in keys.get_jwk_set().keys} & {key.key_id for key in id_tokens.get_jwk_set().keys}


def test_a_cookie_and_an_ID_token_do_not_stand_for_one_another(production_stage):
    sdk, user = production_stage.sdk, sign_in(production_stage)
    cookie = sdk.create_session_cookie(user["idToken"], expires_in=WEEK)
    with pytest.raises(auth.InvalidIdTokenError):
        sdk.verify_id_token(cookie)
    with pytest.raises(auth.InvalidSessionCookieError):
        sdk.verify_session_cookie(user["idToken"])
    assert_error(production_stage.api.call("lookup", {"idToken": cookie}), "INVALID_ID_TOKEN")
    with pytest.raises(auth.InvalidIdTokenError):
        sdk.create_session_cookie(cookie, expires_in=WEEK)


def test_forged_and_foreign_cookies_are_refused(production_stage):
    stage = production_stage
    cookie = stage.sdk.create_session_cookie(sign_in(stage)["idToken"], expires_in=WEEK)
    header, body, signature = cookie.split(".")
    kid = jwt.get_unverified_header(cookie)["kid"]
    token = API(stage.site.url, OTHER["apiKeys"][0]).succeed("signUp", {"returnSecureToken": True})["idToken"]
    other = stage.other.create_session_cookie(token, expires_in=WEEK)
    assert stage.other.verify_session_cookie(other)
    for bad in (foreign_key(kid).sign(claims(cookie)), f"{header}.{body}.", f"{header}.{other.split('.')[1]}.{signature}", other):
        with pytest.raises(auth.InvalidSessionCookieError):
            stage.sdk.verify_session_cookie(bad)


def test_only_a_good_ID_token_becomes_a_cookie(stage, sdk):
    user = sign_in(stage)
    header, body, signature = user["idToken"].split(".")
    bad = ["not.a.token"]
    if stage.in_production:
        bad += [stage.expired, f"{header}.{body}.", foreign_key("no-such").sign(claims(user["idToken"]))]
        bad.append(stage.other_api.succeed("signUp", {"returnSecureToken": True})["idToken"])
    for token in bad:
        with pytest.raises((auth.InvalidIdTokenError, exceptions.InvalidArgumentError)):
            sdk.create_session_cookie(token, expires_in=WEEK)


def test_an_ended_session_becomes_no_cookie(stage, sdk):
    uid = person()
    user = sign_in(stage, uid)
    sdk.revoke_refresh_tokens(uid)
    with pytest.raises((auth.InvalidIdTokenError, exceptions.InvalidArgumentError)):
        sdk.create_session_cookie(user["idToken"], expires_in=WEEK)


def test_a_disabled_user_gets_no_cookie(stage, sdk):
    uid = person()
    user = sign_in(stage, uid)
    sdk.update_user(uid, disabled=True)
    with pytest.raises(exceptions.FirebaseError):
        sdk.create_session_cookie(user["idToken"], expires_in=WEEK)


def test_revocation_and_disabling_end_cookies_that_are_checked(stage, sdk):
    uid = person()
    cookie = sdk.create_session_cookie(sign_in(stage, uid)["idToken"], expires_in=WEEK)
    wait_past(cookie)
    sdk.revoke_refresh_tokens(uid)
    with pytest.raises(auth.RevokedSessionCookieError):
        sdk.verify_session_cookie(cookie, check_revoked=True)
    assert sdk.verify_session_cookie(cookie)["uid"] == uid
    sdk.update_user(uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        sdk.verify_session_cookie(cookie, check_revoked=True)


@pytest.mark.parametrize("seconds", [300, 1209600])
def test_the_shortest_and_the_longest_cookie(stage, sdk, seconds):
    cookie = sdk.create_session_cookie(sign_in(stage)["idToken"], expires_in=datetime.timedelta(seconds=seconds))
    assert claims(cookie)["exp"] - claims(cookie)["iat"] == seconds
