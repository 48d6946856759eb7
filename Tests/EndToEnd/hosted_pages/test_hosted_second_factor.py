"""The second step at the hosted pages: a code of an authenticator app, a recovery code, and enrolment where the project demands it."""

import itertools
import json

import pytest

from support.accounts import address
from support.clients.administrator import Administrator
from support.clients.emulator import ask
from support.hosted_pages.second_factor import App, called, enrol, prove
from support.hosted_pages.stage import PASSWORD, HostedSite, account, wrong
from support.hosted_pages.visitor import Visitor
from support.leaks import note
from support.qr_code import text_of

TEST_NUMBER = "+16505550101"
MULTI_FACTOR = "http://schemas.openid.net/pape/policies/2007/06/multi-factor"
REQUIRED = {"claims": json.dumps({"id_token": {"acr": {"essential": True, "values": [MULTI_FACTOR]}}})}
NUMBERS = itertools.count(345001)


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session):
    phone = {"enabled": True, "regions": ["DE"], "transport": {"log": {}}, "testNumbers": {TEST_NUMBER: "123456"}}
    site = HostedSite(
        fake_issuer_of_session, settings={"developmentProject": "demo"}, project={"mfa": {"state": "enabled", "sms": True}, "phone": phone}
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def remembering():
    """A project that lets people have their browsers remembered."""
    site = HostedSite(project={"mfa": {"state": "enabled", "rememberDevice": "30d"}})
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def strict():
    """A project that lets no one in without a second factor."""
    site = HostedSite(project={"mfa": {"state": "mandatory"}})
    site.serve()
    yield site
    site.close()


@pytest.fixture
def protected(stage, api):
    """A person's address and their authenticator app."""
    email = account(stage, api, address())["email"]
    prove(stage, email)
    app, _ = enrol(api, email)
    return email, app


def second_step(stage, visitor, email, **parameters):
    asked = stage.request(**parameters)
    page = visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
    assert page.status == 200 and "Open your authenticator app." in page.text
    return asked, page


def test_a_code_of_the_app_ends_the_sign_in(stage, visitor, protected):
    email, app = protected
    asked, page = second_step(stage, visitor, email)
    assert not stage.value(
        "SELECT count(*) FROM sessions s JOIN accounts a USING (project_id, account_id) WHERE a.email = %s AND s.kind = 'browser'", email
    )
    assert page.fields["code"]["inputmode"] == "numeric" and page.fields["code"]["autocomplete"] == "one-time-code"
    claims = asked.redeemed(visitor.press(page, "factor", code=app.code()))
    assert claims["amr"] == ["otp", "mfa"] and claims["acr"] == MULTI_FACTOR
    # The session answers the next request without a page.
    again = stage.request()
    assert again.redeemed(visitor.open(again.url))["sub"] == claims["sub"]


def test_a_password_alone_opens_nothing(stage, visitor, protected):
    email, _ = protected
    asked, page = second_step(stage, visitor, email)
    again = visitor.open(asked.url)
    assert again.offers("do", "password"), "the request still waits for a sign-in"
    stranger = Visitor(stage)
    assert "not" in stranger.open(page.url).text.lower() and stranger.open(page.url).status == 400, "another browser's request"


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "WRONG"])
def test_a_wrong_code_is_told_and_the_next_one_counts(stage, visitor, protected, typed):
    email, app = protected
    asked, page = second_step(stage, visitor, email)
    page = visitor.press(page, "factor", code=wrong(app.totp.now()) if typed == "WRONG" else typed)
    assert page.status == 400 and ("Enter the code." if not typed else "wrong, has expired or was used") in page.text
    field = page.fields["code"]
    assert "value" not in field and field["aria-invalid"] == "true" and all(name in page.ids for name in field["aria-describedby"].split())
    asked.redeemed(visitor.press(page, "factor", code=f" {app.code()} "))


def test_a_code_counts_once(stage, visitor, protected):
    email, app = protected
    asked, page = second_step(stage, visitor, email)
    code = app.code()
    asked.redeemed(visitor.press(page, "factor", code=code))
    other = Visitor(stage)
    _, page = second_step(stage, other, email)
    assert other.press(page, "factor", code=code).status == 400


