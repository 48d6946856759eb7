"""Operators sign in to the console with passkeys: in Chromium with its virtual authenticator, and with an authenticator of the tests that lies."""

import html
import json
import re

import pytest

from support.browser.drivers import Chromium
from support.browser.layout import examine
from support.browser.tab import arrived, click, until
from support.console import ConsoleSite, Operator, field
from support.leaks import note
from support.names import TIMEOUT
from support.passkeys import AUTHENTICATOR, Authenticator


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session):
    """A console with a host name, for which browsers make passkeys."""
    site = ConsoleSite(fake_issuer_of_session, host="localhost")
    site.serve()
    yield site
    site.close()


@pytest.fixture(autouse=True)
def no_passkeys(stage):
    yield
    stage.rows("DELETE FROM operator_passkeys")


def audit(site, action):
    lines = site.run("audit", "list", "--action", action, "--json", check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def options(page, name):
    """The options that the page's script gives to the browser."""
    return json.loads(html.unescape(re.search(r'<div id="data" hidden>([^<]*)</div>', page.text)[1]))[name]


def own(stage):
    return Authenticator(rp_id="localhost", origin=stage.console)


def enrol(browser, authenticator, name="Laptop"):
    page = browser.open("/passkeys/add")
    assert page.status_code == 200, page.text
    credential = json.dumps(authenticator.create(options(page, "create")))
    data = {"token": field(page, "token"), "credential": credential, "name": name}
    return browser.post(browser.site.console + "/passkeys/add", data=data, timeout=TIMEOUT, allow_redirects=False)


def enrolled(stage, user="ada"):
    """A passkey of this operator, who has signed in at the provider."""
    browser, authenticator = Operator(stage), own(stage)
    assert browser.sign_in(user).status_code == 200
    assert enrol(browser, authenticator).headers["location"] == "/passkeys?note=added"
    return authenticator


def send(browser, answer, **headers):
    data = {"credential": json.dumps(answer), "next": "/keys"}
    url = browser.site.console + "/sign-in/passkey"
    answer = browser.post(url, data=data, headers=headers, timeout=TIMEOUT, allow_redirects=False)
    for cookie in browser.cookies:
        note(cookie.value)
    return answer


def sign_in(browser, authenticator):
    return send(browser, authenticator.get(options(browser.open("/sign-in"), "request")))


def test_an_operator_adds_a_passkey_and_signs_in_with_it(stage, staff):
    assert "use-passkey" not in Operator(stage).open("/sign-in").text
    authenticator = enrolled(stage)
    browser = Operator(stage)
    assert sign_in(browser, authenticator).headers["location"] == "/keys"
    assert "Signing keys" in browser.open("/keys").text and "ada" in browser.open("/").text
    added = audit(stage, "operator.passkeyAdded")[-1]
    signed_in = audit(stage, "console.signedIn")[-1]
    assert added["actor"] == signed_in["actor"] == "ada" and added["details"]["passkey"] == signed_in["details"]["passkey"]
    # It is a fresh sign-in for what cannot be undone, and none for another passkey.
    assert browser.open("/keys/idToken/RS256/rotate").status_code == 200
    refused = browser.open("/passkeys/add")
    assert refused.status_code == 403 and "/sign-in/start?next=%2Fpasskeys%2Fadd" in refused.text
    assert re.search(r"ada .* 1\n", stage.run("console", "operators", check=True).stdout)


def test_SEC_65_an_answer_counts_once_and_for_its_own_browser(stage, staff):
    authenticator = enrolled(stage)
    browser, thief = Operator(stage), Operator(stage)
    answer = authenticator.get(options(browser.open("/sign-in"), "request"))
    thief.open("/sign-in")
    assert send(thief, answer).status_code == 403
    assert send(browser, answer, **{"sec-fetch-site": "cross-site"}).status_code == 403
    cookies = browser.cookies.copy()
    assert send(browser, answer).status_code == 303
    # With the cookie that the sign-in took away.
    again = Operator(stage)
    again.cookies.update(cookies)
    assert send(again, answer).status_code == 403 and again.open("/").status_code == 303


def test_SEC_65_an_answer_of_another_site_or_person_is_refused(stage, staff):
    authenticator, other = enrolled(stage), enrolled(stage, "vera")
    browser = Operator(stage)
    for change in (
        {"origin": "http://evil.example"},
        {"origin": stage.console.replace("localhost", "localhost.evil.example")},
        {"rp_id": "evil.example"},
        {"flags": 0x19},  # the person is there, and not verified
        {"user_handle": other.user_handle},
        {"key": other.key},
        {"id": b"0123456789abcdefghij"},
    ):
        before = dict(vars(authenticator))
        vars(authenticator).update(change)
        refused = sign_in(browser, authenticator)
        assert refused.status_code == 403 and "was not accepted" in refused.text, change
        vars(authenticator).update(before)
    assert browser.open("/").status_code == 303
    # Each opens the console for its own operator.
    assert sign_in(browser, other).status_code == 303 and "vera" in browser.open("/").text
    # An authenticator that has another operator's id for its own key.
    impostor = own(stage)
    impostor.id = authenticator.id
    vera = Operator(stage)
    vera.sign_in("vera")
    refused = enrol(vera, impostor)
    assert refused.status_code == 400 and "PASSKEY_EXISTS" in refused.text


def test_SEC_45_an_authenticator_that_counts_backwards_is_refused(stage, staff):
    authenticator = own(stage)
    authenticator.flags = 0x05
    browser = Operator(stage)
    browser.sign_in()
    enrol(browser, authenticator)
    authenticator.count = 7
    assert sign_in(browser, authenticator).status_code == 303
    assert sign_in(Operator(stage), authenticator).status_code == 403
    assert "A copy of it is suspected" in browser.open("/passkeys").text
    assert len(audit(stage, "operator.passkeySuspected")) == 1


def test_SEC_65_the_passkey_of_a_former_operator_opens_nothing(stage, staff):
    ben, vera = enrolled(stage, "ben"), enrolled(stage, "vera")
    at_work = Operator(stage)
    assert sign_in(at_work, ben).status_code == 303 and at_work.open("/").status_code == 200
    stage.run("console", "unbind", "ben@trusted.example", check=True)
    assert at_work.open("/").status_code == 303
    assert sign_in(Operator(stage), ben).status_code == 403
    assert audit(stage, "operator.passkeyRemoved")[-1]["actor"] == "console unbind"
    # Another process has a file without vera, and her passkey is there.
    operators = stage.settings["console"]["operators"]
    without = {**stage.settings["console"], "operators": [entry for entry in operators if entry.get("name") != "vera"]}
    stage.servers[0].stop()
    stage.settings["console"] = without
    stage.write()
    stage.serve()
    try:
        assert sign_in(Operator(stage), vera).status_code == 403
        assert stage.value("SELECT count(*) FROM operator_passkeys") == 1
    finally:
        stage.servers[-1].stop()
        stage.settings["console"] = {**without, "operators": operators}
        stage.write()
        stage.serve()
    assert sign_in(Operator(stage), vera).status_code == 303
    stage.run("console", "unbind", "vera", check=True)
    assert stage.value("SELECT count(*) FROM operator_passkeys") == 0


@pytest.fixture
def chromium(stage, staff, driver):
    """A browser with an authenticator whose person is always verified, at the console as ada."""
    driver.forget()
    driver.get(stage.console + "/sign-in/start?next=/passkeys/add")
    driver.add_virtual_authenticator(AUTHENTICATOR)
    click(driver, "#next")
    arrived(driver, "/passkeys/add", "use-passkey")
    yield driver
    driver.remove_virtual_authenticator()


def added(driver):
    driver.find_element("id", "name").send_keys("Work laptop")
    click(driver, "#use-passkey")
    arrived(driver, "/passkeys?note=added", "Work laptop")


def refused(driver):
    """Waits for what the page says of a browser that uses no passkey."""
    until(driver, lambda: driver.find_element("id", "passkey-fault").is_displayed(), "fault")


def test_chromium_adds_a_passkey_signs_in_with_it_and_removes_it(stage, chromium):
    added(chromium)
    (credential,) = chromium.get_credentials()
    assert credential.rp_id == "localhost" and credential.is_resident_credential
    click(chromium, "#sign-out")
    arrived(chromium, "/sign-in", "use-passkey")
    chromium.get(stage.console + "/sign-in?next=/keys")
    click(chromium, "#use-passkey")
    arrived(chromium, "/keys", "Signing keys")
    chromium.get(stage.console + "/passkeys")
    click(chromium, "table a")
    arrived(chromium, "/remove", 'id="go"')
    click(chromium, "#go")
    # The session was the passkey's, too.
    arrived(chromium, "/sign-in?next=%2Fpasskeys%3Fnote%3Dremoved", 'id="start"')
    assert "use-passkey" not in chromium.page_source
    assert not [line for line in chromium.complaints() if "Content Security Policy" in line]


def test_SEC_42_chromium_with_a_person_who_is_not_verified_gets_nowhere(stage, chromium):
    added(chromium)
    chromium.get(stage.console + "/sign-in")
    chromium.set_user_verified(False)
    click(chromium, "#use-passkey")
    refused(chromium)
    chromium.set_user_verified(True)
    lie = {"authenticatorId": chromium.virtual_authenticator_id, "isBadUV": True}
    chromium.execute_cdp_cmd("WebAuthn.setResponseOverrideBits", lie)
    click(chromium, "#use-passkey")
    arrived(chromium, "/sign-in/passkey", "was not accepted")


def test_one_authenticator_has_one_passkey_of_an_operator(stage, chromium):
    added(chromium)
    chromium.get(stage.console + "/passkeys/add")
    click(chromium, "#use-passkey")
    refused(chromium)
    assert stage.value("SELECT count(*) FROM operator_passkeys") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_passkeys_fit_and_can_be_read_out(stage, chromium, scheme):
    added(chromium)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    remove = chromium.find_element("css selector", "table a").get_attribute("href")
    for path in ("/passkeys", "/passkeys/add", remove.removeprefix(stage.console), "/sign-in"):
        chromium.get(stage.console + path)
        examine(chromium, f"console-{scheme}-passkeys-{path.strip('/').partition('/')[2].rpartition('/')[2] or path.strip('/')}")


def test_without_scripts_the_pages_say_so_and_the_provider_lets_operators_in(stage, staff, tmp_path):
    enrolled(stage)
    driver = Chromium(tmp_path, scripts=False)
    try:
        driver.get(stage.console + "/sign-in?next=/passkeys/add")
        assert not driver.find_element("id", "passkey").is_displayed()
        assert driver.find_element("css selector", ".without").is_displayed()
        driver.find_element("id", "start").click()
        driver.find_element("id", "next").click()
        assert not driver.find_element("id", "passkey").is_displayed()
        assert "sign in at the provider as before" in driver.find_element("css selector", ".without").text
    finally:
        driver.quit()
