"""Making an account at a hosted page: the address is proven by six digits before the account exists."""

import pytest

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, wrong
from support.hosted_pages.visitor import Visitor


def details(stage, visitor, asked, email):
    """The page that asks for the password, after the address was proven."""
    page = visitor.open(asked.url)
    if "sign-up" in page.links:
        page = visitor.click(page, "sign-up")
    page = visitor.press(page, "mail", email=email)
    return visitor.press(page, "code", code=stage.digits(email))


@pytest.mark.parametrize("flow", ["b2c_1_susi", "b2c_1_sign_up"])
def test_an_account_is_made_with_its_attributes(stage, visitor, flow):
    email, asked = address(), stage.request(flow)
    page = details(stage, visitor, asked, email)
    assert page.fields["username"]["value"] == email and page.fields["password"]["autocomplete"] == "new-password"
    assert stage.value("SELECT count(*) FROM accounts WHERE email = %s", email) == 0
    names = {"displayName": "Ada Lovelace", "surname": "Lovelace"} if flow == "b2c_1_susi" else {}
    claims = asked.redeemed(visitor.press(page, "create", password=PASSWORD, **names))
    assert claims["email"] == email and claims["email_verified"] is True
    assert claims.get("family_name") == names.get("surname")
    assert stage.value("SELECT email_proven FROM accounts WHERE email = %s", email) is True


def test_a_request_without_a_user_flow_makes_accounts_too(stage, visitor):
    email, asked = address(), stage.request()
    asked.redeemed(visitor.press(details(stage, visitor, asked, email), "create", password=PASSWORD))


def test_a_client_can_ask_for_the_page_at_once(stage, visitor):
    page = visitor.open(stage.request(prompt="create").url)
    assert "Create an account" in page.text and "password" not in page.fields


def test_a_weak_password_keeps_what_was_typed(stage, visitor):
    email, asked = address(), stage.request("b2c_1_susi")
    page = details(stage, visitor, asked, email)
    page = visitor.press(page, "create", password="short", displayName="Ada", givenName="", surname="L")
    assert page.status == 400 and "does not meet the rules" in page.text
    assert (page.fields["displayName"]["value"], page.fields["surname"]["value"]) == ("Ada", "L")
    assert "value" not in page.fields["password"]
    asked.redeemed(visitor.press(page, "create", password=PASSWORD))


@pytest.mark.parametrize("name", ["a" * 257, "Ada\u202eevil"])
def test_a_name_that_could_mislead_is_refused(stage, visitor, name):
    page = details(stage, visitor, stage.request("b2c_1_susi"), address())
    page = visitor.press(page, "create", password=PASSWORD, displayName=name)
    assert page.status == 400 and page.fields["displayName"]["aria-invalid"] == "true"


def test_no_account_is_made_for_an_address_that_is_not_proven(stage, visitor):
    email, asked = address(), stage.request("b2c_1_susi")
    page = visitor.click(visitor.open(asked.url), "sign-up")
    page = visitor.press(page, "mail", email=email)
    digits = stage.digits(email)
    visitor.press(page, "code", code=wrong(digits))
    address_of_details = page.url.replace("signUpCode", "signUpDetails")
    answer = visitor.open(address_of_details)
    assert "password" not in answer.fields and "email" in answer.fields
    forged = visitor.follow(
        visitor.post(
            address_of_details,
            data={"do": "create", "password": PASSWORD},
            headers={"sec-fetch-site": "same-origin"},
            allow_redirects=False,
        )
    )
    assert "email" in forged.fields
    assert stage.value("SELECT count(*) FROM accounts WHERE email = %s", email) == 0


def test_the_digits_of_one_address_do_not_prove_another(stage, visitor):
    mine, other = address(), address()
    page = visitor.click(visitor.open(stage.request().url), "sign-up")
    page = visitor.press(page, "mail", email=mine)
    digits = stage.digits(mine)
    page = visitor.press(visitor.click(page, "other"), "mail", email=other)
    if stage.digits(other) != digits:
        assert visitor.press(page, "code", code=digits).status == 400


def test_the_digits_of_one_browser_do_not_work_in_another(stage, visitor):
    email = address()
    page = visitor.press(visitor.click(visitor.open(stage.request().url), "sign-up"), "mail", email=email)
    stranger = Visitor(stage)
    answer = stranger.press(page, "code", code=stage.digits(email))
    assert answer.status == 400 and "began in another browser" in answer.text


def test_the_owner_of_an_account_can_go_on(stage, visitor, known):
    """Whoever signs up with an address that has an account already proves it first, so the page may say so."""
    asked = stage.request()
    page = details(stage, visitor, asked, known)
    assert "You have an account with this address already" in page.text
    claims = asked.redeemed(visitor.press(page, "save", password="another horse battery"))
    assert stage.value("SELECT account_id FROM accounts WHERE email = %s", known) == claims["sub"]


def test_signing_up_twice_at_once_makes_one_account(stage, visitor):
    email, asked = address(), stage.request()
    page = details(stage, visitor, asked, email)
    twin = Visitor(stage)
    twin.cookies.update(visitor.cookies)
    asked.redeemed(visitor.press(page, "create", password=PASSWORD))
    # The same form again: the request is over.
    assert "was finished" in twin.press(page, "create", password=PASSWORD).text
    assert stage.value("SELECT count(*) FROM accounts WHERE email = %s", email) == 1


def test_a_project_without_sign_up_has_no_page_for_it(stage, visitor):
    page = visitor.open(stage.request("b2c_1_sign_in").url)
    answer = visitor.open(page.url + "&page=signUp")
    assert "password" in answer.fields
