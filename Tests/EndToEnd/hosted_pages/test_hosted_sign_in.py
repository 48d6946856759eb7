"""Signing in at a hosted page with a password or with a code by mail, without scripts."""

from urllib.parse import urljoin

import pytest

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, HostedSite, account, wrong
from support.hosted_pages.visitor import Visitor
from support.leaks import note
from support.names import TIMEOUT
from support.servers.site import limits


def test_a_password_signs_in(stage, visitor, known):
    asked = stage.request()
    page = visitor.open(asked.url)
    assert (page.status, page.language) == (200, "en") and "to continue to Corner Shop" in page.text
    claims = asked.redeemed(visitor.sign_in(page, known, PASSWORD))
    assert (claims["iss"], claims["email"] if "email" in claims else known) == (f"{stage.url}/demo", known)
    # The session answers the next request without a page.
    again = stage.request()
    assert again.redeemed(visitor.open(again.url))["sub"] == claims["sub"]


def test_the_address_is_written_as_people_write_it(stage, visitor, known):
    asked = stage.request()
    asked.redeemed(visitor.sign_in(visitor.open(asked.url), f" {known.upper()} ", PASSWORD))


def test_a_wrong_password_keeps_the_address(stage, visitor, known):
    asked = stage.request()
    page = visitor.sign_in(visitor.open(asked.url), known, "not it")
    assert page.status == 400 and "The e-mail address or the password is wrong." in page.text
    assert page.fields["email"]["value"] == known and "value" not in page.fields["password"]
    assert page.fields["password"]["aria-invalid"] == "true" and "autofocus" in page.fields["password"]
    assert page.fields["password"]["aria-describedby"] in page.ids
    asked.redeemed(visitor.sign_in(page, known, PASSWORD))


def test_protected_addresses_are_not_told_from_unknown_ones(stage, visitor, known):
    page = visitor.open(stage.request().url)
    one, other = (visitor.sign_in(page, email, "not it") for email in (known, address()))
    assert one.status == other.status and one.text == other.text


@pytest.mark.parametrize(
    "email, password, said", [("", "x", "not an e-mail address"), ("a b@example.com", "x", "not an e-mail"), ("KNOWN", "", "Enter your")]
)
def test_a_field_that_is_wrong_is_named(stage, visitor, known, email, password, said):
    page = visitor.sign_in(visitor.open(stage.request().url), known if email == "KNOWN" else email, password)
    assert page.status == 400 and said in page.text
    field = page.fields["password" if password == "" else "email"]
    assert field["aria-invalid"] == "true" and field["aria-describedby"] in page.ids


def test_a_disabled_account_is_told_only_to_its_owner(stage, visitor, known):
    stage.rows("UPDATE accounts SET disabled = true WHERE email = %s", known)
    page = visitor.open(stage.request().url)
    assert "disabled" in visitor.sign_in(page, known, PASSWORD).text
    assert "disabled" not in visitor.sign_in(page, known, "not it").text


def test_an_address_that_was_never_proven_signs_in_but_is_not_called_verified(stage, visitor, known):
    asked = stage.request("b2c_1_susi")
    claims = asked.redeemed(visitor.sign_in(visitor.open(asked.url), known, PASSWORD))
    assert claims["emails"] == [known] and claims["email_verified"] is False


def test_a_code_by_mail_signs_in(stage, visitor, known):
    asked = stage.request("b2c_1_susi")
    page = visitor.press(visitor.open(asked.url), "mail", email=known)
    assert known in page.text and page.fields["code"]["autocomplete"] == "one-time-code"
    digits = stage.digits(known)
    refused = visitor.press(page, "code", code=wrong(digits))
    assert refused.status == 400 and "wrong or has expired" in refused.text
    claims = asked.redeemed(visitor.press(refused, "code", code=f"{digits[:3]} {digits[3:]}"))
    assert claims["email"] == known and claims["email_verified"] is True


def test_a_code_by_mail_makes_an_account_and_asks_for_its_attributes(stage, visitor):
    email, asked = address(), stage.request("b2c_1_susi")
    page = visitor.press(visitor.open(asked.url), "mail", email=email)
    page = visitor.press(page, "code", code=stage.digits(email))
    assert set(page.fields) == {"displayName", "givenName", "surname"}
    empty = visitor.press(page, "profile", displayName=" ", surname="Lovelace")
    assert empty.status == 400 and empty.fields["displayName"]["aria-invalid"] == "true"
    assert empty.fields["surname"]["value"] == "Lovelace"
    claims = asked.redeemed(visitor.press(empty, "profile", displayName="Ada Lovelace", givenName="Ada", surname="Lovelace"))
    assert (claims["name"], claims["given_name"], claims["family_name"]) == ("Ada Lovelace", "Ada", "Lovelace")


def test_only_the_newest_code_works_and_only_five_tries_do(stage, visitor, known):
    page = visitor.press(visitor.open(stage.request().url), "mail", email=known)
    first = stage.digits(known)
    page = visitor.press(page, "again")
    assert "Another code is on its way" in page.text
    second = stage.digits(known, 2)
    if first != second:
        assert visitor.press(page, "code", code=first).status == 400
    for _ in range(5):
        visitor.press(page, "code", code=wrong(second))
    assert visitor.press(page, "code", code=second).status == 400


