"""The account page: a person sees what opens their account, and changes it."""

import re

import pytest
from selenium.webdriver.common.by import By

from support.accounts import address
from support.browser.drivers import Chromium
from support.browser.tab import click, until
from support.clients.administrator import Administrator
from support.hosted_pages.second_factor import App, enrol, prove
from support.hosted_pages.stage import PASSWORD, HostedSite, account, wrong
from support.hosted_pages.visitor import Visitor
from support.leaks import note
from support.names import API_KEY
from support.passkeys import AUTHENTICATOR
from support.qr_code import text_of


@pytest.fixture(scope="module")
def stage():
    site = HostedSite(project={"mfa": {"state": "enabled", "rememberDevice": "30d"}})
    site.serve_with_passkeys()
    yield site
    site.close()


class Person:
    def __init__(self, stage):
        self.stage, self.visitor, self.api = stage, Visitor(stage), stage.servers[0].api()
        made = account(stage, self.api, address())
        self.email, self.id, self.app = made["email"], made["localId"], None
        prove(stage, self.email)

    def protected(self):
        self.app, _ = enrol(self.api, self.email)
        return self

    def open(self):
        """The account page, after a sign-in."""
        return self.sign_in(self.visitor.open(f"{self.stage.url}/demo/account"))

    def sign_in(self, page, **more):
        page = self.visitor.sign_in(page, self.email, PASSWORD)
        return self.visitor.press(page, "factor", code=self.app.code(), **more) if self.app else page

    def press(self, page, do, **fields):
        return self.visitor.press(page, do, **fields)

    def passkey(self, name="laptop"):
        self.stage.rows(
            """
            INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible, backup_state,
                uv_initialized, transports, aaguid, format, name, linked_unproven, linked_at)
            SELECT project_id, decode(md5(email || %s), 'hex'), account_id, decode('a0', 'hex'), -7, 0, 'localhost', false, false, true, '{}',
                decode(md5(''), 'hex'), 'none', %s, false, now() FROM accounts WHERE email = %s
            """,
            name,
            name,
            self.email,
        )
        self.stage.rows(
            "UPDATE accounts SET user_handle = decode(substr(md5(email) || md5(email), 1, 48), 'hex') WHERE email = %s", self.email
        )
        return self

    def column(self, name):
        return self.stage.value(f"SELECT {name} FROM accounts WHERE email = %s", self.email)

    def passkeys(self):
        return [row[0] for row in self.stage.rows("SELECT name FROM passkeys WHERE account_id = %s ORDER BY name", self.id)]

    def alive(self):
        return self.stage.value("SELECT count(*) FROM sessions WHERE account_id = %s AND ended_at IS NULL", self.id)


@pytest.fixture
def person(stage):
    return Person(stage)


def test_a_person_without_a_session_signs_in_first_and_comes_back(stage, person):
    page = person.open()
    assert page.status == 200 and page.url == f"{stage.url}/demo/account" and person.email in page.text
    assert "this browser" in page.text and "Add an authenticator app" in page.text
    again = person.visitor.open(f"{stage.url}/demo/account")
    assert person.email in again.text, "the session goes on"


def test_a_person_who_cancels_is_signed_out(stage, person):
    page = person.press(person.visitor.open(f"{stage.url}/demo/account"), "cancel")
    assert page.status == 200 and "You are signed out" in page.text and page.links["go"] == "/demo/account"


def test_an_address_with_an_error_tells_no_signed_in_person_that_they_are_signed_out(stage, person):
    person.open()
    page = person.visitor.open(f"{stage.url}/demo/account?error=access_denied")
    assert person.email in page.text and "You are signed out" not in page.text


def test_a_person_whose_passkeys_alone_open_the_account_is_warned(stage, person):
    person.passkey().open()
    stage.rows("UPDATE accounts SET email_verified = false, email_proven = false WHERE account_id = %s", person.id)
    # The password still opens it.
    assert "Only your passkeys open" not in person.visitor.open(f"{stage.url}/demo/account").text
    stage.rows("UPDATE accounts SET password_hash = NULL, password_updated_at = NULL WHERE account_id = %s", person.id)
    assert "Only your passkeys open" in person.visitor.open(f"{stage.url}/demo/account").text