def test_after_five_wrong_codes_the_person_signs_in_again(stage, visitor, protected):
    email, app = protected
    asked, page = second_step(stage, visitor, email)
    for _ in range(5):
        page = visitor.press(page, "factor", code=wrong(app.totp.now()))
        assert page.status == 400
    page = visitor.press(page, "factor", code=app.code())
    assert "too many wrong codes" in page.text and page.offers("do", "password")
    page = visitor.sign_in(page, email, PASSWORD)
    asked.redeemed(visitor.press(page, "factor", code=app.code()))


def test_a_sign_in_that_waited_too_long_begins_again(stage, visitor, protected):
    email, app = protected
    _, page = second_step(stage, visitor, email)
    stage.rows("UPDATE pending_sign_ins SET expires_at = now() - interval '1 second'")
    assert visitor.press(page, "factor", code=app.code()).offers("do", "password")
    assert visitor.open(page.url).offers("do", "password")


def test_a_recovery_code_is_behind_a_link_and_counts_once(stage, visitor, api):
    email = account(stage, api, address())["email"]
    prove(stage, email)
    _, token = enrol(api, email)
    codes = [note(code) for code in called(api, "recoveryCodes:generate", {"idToken": token})["recoveryCodes"]]
    asked, page = second_step(stage, visitor, email)
    page = visitor.click(page, "to-recoveryCode")
    assert page.status == 200 and "inputmode" not in page.fields["code"] and "Recovery code" in page.text
    refused = visitor.press(page, "factor", code="0000-0000-0000-0000")
    assert refused.status == 400 and "wrong" in refused.text
    asked.redeemed(visitor.press(refused, "factor", code=f" {codes[0].lower().replace('-', ' ')} "))
    other = Visitor(stage)
    _, page = second_step(stage, other, email)
    assert other.press(other.click(page, "to-recoveryCode"), "factor", code=codes[0]).status == 400


def test_without_other_ways_there_are_no_links(stage, visitor, protected):
    email, app = protected
    asked, page = second_step(stage, visitor, email)
    assert not [name for name in page.ids if name.startswith("to-")]
    asked.redeemed(visitor.press(visitor.open(page.url.replace("secondFactor", "recoveryCode")), "factor", code=app.code()))


# -- codes by text message


@pytest.fixture
def called_up(stage, api):
    """A person with two phones, of which one is a test number."""
    email = account(stage, api, address())["email"]
    prove(stage, email)
    number = f"+4915112{next(NUMBERS)}"
    factors = [{"mfaEnrollmentId": "one", "phoneInfo": number}, {"mfaEnrollmentId": "test", "phoneInfo": TEST_NUMBER}]
    stage.rows("UPDATE accounts SET second_factors = %s WHERE email = %s", json.dumps(factors), email)
    return email, number


def at_phones(stage, visitor, email):
    asked = stage.request()
    page = visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
    assert page.status == 200 and "code" not in page.fields, "nothing is sent before the person asks"
    return asked, page


def sent_code(stage, number):
    found = ask(stage, "GET", "/emulator/v1/projects/demo/verificationCodes").json()["verificationCodes"]
    return note(next(entry["code"] for entry in found if entry["phoneNumber"] == number))


def test_a_code_by_text_message_ends_the_sign_in(stage, visitor, called_up):
    email, number = called_up
    asked, page = at_phones(stage, visitor, email)
    assert number not in page.text and f"*{number[-4:]}" in page.text and f"*{TEST_NUMBER[-4:]}" in page.text
    page = visitor.press(page, "send", factor="one")
    assert "on its way to" in page.text and page.fields["code"]["autocomplete"] == "one-time-code"
    code = sent_code(stage, number)
    refused = visitor.press(page, "factor", code=wrong(code))
    assert refused.status == 400 and "wrong" in refused.text
    claims = asked.redeemed(visitor.press(refused, "factor", code=code))
    assert claims["sub"]


def test_each_phone_gets_its_own_code(stage, visitor, called_up):
    email, _ = called_up
    asked, page = at_phones(stage, visitor, email)
    page = visitor.press(page, "send", factor="test")
    asked.redeemed(visitor.press(page, "factor", code="123456"))


def test_a_code_that_is_over_is_sent_anew(stage, visitor, called_up):
    email, _ = called_up
    asked, page = at_phones(stage, visitor, email)
    page = visitor.press(page, "send", factor="test")
    stage.rows("UPDATE sms_codes SET expires_at = now() - interval '1 second'")
    over = visitor.press(page, "factor", code="123456")
    assert over.status == 400 and "Send another one" in over.text and "code" not in over.fields
    page = visitor.press(over, "send", factor="test")
    asked.redeemed(visitor.press(page, "factor", code="123456"))


