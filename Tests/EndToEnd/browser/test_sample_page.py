"""A real browser on the sample page: headless Chromium signs in, refreshes, signs out and deletes the account."""

import json
import time

import jwt
import pyotp
import pytest
import requests
from selenium.webdriver.common.by import By

from support import accounts
from support.browser.drivers import Chromium
from support.browser.hosted_page import HostedPage
from support.browser.tab import Tab, click, until
from support.harness import ROOT
from support.issuers import stand_ins
from support.leaks import note, note_fields
from support.names import METHODS, TIMEOUT
from support.passkeys import AUTHENTICATOR
from support.servers.make_run import Person
from support.servers.site import Site

SAMPLE = ROOT / "config/sample"
BUTTON = "at-oidc.demo"
CLIENT = "sample-page"
# The buttons of development mode, as far as the server has these providers.
WELL_KNOWN = ["google.com", "microsoft.com", "apple.com", "facebook.com", "github.com"]


@pytest.fixture(scope="module")
def sample(real_issuer):
    """A server whose project is the one that the sample page speaks for."""
    site = Site(
        {"oidc.demo": real_issuer.entry(name="Local issuer")},
        settings={"sample": str(SAMPLE), "developmentProject": "demo"},
        project={
            "signIn": METHODS,
            "mfa": {"state": "enabled", "sms": True},
            "phone": {"enabled": True, "regions": ["*"], "transport": {"log": {}}},
            "passkeys": {"rpId": "localhost"},
        },
    )
    # The page is where its passkeys are.
    site.url = site.settings["publicURL"] = f"http://localhost:{site.port}"
    page = [site.url + "/sample/"]
    site.project["redirectURLs"] = page
    client = {"id": CLIENT, "kind": "browser", "redirectURIs": page, "postLogoutRedirectURIs": page}
    site.project["openIDProvider"] = {"clients": [client]}
    site.write()
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"), size=(900, 1300))
    yield driver
    driver.quit()


@pytest.fixture(autouse=True)
def fresh(browser, sample):
    """The page without what a test that failed has left in it."""
    browser.get(sample.url + "/sample/")
    browser.execute_script("sessionStorage.clear()")
    browser.refresh()


def shown(browser, name):
    """An element once it can be seen and used."""

    def found():
        element = browser.find_element(By.ID, name)
        return element if element.is_displayed() and element.is_enabled() else None

    return until(browser, found, name)


def session(browser):
    """The state that the page keeps."""
    kept = json.loads(browser.execute_script("return sessionStorage.getItem('session')") or "null")
    if kept:
        note_fields(kept)
    return kept


def at_issuer(browser):
    """From the page's button to the answer of the issuer."""
    shown(browser, BUTTON).click()
    until(browser, lambda: "/oauth2/authorize" in browser.current_url, "page of the issuer")
    click(browser, "button[name=sub][value=ada]")


def sign_in(browser, sample):
    browser.get(sample.url + "/sample/")
    at_issuer(browser)
    shown(browser, "sign-out")
    return session(browser)


def test_the_sample_page_ends_signed_in(browser, sample):
    kept = sign_in(browser, sample)
    (ROOT / ".local").mkdir(exist_ok=True)
    browser.save_screenshot(str(ROOT / ".local/signed-in.png"))
    assert browser.find_element(By.ID, "name").text == "Ada Lovelace"
    assert browser.find_element(By.ID, "address").text == "ada@example.com, verified"
    # The one-time code is gone from the address.
    assert browser.current_url == sample.url + "/sample/"

    key = jwt.PyJWKClient(f"{sample.issuer}/oauth2/jwks").get_signing_key_from_jwt(kept["idToken"])
    claims = jwt.decode(kept["idToken"], key, algorithms=["RS256"], audience="demo", issuer=sample.issuer)
    assert json.loads(browser.find_element(By.ID, "claims").text) == claims
    rows = sample.rows(
        "SELECT a.account_id, a.email, i.provider_id, i.subject FROM accounts a JOIN identities i USING (project_id, account_id)"
    )
    assert rows == [(claims["sub"], "ada@example.com", "oidc.demo", "ada")]


