"""The links of mails that the SDK makes, followed as a person would."""

from urllib.parse import parse_qs, urlsplit

import pytest
from firebase_admin import auth, exceptions

from support.accounts import person
from support.clients.api import assert_error
from support.leaks import note

CONTINUE = "https://app.example.com/welcome?a=1&b=5#f=1"


@pytest.fixture
def user(sdk):
    return sdk.create_user(email=f"{person()}@example.com", password="correct horse")


def settings(**more):
    return auth.ActionCodeSettings(url=CONTINUE, **more)


def code(stage, link, mode):
    """The code of a link, which leads to the page of this server."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert asked["mode"] == mode and asked.get("apiKey")
    assert link.startswith("https://auth.example.com/" if stage.in_production else stage.site.url), link
    return note(asked["oobCode"]), asked


def test_a_link_for_a_new_password(stage, sdk, user):
    oob, asked = code(stage, sdk.generate_password_reset_link(user.email), "resetPassword")
    assert stage.api.succeed("resetPassword", {"oobCode": oob})["email"] == user.email
    stage.api.succeed("resetPassword", {"oobCode": oob, "newPassword": "another horse"})
    assert stage.api.succeed("signInWithPassword", {"email": user.email, "password": "another horse"})["localId"] == user.uid
    assert sdk.get_user(user.uid).email_verified is True
    assert_error(stage.api.call("resetPassword", {"oobCode": oob, "newPassword": "a third horse"}), "INVALID_OOB_CODE")


def test_a_link_that_verifies_an_address(stage, sdk, user):
    assert user.email_verified is False
    oob, asked = code(stage, sdk.generate_email_verification_link(user.email, settings()), "verifyEmail")
    assert asked["continueUrl"] == CONTINUE
    answer = stage.api.succeed("update", {"oobCode": oob})
    assert (answer["email"], sdk.get_user(user.uid).email_verified) == (user.email, True)


def test_a_link_that_signs_in(stage, sdk, user):
    oob, asked = code(stage, sdk.generate_sign_in_with_email_link(user.email, settings()), "signIn")
    assert asked["continueUrl"] == CONTINUE
    answer = stage.api.succeed("signInWithEmailLink", {"email": user.email, "oobCode": oob})
    assert answer["isNewUser"] is False and sdk.get_user(user.uid).email_verified is True
    assert_error(stage.api.call("signInWithEmailLink", {"email": user.email, "oobCode": oob}), "INVALID_OOB_CODE")


def test_a_link_that_signs_a_new_person_in(stage, sdk):
    email = f"{person()}@example.com"
    oob, _ = code(stage, sdk.generate_sign_in_with_email_link(email, settings()), "signIn")
    answer = stage.api.succeed("signInWithEmailLink", {"email": email, "oobCode": oob})
    assert answer["isNewUser"] is True and sdk.get_user_by_email(email).uid == answer["localId"]


def test_links_are_made_for_users_alone(sdk):
    for ask in (sdk.generate_password_reset_link, sdk.generate_email_verification_link):
        with pytest.raises((auth.EmailNotFoundError, auth.UserNotFoundError)):
            ask("no-such@example.com")


def test_a_link_leads_to_authorized_domains_alone(sdk, user):
    with pytest.raises(exceptions.FirebaseError) as error:
        sdk.generate_email_verification_link(user.email, auth.ActionCodeSettings(url="https://evil.example/"))
    assert "UNAUTHORIZED_DOMAIN" in str(error.value) or "domain" in str(error.value).lower()


def test_no_mail_is_sent_and_the_audit_tells_of_the_link(stage, sdk, user):
    sdk.generate_password_reset_link(user.email)
    # Development mode lists the link among the mails, with no time at which one would leave.
    assert stage.site.value("SELECT count(*) FROM deliveries WHERE due_at < 'infinity'") == 0
    actions = [row[0] for row in stage.site.rows("SELECT action FROM audit_events WHERE account_id = %s ORDER BY event_id", user.uid)]
    assert any("link" in action.lower() for action in actions), actions
