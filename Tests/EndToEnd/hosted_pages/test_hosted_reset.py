"""A new password at a hosted page: the digits prove the mailbox, and the request goes on."""

import pytest

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, wrong
from support.leaks import note

NEW = note("another horse battery")


def new_password(stage, visitor, page, email):
    count = len(stage.mails(email)) + 1
    page = visitor.press(page, "mail", email=email)
    return visitor.press(page, "code", code=stage.digits(email, count))


@pytest.mark.parametrize("flow", [None, "b2c_1_susi", "b2c_1_sign_in", "b2c_1_reset"])
def test_a_new_password_signs_in(stage, visitor, api, known, flow):
    asked = stage.request(flow)
    page = visitor.open(asked.url)
    if flow != "b2c_1_reset":
        page = visitor.click(page, "forgotten")
    page = new_password(stage, visitor, page, known)
    assert page.fields["username"]["value"] == known
    weak = visitor.press(page, "save", password="short")
    assert weak.status == 400 and "does not meet the rules" in weak.text
    asked.redeemed(visitor.press(weak, "save", password=NEW))
    assert api.call("signInWithPassword", {"email": known, "password": PASSWORD}).status_code == 400
    api.succeed("signInWithPassword", {"email": known, "password": NEW, "returnSecureToken": True})


def test_all_sessions_end(stage, visitor, api, known):
    session = api.succeed("signInWithPassword", {"email": known, "password": PASSWORD, "returnSecureToken": True})
    asked = stage.request("b2c_1_reset")
    asked.redeemed(visitor.press(new_password(stage, visitor, visitor.open(asked.url), known), "save", password=NEW))
    assert "TOKEN_EXPIRED" in api.post("/v1/token", {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]}).text


def test_unknown_addresses_get_the_same_page_and_no_mail(stage, visitor, known):
    stranger = address()
    first, second = (visitor.press(visitor.open(stage.request("b2c_1_reset").url), "mail", email=email) for email in (known, stranger))
    assert first.text.replace(known, "") == second.text.replace(stranger, "")
    stage.digits(known)
    assert stage.mails(stranger) == []


def test_a_session_does_not_answer_a_user_flow_for_passwords(stage, visitor, known):
    first = stage.request()
    first.redeemed(visitor.sign_in(visitor.open(first.url), known, PASSWORD))
    page = visitor.open(stage.request("b2c_1_reset").url)
    assert "Choose a new password" in page.text


def test_a_disabled_account_gets_no_mail(stage, visitor, known):
    stage.rows("UPDATE accounts SET disabled = true WHERE email = %s", known)
    page = visitor.press(visitor.open(stage.request("b2c_1_reset").url), "mail", email=known)
    assert f"If an account has the address {known}" in page.text
    marker = address()
    visitor.press(visitor.click(visitor.open(stage.request().url), "sign-up"), "mail", email=marker)
    stage.digits(marker)
    assert stage.mails(known) == []


def test_SEC_50_an_address_that_digits_have_proven_signs_in_by_no_other_digits(stage, visitor, known):
    """They prove it for a new password; the page for a sign-in wants them too, and a form that is sent again does not sign in again."""
    url = stage.request().url
    proven = visitor.press(visitor.click(visitor.open(url), "forgotten"), "mail", email=known)
    digits = stage.digits(known)
    visitor.press(proven, "code", code=digits)
    page = visitor.open(f"{proven.url.split('&page=')[0]}&page=signInCode")
    refused = visitor.press(page, "code", code=wrong(digits))
    assert refused.status == 400 and "gatehouse_session.demo" not in visitor.cookies
    stage.rows("UPDATE authorization_requests SET email_code_expires = email_code_expires - interval '10 minutes' WHERE email = %s", known)
    assert visitor.press(page, "code", code=digits).status == 400 and "gatehouse_session.demo" not in visitor.cookies