def test_SEC_25_a_code_for_one_sign_in_ends_no_other(stage, visitor, called_up):
    email, _ = called_up
    _, page = at_phones(stage, visitor, email)
    page = visitor.press(page, "send", factor="test")
    other = Visitor(stage)
    _, second = at_phones(stage, other, email)
    second = other.press(second, "send", factor="test")
    stolen = other.press(second, "factor", session=page.fields["session"]["value"], code="123456")
    assert stolen.status == 400


# -- browsers that are remembered


def test_a_browser_that_is_remembered_is_asked_for_the_first_step_alone(remembering):
    stage, api = remembering, remembering.servers[0].api()
    visitor = Visitor(stage)
    people = []
    for _ in range(2):
        email = account(stage, api, address())["email"]
        prove(stage, email)
        app, _ = enrol(api, email)
        asked, page = second_step(stage, visitor, email, prompt="login")
        asked.redeemed(visitor.press(page, "factor", code=app.code(), remember="1"))
        people.append((email, app))
    for email, _ in people:
        asked = stage.request(prompt="login")
        page = visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
        assert not {"amr", "acr"} & asked.redeemed(page).keys()
    stranger = Visitor(stage)
    _, page = second_step(stage, stranger, people[0][0])
    assert "remember" in page.fields
    # The end of all sessions forgets the device.
    stage.rows("UPDATE accounts SET sessions_ended_at = now() WHERE email = %s", people[0][0])
    second_step(stage, visitor, people[0][0], prompt="login")


@pytest.mark.parametrize("wish", [{"acr_values": f"1 {MULTI_FACTOR}"}, REQUIRED], ids=["acr_values", "claims"])
def test_a_client_that_asks_for_a_second_factor_gets_one_from_a_remembered_browser(remembering, wish):
    stage, api = remembering, remembering.servers[0].api()
    visitor = Visitor(stage)
    email = account(stage, api, address())["email"]
    prove(stage, email)
    app, _ = enrol(api, email)
    asked, page = second_step(stage, visitor, email)
    asked.redeemed(visitor.press(page, "factor", code=app.code(), remember="1"))
    asked = stage.request(prompt="login")
    asked.redeemed(visitor.sign_in(visitor.open(asked.url), email, PASSWORD))
    silent = stage.request(prompt="none", **wish)
    assert silent.answer(visitor.open(silent.url))["error"] == "login_required"
    asked, page = second_step(stage, visitor, email, **wish)
    assert asked.redeemed(visitor.press(page, "factor", code=app.code()))["acr"] == MULTI_FACTOR
    again = stage.request(prompt="none", **wish)
    assert again.redeemed(visitor.open(again.url))["acr"] == MULTI_FACTOR


def test_a_client_that_demands_a_second_factor_gets_an_error_for_a_person_without_one(stage, visitor, api):
    email = account(stage, api, address())["email"]
    asked = stage.request(acr_values=MULTI_FACTOR)
    assert "acr" not in asked.redeemed(visitor.sign_in(visitor.open(asked.url), email, PASSWORD)), "it only would have liked one"
    asked = stage.request(**REQUIRED)
    page = visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
    assert asked.answer(page)["error"] == "unmet_authentication_requirements"


def test_without_the_wish_no_browser_is_remembered(remembering):
    stage, api = remembering, remembering.servers[0].api()
    visitor = Visitor(stage)
    email = account(stage, api, address())["email"]
    prove(stage, email)
    app, _ = enrol(api, email)
    asked, page = second_step(stage, visitor, email)
    asked.redeemed(visitor.press(page, "factor", code=app.code()))
    second_step(stage, visitor, email, prompt="login")


def test_a_provider_is_the_first_step_alone(stage, visitor, api, fake_issuer):
    email = address()
    fake_issuer.claims = lambda claims: {**claims, "sub": email.partition("@")[0], "email": email, "email_verified": True}
    asked = stage.request()
    asked.redeemed(visitor.at_provider(visitor.press(visitor.open(asked.url), provider="oidc.fake")))
    Administrator(stage).succeed(
        "update", {"localId": stage.value("SELECT account_id FROM accounts WHERE email = %s", email), "password": PASSWORD}
    )
    app, _ = enrol(api, email)
    asked = stage.request(prompt="login")
    page = visitor.at_provider(visitor.press(visitor.open(asked.url), provider="oidc.fake"))
    assert "Open your authenticator app." in page.text
    assert asked.redeemed(visitor.press(page, "factor", code=app.code()))["acr"] == MULTI_FACTOR