def test_the_page_stays_signed_in_and_refreshes(browser, sample):
    before = sign_in(browser, sample)
    browser.refresh()
    shown(browser, "refresh").click()
    until(browser, lambda: session(browser)["refreshToken"] != before["refreshToken"], "new token")
    shown(browser, "sign-out")


def test_signing_out_and_deleting_the_account(browser, sample):
    sign_in(browser, sample)
    shown(browser, "sign-out").click()
    shown(browser, BUTTON)
    assert session(browser) is None
    sign_in(browser, sample)
    shown(browser, "delete").click()
    shown(browser, BUTTON)
    assert session(browser) is None
    assert sample.value("SELECT count(*) FROM accounts") == 0


def text_message(sample):
    """The code that was sent last."""
    answer = requests.get(sample.url + "/emulator/v1/projects/demo/verificationCodes", timeout=TIMEOUT)
    return note(answer.json()["verificationCodes"][-1]["code"])


def enter(browser, text):
    """Types into the page's form for codes."""
    form = shown(browser, "second-factor")
    form.find_element(By.CSS_SELECTOR, "[data-part=code]").send_keys(text)
    form.find_element(By.CSS_SELECTOR, "button.primary").click()


def waits_for(browser, text):
    until(browser, lambda: text in shown(browser, "second-factor").text, text)


def second_factor(browser):
    """The second factor of the ID token that the page shows."""
    return json.loads(browser.find_element(By.ID, "claims").text)["firebase"].get("sign_in_second_factor")


def test_an_authenticator_app_is_enrolled_and_asked_for(browser, sample):
    sign_in(browser, sample)
    shown(browser, "enroll").click()
    form = shown(browser, "second-factor")
    totp = pyotp.TOTP(note(form.find_element(By.CSS_SELECTOR, "[data-part=secret]").text))
    # Whoever does not want to go on may sign out, or begin again.
    shown(browser, "sign-out").click()
    shown(browser, BUTTON)
    sign_in(browser, sample)
    shown(browser, "enroll").click()
    form = shown(browser, "second-factor")
    totp = pyotp.TOTP(note(form.find_element(By.CSS_SELECTOR, "[data-part=secret]").text))
    enter(browser, "000 000")
    waits_for(browser, "That code was wrong")
    enter(browser, totp.now())
    until(browser, lambda: second_factor(browser) == "totp", "end of the enrolment")
    shown(browser, "sign-out").click()
    at_issuer(browser)
    shown(browser, "second-factor")
    assert session(browser) is None
    enter(browser, totp.at(int(time.time()) + 30))
    shown(browser, "sign-out")
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_a_phone_signs_in(browser, sample):
    shown(browser, "number").send_keys("+49 30 1234567")
    browser.find_element(By.CSS_SELECTOR, "#phone button").click()
    waits_for(browser, "+49301234567")
    enter(browser, "0")
    waits_for(browser, "That code was wrong")
    enter(browser, text_message(sample))
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "badge").text == "phone"
    assert '"phoneNumber": "+49301234567"' in browser.find_element(By.ID, "account").text
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_a_phone_is_enrolled_and_asked_for(browser, sample):
    sign_in(browser, sample)
    shown(browser, "enroll-phone").click()
    shown(browser, "second-factor")
    enter(browser, "+49 30 7654321")
    waits_for(browser, "+49307654321")
    enter(browser, text_message(sample))
    until(browser, lambda: second_factor(browser) == "phone", "end of the enrolment")
    shown(browser, "sign-out").click()
    at_issuer(browser)
    waits_for(browser, "4321")
    assert session(browser) is None
    enter(browser, text_message(sample))
    shown(browser, "sign-out")
    assert second_factor(browser) == "phone"
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_a_passkey_is_added_and_signs_in(browser, sample):
    browser.add_virtual_authenticator(AUTHENTICATOR)
    sign_in(browser, sample)
    before = session(browser)
    shown(browser, "add-passkey").click()
    until(browser, lambda: session(browser) != before, "end of the registration")
    shown(browser, "sign-out").click()
    shown(browser, "by-passkey").click()
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "name").text == "Ada Lovelace"
    assert browser.find_element(By.ID, "badge").text == "passkey"
    shown(browser, "delete").click()
    shown(browser, BUTTON)
    browser.remove_virtual_authenticator()