def test_the_providers_of_the_account_are_shown(stage, person):
    linked = {"providerId": "oidc.other", "rawId": "ada", "email": "ada@work.example.com"}
    assert "You also sign in with" not in person.open().text
    Administrator(stage).succeed("update", {"localId": person.id, "linkProviderUserInfo": linked})
    text = person.visitor.open(f"{stage.url}/demo/account").text
    assert "You also sign in with oidc.other ada@work.example.com" in text, text


def test_a_second_factor_is_removed_and_its_owner_told(stage, person):
    person.protected()
    page = person.open()
    assert "Authenticator app" in page.text
    done = person.press(page, "withdraw")
    assert "Done." in done.text and "A second step protects your account" in done.text and person.column("second_factors") is None
    stage.mail(person.email, 2)


def test_SEC_35_an_old_session_changes_nothing_before_its_person_signs_in_again(stage, person):
    person.protected().passkey()
    page = person.open()
    stage.rows("UPDATE sessions SET auth_time = auth_time - interval '1 hour' WHERE account_id = %s", person.id)
    for do, fields in [("withdraw", {}), ("removePasskey", {}), ("codes", {})]:
        asked = person.press(page, do, **fields)
        assert asked.offers("do", "password"), do
    assert person.column("second_factors") and person.passkeys() == ["laptop"]
    back = person.sign_in(asked)
    assert back.url == f"{stage.url}/demo/account"
    assert "Done." in person.press(back, "withdraw").text


def test_SEC_39_a_remembered_browser_is_asked_for_the_second_step_here(stage, person):
    person.protected()
    asked = stage.request()
    page = person.visitor.sign_in(person.visitor.open(asked.url), person.email, PASSWORD)
    asked.redeemed(person.visitor.press(page, "factor", code=person.app.code(), remember="1"))
    stage.rows("UPDATE sessions SET ended_at = now() WHERE account_id = %s", person.id)
    page = person.visitor.sign_in(person.visitor.open(f"{stage.url}/demo/account"), person.email, PASSWORD)
    assert "Open your authenticator app." in page.text
    page = person.visitor.press(page, "factor", code=person.app.code())
    assert "not asked for the second step: 1" in page.text
    assert "not asked for the second step" not in person.press(page, "forget").text


def test_an_authenticator_app_and_recovery_codes_are_added(stage, person):
    page = person.visitor.click(person.open(), "enrol")
    app = App(text_of(page.response.text))
    note(page.fields["session"]["value"])
    refused = person.press(page, "enrol", code=wrong(app.totp.now()))
    assert refused.status == 400 and text_of(refused.response.text) == text_of(page.response.text)
    page = person.press(refused, "enrol", code=app.code())
    assert "Done." in page.text and "You have no recovery codes" in page.text
    shown = person.press(page, "codes")
    codes = [note(code) for code in re.findall(r"\b(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\b", shown.text)]
    assert len(codes) == 10
    assert "Recovery codes left: 10." in person.visitor.click(shown, "go").text
    assert '"totpInfo"' in person.column("second_factors")


def test_a_passkey_is_renamed_and_removed(person):
    person.passkey()
    page = person.open()
    assert "laptop" in page.text
    page = person.press(page, "rename", name="  Work\0 lap\u202etop ")
    assert person.passkeys() == ["Work laptop"]
    assert "Done." in person.press(page, "removePasskey").text and person.passkeys() == []