def test_a_code_by_mail_is_the_first_step_alone(stage, visitor, api):
    email = account(stage, api, address())["email"]
    prove(stage, email)
    app, _ = enrol(api, email)
    asked = stage.request()
    page = visitor.press(visitor.open(asked.url), "mail", email=email)
    page = visitor.press(page, "code", code=stage.digits(email, 2))
    assert "Open your authenticator app." in page.text
    asked.redeemed(visitor.press(page, "factor", code=app.code()))


def test_pages_of_the_second_step_need_a_sign_in_that_waits(stage, visitor, known):
    asked = stage.request()
    page = visitor.open(asked.url)
    for name in ("secondFactor", "recoveryCode", "enrol"):
        assert visitor.open(f"{page.url}&page={name}").offers("do", "password")


# -- enrolment


def test_a_project_that_demands_a_second_factor_has_it_enrolled_first(strict):
    visitor, api = Visitor(strict), strict.servers[0].api()
    email = account(strict, api, address())["email"]
    prove(strict, email)
    asked = strict.request()
    page = visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
    assert "Protect your account" in page.text and page.offers("do", "enrol")
    read = text_of(page.response.text)
    app = App(read)
    note(page.fields["session"]["value"])
    assert app.label == f"Acme:{email}"
    assert app.fields == {"secret": app.fields["secret"], "issuer": "Acme", "algorithm": "SHA1", "digits": "6", "period": "30"}
    assert app.fields["secret"] in page.text.replace(" ", ""), "the secret stands there for people without a camera"
    # A wrong code keeps the secret that the phone has.
    again = visitor.press(page, "enrol", code=wrong(app.totp.now()))
    assert again.status == 400 and text_of(again.response.text) == read
    shown = visitor.press(again, "enrol", code=app.code())
    codes = [word for word in shown.text.split() if len(word) == 19 and word.count("-") == 3]
    assert shown.status == 200 and len(codes) == 10
    for code in codes:
        note(code)
    claims = asked.redeemed(visitor.click(shown, "go"))
    # The next sign-in asks for it, and a recovery code stands in.
    other = Visitor(strict)
    asked, page = second_step(strict, other, email)
    assert asked.redeemed(other.press(other.click(page, "to-recoveryCode"), "factor", code=codes[3]))["sub"] == claims["sub"]


def test_no_page_and_no_request_leads_around_the_enrolment(strict):
    visitor, api = Visitor(strict), strict.servers[0].api()
    email = account(strict, api, address())["email"]
    prove(strict, email)
    asked = strict.request()
    visitor.sign_in(visitor.open(asked.url), email, PASSWORD)
    silent = strict.request(prompt="none")
    assert silent.answer(visitor.open(silent.url))["error"] == "interaction_required"
    other = strict.request()
    assert visitor.open(other.url).offers("do", "enrol")
    strict.rows("UPDATE sessions SET auth_time = auth_time - interval '1 hour' WHERE kind = 'browser'")
    assert visitor.open(strict.request().url).offers("do", "password"), "the session is too old to add a factor"


def test_an_address_that_is_not_proven_gets_no_second_factor(strict):
    visitor, api = Visitor(strict), strict.servers[0].api()
    email = account(strict, api, address())["email"]
    page = visitor.sign_in(visitor.open(strict.request().url), email, PASSWORD)
    assert "confirmed to be yours" in page.text and not page.offers("do", "enrol") and 'class="qr"' not in page.response.text


def test_an_enrolment_belongs_to_its_account(strict):
    pages = []
    for _ in range(2):
        visitor, api = Visitor(strict), strict.servers[0].api()
        email = account(strict, api, address())["email"]
        prove(strict, email)
        pages.append((visitor, visitor.sign_in(visitor.open(strict.request().url), email, PASSWORD)))
    (_, first), (visitor, second) = pages
    app = App(text_of(first.response.text))
    refused = visitor.press(second, "enrol", session=first.fields["session"]["value"], code=app.code())
    assert refused.status == 400 and "scan the new picture" in refused.text