@pytest.mark.parametrize("entered", [False, True])
def test_SEC_50_digits_sign_in_once_and_not_after_an_ending(stage, visitor, entered):
    api = stage.servers[0].api()
    made = account(stage, api, address())
    page = visitor.press(visitor.open(stage.request().url), "mail", email=made["email"])
    digits = stage.digits(made["email"])
    form = page.form(("do", "code"))

    def enter():
        filled = {**form["fields"], "do": "code", "code": digits}
        own = {"origin": "null", "sec-fetch-site": "same-origin"}
        url = urljoin(page.url, form["action"])
        return visitor.post(url, data=filled, headers=own, allow_redirects=False, timeout=TIMEOUT).status_code

    if entered:
        assert enter() == 303
        # Without its session, for which the page would have nothing more to ask.
        del visitor.cookies["gatehouse_session.demo"]
        assert enter() == 400
    else:
        api.succeed("update", {"idToken": made["idToken"], "password": note("another battery")})
        assert enter() == 400


def test_SEC_16_tries_that_could_not_be_right_neither_lock_the_owner_out_nor_bring_tries_back():
    site = HostedSite(project={"limits": limits(emailCode={"perAccount": "6 per 1d"})})
    try:
        site.serve()
        email = account(site, site.servers[0].api(), address())["email"]
        stranger, owner = Visitor(site), Visitor(site)
        page = stranger.press(stranger.open(site.request().url), "mail", email=email)
        digits = wrong(site.digits(email))
        assert [stranger.press(page, "code", code=digits).status for _ in range(9)] == [400] * 9
        asked = site.request()
        page = owner.press(owner.open(asked.url), "mail", email=email)
        asked.redeemed(owner.press(page, "code", code=site.digits(email, 2)))
        page = stranger.press(stranger.open(site.request().url), "mail", email=email)
        digits = wrong(site.digits(email, 3))
        assert [stranger.press(page, "code", code=digits).status for _ in range(9)] == [400] * 9
        page = stranger.press(page, "again")
        digits = wrong(site.digits(email, 4))
        assert [stranger.press(page, "code", code=digits).status for _ in range(2)] == [400, 429]
    finally:
        site.close()


def test_a_user_flow_for_signing_in_makes_no_account(stage, visitor):
    email, asked = address(), stage.request("b2c_1_sign_in")
    page = visitor.open(asked.url)
    assert "sign-up" not in page.links
    page = visitor.press(page, "mail", email=email)
    assert f"If an account has the address {email}" in page.text
    assert visitor.press(page, "code", code="123456").status == 400
    assert stage.mails(email) == []


def test_a_user_flow_with_mails_alone_has_no_password(stage, visitor, known):
    asked = stage.request("b2c_1_mail_only")
    page = visitor.open(asked.url)
    assert "password" not in page.fields and not page.offers("do", "password")
    page = visitor.press(page, "mail", email=known)
    asked.redeemed(visitor.press(page, "code", code=stage.digits(known)))


@pytest.mark.parametrize("wish, language", [({"ui_locales": "se de"}, "de"), ({"ui_locales": "en"}, "en"), ({}, "de")])
def test_the_language_is_that_of_the_client_or_of_the_browser(stage, wish, language):
    page = Visitor(stage, "de-AT").open(stage.request(**wish).url)
    assert page.language == language and ("Anmelden" in page.text) == (language == "de")


def test_a_hint_fills_in_the_address_and_no_more(stage, visitor, known):
    page = visitor.open(stage.request(login_hint=f'{known}"><b>').url)
    assert page.fields["email"]["value"] == f'{known}"><b>'
    page = visitor.open(stage.request(login_hint=known).url)
    assert page.fields["email"]["value"] == known and "autofocus" in page.fields["password"]


def test_a_new_sign_in_is_asked_for_where_the_client_wants_one(stage, visitor, known):
    first = stage.request()
    before = first.redeemed(visitor.sign_in(visitor.open(first.url), known, PASSWORD))
    for wish in ({"prompt": "login"}, {"max_age": "0"}):
        asked = stage.request(**wish)
        page = visitor.open(asked.url)
        assert page.fields["email"]["value"] == known
        assert asked.redeemed(visitor.sign_in(page, known, PASSWORD))["auth_time"] >= before["auth_time"]


def test_what_a_project_does_not_have_is_not_offered(stage, fake_issuer):
    bare = HostedSite(project={"signIn": {"password": True, "signUp": False}}, provider={"userFlows": []})
    try:
        bare.serve()
        page = Visitor(bare).open(bare.request().url)
        assert "sign-up" not in page.links and not page.offers("do", "mail") and "forgotten" in page.links
        assert not [button for form in page.forms for button in form["buttons"] if button[0] == "provider"]
    finally:
        bare.close()


def test_tries_are_limited_as_those_of_the_api_are(known):
    site = HostedSite(project={"limits": limits(password={"perAccountAndAddress": "2 per 1h"})})
    try:
        site.serve()
        email = account(site, site.servers[0].api(), address())["email"]
        visitor = Visitor(site)
        page = visitor.open(site.request().url)
        answers = [visitor.sign_in(page, email, "not it") for _ in range(3)]
        assert [answer.status for answer in answers] == [400, 400, 429]
        assert [answer.response.headers.get("retry-after") for answer in answers] == [None, None, "30"]
        answer = site.servers[0].api().call("signInWithPassword", {"email": email, "password": PASSWORD})
        assert "TOO_MANY_ATTEMPTS" in answer.text
    finally:
        site.close()
