"""People at the hosted pages in Chromium: with and without scripts, by keyboard alone, back and forth."""

import pytest
from selenium.webdriver.common.keys import Keys

from support.accounts import address
from support.browser.drivers import Chromium
from support.browser.tab import Tab
from support.hosted_pages.stage import PASSWORD
from support.issuers.fake_issuer import FakeIssuer


@pytest.fixture(scope="module", params=[True, False], ids=["scripts", "no-scripts"])
def driver(request, tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"), scripts=request.param)
    yield driver
    driver.quit()


class Person(Tab):
    def open(self, asked):
        self.driver.get(asked.url)
        return self.arrived("/demo/sign-in")

    def arrived(self, part):
        """Waits for an address. `at` of a tab asks a script."""
        self.until(lambda: part in self.driver.current_url and self.driver.find_element("tag name", "h1"), f"page at {part}")
        return self

    def focused(self):
        return self.driver.switch_to.active_element

    def focuses(self, id):
        """Waits for the field that the page puts the cursor into."""
        self.until(lambda: self.focused().get_attribute("id") == id, f"focus on {id}")
        return self

    def type(self, *keys):
        """Types into whatever has the focus, as a person with a keyboard and nothing else."""
        for key in keys:
            self.focused().send_keys(key)
        return self

    def see(self, id):
        return self.until(lambda: self.driver.find_element("id", id), f"element {id}")

    def write(self, **fields):
        for id, text in fields.items():
            field = self.see(id)
            field.clear()
            field.send_keys(text)
        return self

    def press(self, id="go"):
        page = self.driver.find_element("tag name", "html")
        self.see(id).click()
        self.until(lambda: gone(page), "next page")
        return self


def gone(element):
    try:
        element.is_enabled()
    except Exception:
        return True
    return False


@pytest.fixture
def person(driver):
    person = Person(driver)
    yield person
    refused = [text for text in person.complaints() if "Content Security Policy" in text or "Refused to" in text]
    assert not refused


def test_a_password_signs_in(stage, person, known):
    asked = stage.request()
    person.open(asked).write(email=known, password=PASSWORD).press().arrived("/callback")
    asked.redeemed(person.driver.current_url)


def test_a_keyboard_is_enough(stage, person, known):
    asked = stage.request()
    person.open(asked).focuses("email").type(known, Keys.TAB, "wrong", Keys.ENTER)
    person.see("summary")
    person.focuses("password").type(PASSWORD, Keys.ENTER).arrived("/callback")
    asked.redeemed(person.driver.current_url)


def test_a_keyboard_is_enough_to_sign_up(stage, person):
    email, asked = address(), stage.request("b2c_1_susi")
    person.open(asked)
    for _ in range(20):
        person.type(Keys.TAB)
        if person.focused().get_attribute("id") == "sign-up":
            break
    person.type(Keys.ENTER).arrived("page=signUp").focuses("email").type(email, Keys.ENTER)
    person.focuses("code").type(stage.digits(email), Keys.ENTER)
    person.focuses("displayName").type("Ada", Keys.TAB, Keys.TAB, "Lovelace", Keys.TAB, PASSWORD, Keys.ENTER).arrived("/callback")
    assert asked.redeemed(person.driver.current_url)["family_name"] == "Lovelace"


def test_a_new_password(stage, person, known):
    asked = stage.request()
    person.open(asked).press("forgotten").write(email=known).press()
    person.write(code=stage.digits(known)).press().write(password="another horse battery").press().arrived("/callback")
    asked.redeemed(person.driver.current_url)


def test_a_provider(stage, person, fake_issuer: FakeIssuer):
    fake_issuer.claims = lambda claims: {**claims, "sub": "grace", "email": "grace@example.com", "email_verified": True}
    asked = stage.request()
    person.open(asked)
    person.driver.find_element("css selector", "button[name=provider]").click()
    person.arrived("/callback")
    asked.redeemed(person.driver.current_url)


def test_the_back_button(stage, person, known):
    asked = stage.request()
    person.open(asked).press("sign-up").arrived("page=signUp")
    person.driver.back()
    person.arrived("/demo/sign-in").write(email=known, password=PASSWORD).press().arrived("/callback")
    asked.redeemed(person.driver.current_url)
    person.driver.back()
    person.driver.refresh()
    person.arrived("/sign-in")
    assert "was finished" in person.driver.find_element("tag name", "main").text


def test_cancelling(stage, person):
    asked = stage.request()
    person.open(asked).press("cancel").arrived("/callback")
    assert asked.answer(person.driver.current_url)["error"] == "access_denied"


def test_two_tabs_do_not_disturb_one_another(stage, person, known):
    first, second = stage.request(), stage.request()
    person.open(first)
    handle = person.driver.current_window_handle
    person.driver.switch_to.new_window("tab")
    person.open(second).write(email=known, password=PASSWORD).press().arrived("/callback")
    second.redeemed(person.driver.current_url)
    person.driver.close()
    person.driver.switch_to.window(handle)
    person.write(email=known, password=PASSWORD).press().arrived("/callback")
    first.redeemed(person.driver.current_url)