def test_sessions_are_seen_and_ended(stage, person):
    signed_in = person.api.succeed("signInWithPassword", {"email": person.email, "password": PASSWORD, "returnSecureToken": True})
    page = person.open()
    before = person.alive()
    page = person.press(page, "end")
    assert person.alive() == before - 1
    other = Visitor(stage)
    asked = stage.request()
    asked.redeemed(other.sign_in(other.open(asked.url), person.email, PASSWORD))
    done = person.press(person.visitor.open(page.url), "endOthers")
    assert "Done." in done.text and person.alive() == 1
    assert other.open(stage.request().url).offers("do", "password")
    assert person.api.call("lookup", {"idToken": signed_in["idToken"]}).status_code == 400
    out = person.press(done, "signOut")
    assert "You are signed out" in out.text and person.alive() == 0
    assert person.visitor.open(f"{stage.url}/demo/account").offers("do", "password")


def test_what_is_another_persons_stays_as_it_is(stage, person):
    other = Person(stage).protected().passkey("theirs")
    theirs = other.open()
    person.protected().passkey("mine")
    page = person.open()
    before = other.alive()
    session = stage.value("SELECT encode(session_id, 'hex') FROM sessions WHERE account_id = %s AND ended_at IS NULL LIMIT 1", other.id)
    person.passkey("second")
    page = person.visitor.open(page.url)
    for do, field in [("withdraw", "factor"), ("removePasskey", "passkey"), ("rename", "passkey")]:
        person.press(page, do, **{field: theirs.form(("do", do))["fields"][field]}, name="stolen")
    person.api.succeed("signInWithPassword", {"email": person.email, "password": PASSWORD, "returnSecureToken": True})
    stage.rows(
        "UPDATE sessions SET refreshed_at = now() WHERE account_id = %s AND kind = 'app'",
        person.id,
    )
    person.visitor.post(
        page.url, data={"do": "end", "session": session}, headers={"sec-fetch-site": "same-origin"}, allow_redirects=False, timeout=30
    )
    assert other.alive() == before and other.passkeys() == ["theirs"] and other.column("second_factors")
    assert person.passkeys() == ["mine", "second"]


def test_a_form_of_another_site_does_nothing(person):
    person.protected()
    page = person.open()
    refused = person.visitor.press(page, "withdraw", headers={"sec-fetch-site": "cross-site", "origin": "https://evil.example"})
    assert refused.status == 400 and person.column("second_factors")


def test_a_project_can_do_without_the_page():
    site = HostedSite(provider={"accountPage": False})
    site.serve()
    try:
        assert Visitor(site).open(f"{site.url}/demo/account").status == 404
    finally:
        site.close()


def test_the_last_factor_of_a_project_that_demands_one_stays():
    site = HostedSite(project={"mfa": {"state": "mandatory"}})
    site.serve()
    try:
        person = Person(site).protected()
        page = person.open()
        kept = person.press(page, "withdraw")
        assert "cannot be removed" in kept.text and person.column("second_factors")
    finally:
        site.close()


def test_a_passkey_is_made_in_chromium_and_forgotten_with_its_removal(stage, person, tmp_path):
    driver = Chromium(tmp_path)
    try:
        driver.get(f"{stage.url}/demo/account")
        driver.add_virtual_authenticator(AUTHENTICATOR)
        driver.set_user_verified(False)
        for name, text in (("email", person.email), ("password", PASSWORD)):
            driver.find_element(By.ID, name).send_keys(text)
        click(driver, "#go")
        until(driver, lambda: driver.find_element(By.ID, "add-passkey"), "account page")
        driver.set_user_verified(True)
        click(driver, "#add-passkey")
        until(driver, lambda: driver.find_element(By.ID, "use-passkey").is_displayed(), "button")
        driver.find_element(By.ID, "name").send_keys("Chromium")
        click(driver, "#use-passkey")
        until(driver, lambda: "Chromium" in driver.find_element(By.TAG_NAME, "main").text, "the new passkey")
        assert person.passkeys() == ["Chromium"] and len(driver.get_credentials()) == 1
        click(driver, "summary")
        click(driver, "button[value=removePasskey]")
        until(driver, lambda: "Done." in driver.find_element(By.TAG_NAME, "main").text, "removal")
        until(driver, lambda: not driver.get_credentials(), "the browser forgets it")
        assert API_KEY not in driver.page_source
    finally:
        driver.quit()
