"""The page that takes a provider's place in development mode, in headless Chromium: with the player of the SDK's protocol, and with the SDK."""

import pytest

from support.browser.sign_in import Stage, complaints, in_settings
from support.development_page import PATH
from support.names import METHODS


class DevelopmentStage(Stage):
    """The same servers, with a project whose providers need no client."""

    def site(self):
        site = super().site()
        site.settings["developmentProject"] = "demo"
        site.project["signIn"] = METHODS
        return site


STAGE = DevelopmentStage


@pytest.fixture
def email(person):
    return f"{person}@example.com"


def at_page(app, via):
    """The window of the sign-in, once it shows the page."""
    if via == "popup":
        app.popup()
    return app.at(PATH)


def make_up(app, via, email, is_verified=True):
    at_page(app, via)
    app.driver.find_element("id", "email").send_keys(email)
    app.driver.find_element("id", "display-name").send_keys("Ada Lovelace")
    if not is_verified:
        app.click("#verified")
    app.click("#go")
    return app


def choose(app, via, email):
    at_page(app, via)
    app.until(lambda: app.script(CHOOSE, email), f"{email} to choose")
    return app


# Clicks the person of this address.
CHOOSE = "const found = [...document.querySelectorAll('.choices a')].find(a => a.textContent.includes(arguments[0])); found?.click(); return !!found"

via_both = pytest.mark.parametrize("via", ["popup", "redirect"])


@in_settings()
@via_both
def test_a_person_is_made_up_and_comes_again(setting, email, via):
    app = setting.open()
    app.act(via, "signIn", "google.com")
    result = make_up(app, via, email).result()
    assert (result["operation"], result["provider"], result["isNew"], result["email"]) == ("signIn", "google.com", True, email)
    app.closed().act(via, "signIn", "google.com")
    again = choose(app, via, email).result()
    assert (again["uid"], again["isNew"]) == (result["uid"], False)
    assert complaints(app) == []


@in_settings()
@via_both
def test_a_provider_is_linked_and_proves_the_person_again(setting, email, via):
    app = setting.open()
    app.act("popup", "signIn", "google.com")
    uid = make_up(app, "popup", email).result()["uid"]
    app.closed().act(via, "link", "github.com")
    linked = make_up(app, via, email).result()
    assert (linked["operation"], linked["uid"], linked["provider"]) == ("link", uid, "github.com")
    assert app.providers() == ["github.com", "google.com"]
    app.closed().act(via, "reauth", "github.com")
    assert choose(app, via, email).result()["uid"] == uid
    app.closed().act(via, "reauth", "google.com")
    assert make_up(app, via, f"not-{email}").error() == "auth/user-mismatch"


@in_settings()
@via_both
@pytest.mark.parametrize(
    "choice, code",
    [
        ("#cancel", "auth/user-cancelled"),
        ("#outage", "auth/network-request-failed"),
        ("#failure", "auth/invalid-credential"),
    ],
)
def test_a_sign_in_fails_as_it_can_at_a_provider(setting, via, choice, code):
    app = setting.open().act(via, "signIn", "facebook.com")
    at_page(app, via).click(choice)
    assert app.error() == code


@in_settings()
@pytest.mark.parametrize("provider", ["microsoft.com", "github.com"])
def test_a_pending_credential_is_linked_after_a_conflict(setting, email, provider):
    app = setting.open()
    app.act("popup", "signIn", "google.com")
    uid = make_up(app, "popup", email).result()["uid"]
    app.closed().script("return client.signOut()")
    app.act("popup", "signIn", provider)
    assert make_up(app, "popup", email, is_verified=False).error() == "auth/account-exists-with-different-credential"
    app.closed().act("popup", "signIn", "google.com")
    assert choose(app, "popup", email).result()["uid"] == uid
    app.closed().script("return client.linkPending()")
    assert app.providers() == sorted([provider, "google.com"])
    app.act("popup", "signIn", provider)
    assert choose(app, "popup", email).result()["uid"] == uid


@in_settings(clients=["player"])
def test_a_random_person_and_a_wrong_address(setting):
    app = setting.open().act("popup", "signIn", "google.com")
    at_page(app, "popup").click("#generate")
    app.until(lambda: app.script("return document.getElementById('email').value.endsWith('@example.com')"), "random person")
    app.script("const field = document.getElementById('email'); field.type = 'text'; field.value = 'nonsense'")
    app.click("#go")
    app.until(lambda: "This is not an e-mail address." in app.text(), "word of the wrong address")
    app.click("#generate")
    app.until(lambda: app.script("return document.getElementById('email').value.endsWith('@example.com')"), "random person")
    app.click("#go")
    result = app.result()
    assert result["isNew"] and result["email"].endswith("@example.com")
