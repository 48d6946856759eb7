"""Passkeys at the hosted pages, in Chromium with its virtual authenticator: as the first step, and as the second one."""

import json

import pytest
import requests
from selenium.webdriver.common.by import By

from support.accounts import address
from support.browser.drivers import Chromium
from support.browser.tab import click, until
from support.hosted_pages.second_factor import enrol, prove
from support.hosted_pages.stage import PASSWORD, HostedSite, account
from support.names import API_KEY, TIMEOUT
from support.passkeys import AUTHENTICATOR

# Registers a passkey of the account with this ID token, as an app at this server would.
REGISTER = """
const [idToken, key, done] = arguments;
const call = async (name, body) => (await fetch(`/v2/accounts/${name}?key=${key}`, {
  method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)})).json();
(async () => {
  const options = (await call("passkeyEnrollment:start", {idToken})).credentialCreationOptions;
  const credential = await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)});
  return call("passkeyEnrollment:finalize", {idToken, authenticatorRegistrationResponse: credential.toJSON()});
})().then((answer) => done({answer}), (error) => done({error: String(error)}));
"""


@pytest.fixture(scope="module")
def stage():
    site = HostedSite(project={"mfa": {"state": "enabled"}})
    site.serve_with_passkeys()
    yield site
    site.close()


@pytest.fixture
def browser(driver):
    driver.add_virtual_authenticator(AUTHENTICATOR)
    yield driver
    driver.remove_virtual_authenticator()
    driver.forget()


class Person:
    def __init__(self, stage, browser):
        self.stage, self.browser = stage, browser
        self.api = stage.servers[0].api()
        made = account(stage, self.api, address())
        self.email, self.id = made["email"], made["localId"]
        prove(stage, self.email)
        self.id_token = self.api.succeed("signInWithPassword", {"email": self.email, "password": PASSWORD, "returnSecureToken": True})[
            "idToken"
        ]

    def register(self):
        browser = self.browser
        browser.get(self.stage.request().url)
        done = browser.execute_async_script(REGISTER, self.id_token, API_KEY)
        assert "localId" in done.get("answer", {}), done
        return self

    def open(self, **parameters):
        self.asked = self.stage.request(prompt="login", **parameters)
        self.browser.get(self.asked.url)
        return self.browser

    def claims(self):
        until(self.browser, lambda: self.browser.current_url.startswith(self.stage.rp.redirect_uri), "the relying party")
        return self.asked.redeemed(self.browser.current_url)


def press(browser, name="use-passkey"):
    until(browser, lambda: browser.find_element(By.ID, name).is_displayed(), f"button {name}")
    click(browser, f"#{name}")


def silent(browser):
    """Has the browser's field offer nothing, as for a person who presses the button."""
    browser.set_user_verified(False)


def test_a_passkey_signs_in_by_the_button(stage, browser):
    person = Person(stage, browser).register()
    silent(browser)
    person.open()
    page = browser.find_element(By.ID, "email")
    assert page.get_attribute("autocomplete") == "username webauthn"
    until(browser, browser.find_element(By.ID, "use-passkey").is_displayed, "button")
    browser.set_user_verified(True)
    press(browser)
    claims = person.claims()
    assert claims["sub"] == person.id and {"pop", "mfa"} <= set(claims["amr"])


def test_a_passkey_signs_in_from_the_field_of_the_address(stage, browser):
    person = Person(stage, browser).register()
    person.open()
    assert person.claims()["sub"] == person.id


def test_a_person_who_cancels_takes_another_way(stage, browser):
    person = Person(stage, browser)
    person.open()
    press(browser)
    fault = browser.find_element(By.ID, "passkey-fault")
    until(browser, fault.is_displayed, "a word about it")
    browser.find_element(By.ID, "email").send_keys(person.email)
    browser.find_element(By.ID, "password").send_keys(PASSWORD)
    click(browser, "#go")
    assert person.claims()["sub"] == person.id


def test_a_passkey_that_opens_nothing_is_told_to_the_browser(stage, browser):
    person = Person(stage, browser).register()
    stage.rows("DELETE FROM passkeys")
    person.open()
    until(browser, lambda: "may have been removed" in browser.find_element(By.TAG_NAME, "main").text, "refusal")
    data = json.loads(browser.find_element(By.ID, "data").get_attribute("textContent"))
    assert data["unknown"]["rpId"] == "localhost" and data["unknown"]["credentialId"]
    until(browser, lambda: not browser.get_credentials(), "the browser forgets it")


def test_an_answer_counts_for_its_own_request_alone(stage, browser):
    person = Person(stage, browser).register()
    silent(browser)
    person.open()
    until(browser, browser.find_element(By.ID, "use-passkey").is_displayed, "button")
    # The answer to the question of another request.
    other = stage.request(prompt="login")
    script = """
      const [url, done] = arguments;
      fetch(url).then((response) => response.text()).then((text) => {
        const page = new DOMParser().parseFromString(text, "text/html");
        const {request} = JSON.parse(page.getElementById("data").textContent);
        return navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request)});
      }).then((credential) => {
        const form = document.getElementById("passkey");
        form.elements.credential.value = JSON.stringify(credential.toJSON());
        return fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))});
      }).then((response) => response.text()).then(done, (error) => done(String(error)));
    """
    browser.set_user_verified(True)
    assert "That took too long" in browser.execute_async_script(script, other.url)


def test_a_passkey_ends_the_second_step(stage, browser):
    person = Person(stage, browser).register()
    enrol(person.api, person.email)
    silent(browser)
    person.open()
    browser.find_element(By.ID, "email").send_keys(person.email)
    browser.find_element(By.ID, "password").send_keys(PASSWORD)
    click(browser, "#go")
    until(browser, lambda: browser.find_element(By.ID, "to-passkey"), "second step")
    click(browser, "#to-passkey")
    browser.set_user_verified(True)
    press(browser)
    claims = person.claims()
    assert claims["sub"] == person.id and "mfa" in claims["amr"]


def test_pages_with_passkeys_are_for_themselves_alone(stage, browser):
    asked = stage.request()
    page = requests.get(asked.url, timeout=TIMEOUT)
    assert page.headers["permissions-policy"] == "publickey-credentials-get=(self), publickey-credentials-create=(self)"
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "script-src 'self'" in policy and "unsafe-inline" not in policy


def test_without_scripts_the_page_offers_the_other_ways(stage, tmp_path):
    driver = Chromium(tmp_path, scripts=False)
    try:
        driver.get(stage.request().url)
        assert not driver.find_element(By.ID, "use-passkey").is_displayed() and driver.find_element(By.ID, "go").is_displayed()
    finally:
        driver.quit()