def test_the_hosted_page_signs_in(browser, sample):
    """By OpenID Connect alone: code and PKCE, userinfo, refresh, log-out."""
    person = Person(accounts.address(), "", "correct horse")
    made = accounts.sign_up(sample.servers[0].api(), person.email, displayName="Edsger Dijkstra")
    tab = Tab(browser)
    browser.get(sample.url + "/sample/")
    shown(browser, "at-hosted").click()
    HostedPage(tab, "demo").sign_in(person)
    shown(browser, "sign-out")
    assert browser.current_url == sample.url + "/sample/"
    assert browser.find_element(By.ID, "name").text == "Edsger Dijkstra"
    assert browser.find_element(By.ID, "badge").text == "OpenID Connect"
    assert json.loads(browser.find_element(By.ID, "account").text)["sub"] == made["localId"]
    kept = session(browser)
    key = jwt.PyJWKClient(f"{sample.issuer}/oauth2/jwks").get_signing_key_from_jwt(kept["idToken"])
    claims = jwt.decode(kept["idToken"], key, algorithms=["RS256"], audience=CLIENT, issuer=sample.issuer)
    assert claims["sub"] == made["localId"] and json.loads(browser.find_element(By.ID, "claims").text) == claims
    # The page keeps nothing of the sign-in, and the refresh token becomes another one.
    shown(browser, "refresh").click()
    until(browser, lambda: session(browser)["refreshToken"] != kept["refreshToken"], "new token")
    shown(browser, "sign-out").click()
    shown(browser, "at-hosted").click()
    tab.at("/demo/sign-in").until(lambda: browser.find_element(By.ID, "password").is_displayed(), "form, since the session is over")


def fill(browser, email, password=""):
    for name, text in (("email", email), ("secret", password)):
        field = shown(browser, name)
        field.clear()
        field.send_keys(text)


def test_a_password_signs_up_and_in(browser, sample):
    fill(browser, "Grace@example.com", "a long password")
    shown(browser, "join").click()
    shown(browser, "sign-out").click()
    fill(browser, "grace@example.com", "another password")
    shown(browser, "enter").click()
    assert shown(browser, "notice").text == "INVALID_LOGIN_CREDENTIALS"
    fill(browser, "grace@example.com", "a long password")
    shown(browser, "enter").click()
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "address").text == "grace@example.com, not verified"
    assert browser.find_element(By.ID, "badge").text == "password"
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_a_link_by_mail_signs_in(browser, sample):
    fill(browser, "linus@example.com")
    shown(browser, "link").click()
    shown(browser, "mail").click()
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "address").text == "linus@example.com, verified"
    assert browser.current_url == sample.url + "/sample/"
    shown(browser, "sign-out").click()

    fill(browser, "linus@example.com")
    shown(browser, "reset").click()
    shown(browser, "mail").click()
    shown(browser, "go")
    assert "mode=resetPassword" in browser.current_url


def test_buttons_have_the_mark_and_the_colours_of_their_provider(browser, sample):
    google, issuer = shown(browser, "at-google.com"), shown(browser, BUTTON)
    assert google.find_element(By.CSS_SELECTOR, "svg[aria-hidden=true]").size == {"width": 20, "height": 20}
    assert google.accessible_name == "Google" and google.value_of_css_property("border-color") == "rgb(116, 119, 117)"
    assert issuer.find_elements(By.TAG_NAME, "svg") == [] and issuer.accessible_name == "Sign in with Local issuer"


