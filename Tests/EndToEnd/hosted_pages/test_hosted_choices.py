"""The account chooser, consent, the profile and the way out, without scripts."""

import pytest

from support.accounts import address
from support.hosted_pages.relying_party import NATIVE, THIRD_PARTY
from support.hosted_pages.stage import PASSWORD, account


@pytest.fixture
def signed_in(stage, visitor, known):
    """A visitor with a session; gives the account's `sub`."""
    asked = stage.request()
    return asked.redeemed(visitor.sign_in(visitor.open(asked.url), known, PASSWORD))["sub"]


def test_a_person_goes_on_with_the_account(stage, visitor, known, signed_in):
    asked = stage.request(prompt="select_account")
    page = visitor.open(asked.url)
    assert f"Continue as {known}" in page.text
    assert asked.redeemed(visitor.press(page, "choose"))["sub"] == signed_in


def test_a_person_takes_another_account(stage, visitor, api, signed_in):
    other = account(stage, api, address())
    asked = stage.request(prompt="select_account")
    page = visitor.click(visitor.open(asked.url), "other")
    assert asked.redeemed(visitor.sign_in(page, other["email"], PASSWORD))["sub"] == other["localId"]


def test_a_native_app_is_never_answered_without_the_person(stage, visitor, known, signed_in):
    asked = stage.request(client=NATIVE)
    page = visitor.open(asked.url)
    assert f"Continue as {known}" in page.text and "Field app" in page.text
    assert " com.example.field:" in page.response.headers["content-security-policy"]
    url = visitor.press(page, "choose")
    assert asked.redeemed(url)["sub"] == signed_in


def test_a_third_party_asks_once(stage, visitor, known, signed_in):
    asked = stage.third_party(scope="openid email offline_access")
    page = visitor.open(asked.url)
    assert "Allow Third Party to use your account?" in page.text and f"You are signed in as {known}" in page.text
    assert "your e-mail address" in page.text and "access while you are not using the app" in page.text and "your name" not in page.text
    asked.redeemed(visitor.press(page, "allow"))
    again = stage.third_party(scope="openid email")
    again.redeemed(visitor.open(again.url))
    # Other scopes are asked about again.
    assert "your name and your picture" in visitor.open(stage.third_party(scope="openid profile").url).text


def test_consent_that_is_refused_is_not_kept(stage, visitor, signed_in):
    asked = stage.third_party()
    answer = asked.answer(visitor.press(visitor.open(asked.url), "cancel"))
    assert answer["error"] == "access_denied" and "code" not in answer
    assert stage.value("SELECT count(*) FROM consents WHERE account_id = %s AND client_id = %s", signed_in, THIRD_PARTY) == 0


def test_a_new_sign_in_does_not_stand_for_consent(stage, visitor, known):
    asked = stage.third_party()
    page = visitor.sign_in(visitor.open(asked.url), known, PASSWORD)
    assert page.offers("do", "allow")
    asked.redeemed(visitor.press(page, "allow"))


@pytest.mark.parametrize("flow", [None, "b2c_1_susi", "b2c_1_reset", "b2c_1_sign_up"])
def test_cancelling_tells_the_client(stage, visitor, flow):
    asked = stage.request(flow)
    page = visitor.open(asked.url)
    answer = asked.answer(visitor.press(page, "cancel"))
    assert answer["error"] == "access_denied" and answer["iss"]
    assert answer["error_description"].startswith("AADB2C90091: ") == bool(flow)
    # The request is over.
    assert "was finished" in visitor.press(page, "cancel").text


def test_cancelling_works_from_every_page(stage, visitor, known):
    asked = stage.request("b2c_1_susi")
    page = visitor.press(visitor.click(visitor.open(asked.url), "sign-up"), "mail", email=address())
    assert asked.answer(visitor.press(page, "cancel"))["error"] == "access_denied"


def test_a_profile_is_changed(stage, visitor, known, signed_in):
    asked = stage.request("b2c_1_profile")
    page = visitor.open(asked.url)
    assert f"You are signed in as {known}" in page.text and set(page.fields) == {"displayName", "surname"}
    claims = asked.redeemed(visitor.press(page, "profile", displayName="Grace Hopper", surname="Hopper"))
    assert (claims["name"], claims["family_name"]) == ("Grace Hopper", "Hopper")
    page = visitor.open(stage.request("b2c_1_profile").url)
    assert page.fields["displayName"]["value"] == "Grace Hopper"
    asked = stage.request("b2c_1_profile")
    assert "family_name" not in asked.redeemed(visitor.press(visitor.open(asked.url), "profile", surname=""))


def test_a_profile_is_changed_after_a_sign_in(stage, visitor, known):
    asked = stage.request("b2c_1_profile")
    page = visitor.open(asked.url)
    assert "sign-up" not in page.links
    page = visitor.sign_in(page, known, PASSWORD)
    asked.redeemed(visitor.press(page, "profile", displayName="Grace"))


def test_a_session_that_was_revoked_does_not_answer(stage, visitor, known, signed_in):
    stage.run("sessions", "revoke", "demo", signed_in, check=True)
    page = visitor.open(stage.request().url)
    assert page.offers("do", "password")