@pytest.mark.parametrize("provider", [name for name in WELL_KNOWN if name in {double.provider for double in stand_ins().values()}])
def test_a_provider_needs_no_client(browser, sample, provider):
    email = f"{provider}@example.com"
    browser.get(sample.url + "/sample/")
    shown(browser, f"at-{provider}").click()
    go = shown(browser, "go")
    browser.find_element(By.ID, "email").send_keys(email)
    go.click()
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "badge").text == provider
    assert browser.find_element(By.ID, "address").text == f"{email}, verified"
    shown(browser, "delete").click()
    shown(browser, f"at-{provider}")


def made_up(browser, provider, email, is_verified=True):
    """Signs in with a new person of this provider."""
    shown(browser, f"at-{provider}").click()
    go = shown(browser, "go")
    browser.find_element(By.ID, "email").send_keys(email)
    if not is_verified:
        browser.find_element(By.ID, "verified").click()
    go.click()


def linked(sample):
    return [provider for (provider,) in sample.rows("SELECT provider_id FROM identities ORDER BY 1")]


def test_a_provider_is_added_to_the_account_that_has_its_address(browser, sample):
    made_up(browser, "google.com", "Twice@example.com")
    shown(browser, "sign-out").click()
    made_up(browser, "microsoft.com", "Twice@example.com", is_verified=False)
    told = "already has an account. Sign in the way you did before; Microsoft is then added to it."
    assert told in shown(browser, "notice").text
    # Another person's sign-in adds nothing, and ends the wait.
    shown(browser, "guest").click()
    shown(browser, "delete").click()
    made_up(browser, "microsoft.com", "Twice@example.com", is_verified=False)
    assert told in shown(browser, "notice").text and linked(sample) == ["google.com"]
    shown(browser, "at-google.com").click()
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".choices a"), "the people of before")[0].click()
    shown(browser, "sign-out")
    assert linked(sample) == ["google.com", "microsoft.com"]
    assert '"providerId": "microsoft.com"' in browser.find_element(By.ID, "account").text
    # Now either way opens the account.
    shown(browser, "sign-out").click()
    shown(browser, "at-microsoft.com").click()
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".choices a"), "the person")[0].click()
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_a_guest_needs_nothing(browser, sample):
    shown(browser, "guest").click()
    shown(browser, "sign-out")
    assert browser.find_element(By.ID, "name").text == "Guest"
    assert browser.find_element(By.ID, "badge").text == "anonymous"
    shown(browser, "delete").click()
    shown(browser, BUTTON)


def test_the_page_refuses_a_return_that_it_did_not_ask_for(browser, sample):
    browser.get(sample.url + "/sample/?code=x&flow=y&state=forged&iss=z")
    assert "another sign-in" in shown(browser, "notice").text
    assert browser.current_url == sample.url + "/sample/"


def test_the_page_says_what_went_wrong_at_the_provider(browser, sample, real_issuer):
    shown(browser, BUTTON)
    browser.execute_script("sessionStorage.setItem('flow', JSON.stringify({verifier: 'v', state: 'mine'}))")
    browser.get(f"{sample.url}/sample/?error=access_denied&error_description=Cancelled&state=mine&iss={sample.issuer}")
    assert shown(browser, "notice").text == "Cancelled"
    shown(browser, BUTTON)


def test_the_strict_policy_stops_nothing_of_the_page(browser, sample):
    policy = requests.get(sample.url + "/sample/", timeout=TIMEOUT).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    complaints = [entry["message"] for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert complaints == []


@pytest.mark.parametrize("file", sorted(SAMPLE.iterdir()), ids=lambda file: file.name)
def test_the_page_loads_nothing_from_other_servers(file):
    text = file.read_text().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "https://" not in text and "http://" not in text
