"""The hosted pages as people see them: on a phone and on a desk, light and dark, in both languages, and read out by axe-core.

GATEHOUSE_SCREENSHOTS names a folder for pictures of them all.
"""

import json

import pytest

from support.accounts import address
from support.browser.layout import look, read_out
from support.browser.tab import Tab
from support.hosted_pages.relying_party import NATIVE, THIRD_PARTY
from support.hosted_pages.second_factor import App, prove
from support.hosted_pages.stage import PASSWORD, HostedSite, account
from support.issuers.apple import write_p8
from support.jwts import Key
from support.leaks import note
from support.qr_code import text_of

pytestmark = pytest.mark.long

WELL_KNOWN = {
    "google.com": {},
    "microsoft.com": {},
    "apple.com": {"teamId": "TEAM123456", "keyId": "KEY1234567"},
    "github.com": {},
    "facebook.com": {},
    "linkedin.com": {},
    "twitter.com": {},
    "yahoo.com": {},
}
LONG = "Donaudampfschifffahrtsgesellschaftskapitaensvereinigung"


class Look(Tab):
    """A person who looks at each page that they come to."""

    def __init__(self, driver, site, language, scheme, name):
        super().__init__(driver)
        self.site, self.language, self.name, self.steps = site, language, f"{name}-{language}-{scheme}", 0
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, flow=None, **parameters):
        self.driver.get(self.site.request(flow, ui_locales=self.language, **parameters).url)
        assert self.script("return document.documentElement.lang") == self.language
        return self

    def press(self, selector="#go", **fields):
        """Fills the fields in, without the browser's own checks, and presses a button."""
        for name, value in fields.items():
            self.script("const field = document.getElementById(arguments[0]); field.value = arguments[1]", name, value)
        self.script("for (const form of document.forms) form.noValidate = true")
        before = self.script("return performance.timeOrigin")
        self.click(selector)
        self.until(
            lambda: self.script("return document.readyState === 'complete' && performance.timeOrigin") not in (False, before), "answer"
        )
        return self

    def follow(self, link):
        self.driver.get(self.driver.find_element("css selector", link).get_attribute("href"))
        return self

    def looked(self, step):
        """The page has the size of the screen, and axe-core finds nothing serious."""
        self.steps += 1
        look(self.driver, f"hosted-{self.name}-{self.steps}-{step}")
        read_out(self.driver)
        return self


def entry(provider, site):
    secret = {"clientSecret": {"env": "CLIENT_SECRET"}}
    if provider == "apple.com":
        write_p8(site.folder / "apple.p8", Key("KEY1234567", algorithm="ES256"))
        secret = {"privateKey": {"file": str(site.folder / "apple.p8")}}
    return {"clientId": "client", **secret, **WELL_KNOWN[provider]}


@pytest.fixture(scope="module")
def site(fake_issuer_of_session):
    site = HostedSite(
        fake_issuer_of_session, project={"passwordPolicy": {"enforcement": "enforce", "minLength": 12, "numeric": True, "uppercase": True}}
    )
    for provider in WELL_KNOWN:
        site.project["providers"][provider] = entry(provider, site)
    site.write()
    site.serve()
    yield site
    site.close()


@pytest.fixture(params=[("en", "light"), ("en", "dark"), ("de", "light"), ("de", "dark")], ids="-".join)
def person(driver, site, request):
    person = Look(driver, site, *request.param, request.node.originalname.removeprefix("test_"))
    yield person
    assert person.steps > 0
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    # A form that was refused has a status of its own, which browsers note.
    assert not [text for text in person.complaints() if "the server responded with a status of 4" not in text]


@pytest.fixture
def known(site):
    return account(site, site.servers[0].api(), address(), "Correct horse 1!")["email"]


def test_signing_in(person, known):
    person.open().looked("asked")
    person.press(email="x", password="").looked("field")
    person.press(email=known, password="wrong").looked("refused")
    person.press("#mail", email=known).looked("code")
    person.press(code="").looked("code-missing")
    person.press("#again").looked("code-again")


def test_signing_up(person, site):
    email = address()
    person.open("b2c_1_susi").press("#sign-up").looked("address")
    person.press(email="@").looked("address-wrong")
    person.press(email=email).press(code=site.digits(email)).looked("details")
    person.press(password="short", displayName="").looked("details-wrong")
    person.press(displayName=LONG, surname=LONG, password=PASSWORD).looked("weak")
    person.press(password="Correct horse 1!").at("/callback")


def test_a_user_flow_for_signing_up(person):
    person.open("b2c_1_sign_up").looked("address")


def test_a_new_password(person, site, known):
    person.open("b2c_1_reset").looked("address")
    person.press(email=known).looked("code")
    person.press(code=site.digits(known)).looked("password")


def test_choosing(person, known):
    person.open().press(email=known, password="Correct horse 1!").at("/callback")
    person.open(prompt="select_account").looked("account")
    person.open(client=THIRD_PARTY, scope="openid profile email offline_access").looked("consent")
    person.open("b2c_1_profile").looked("profile")
    person.press(displayName="").looked("profile-wrong")
    person.open(client=NATIVE).looked("native")


@pytest.fixture
def strict():
    phone = {"enabled": True, "regions": ["DE"], "transport": {"log": {}}, "testNumbers": {"+16505550101": "123456"}}
    site = HostedSite(project={"mfa": {"state": "mandatory", "rememberDevice": "30d"}, "phone": phone})
    site.serve_with_passkeys()
    yield site
    site.close()


def with_everything(site, email):
    """Gives an account a phone, a passkey and a provider besides."""
    site.rows(
        """
        INSERT INTO identities (project_id, provider_id, subject, account_id, email, linked_at, last_sign_in_at)
        SELECT project_id, 'oidc.other', account_id, account_id, %s, now(), now() FROM accounts WHERE email = %s
        """,
        f"ada@{LONG.lower()}.example.com",
        email,
    )
    phone = [{"mfaEnrollmentId": "one", "phoneInfo": "+16505550101", "enrolledAt": "2026-11-01T10:00:00.000Z"}]
    site.rows(
        "UPDATE accounts SET second_factors = (coalesce(second_factors, '[]')::jsonb || %s)::text WHERE email = %s",
        json.dumps(phone),
        email,
    )
    site.rows(
        """
        INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible, backup_state,
            uv_initialized, transports, aaguid, format, name, linked_unproven, linked_at, flagged_at)
        SELECT project_id, decode(md5(email), 'hex'), account_id, decode('a0', 'hex'), -7, 0, 'localhost', true, true, true, '{}',
            decode(md5(''), 'hex'), 'none', %s, false, now(), now() FROM accounts WHERE email = %s
        """,
        LONG,
        email,
    )
    site.rows("UPDATE accounts SET user_handle = decode(repeat('61', 24), 'hex') WHERE email = %s", email)


@pytest.mark.parametrize("language, scheme", [("en", "light"), ("de", "dark")])
def test_the_account_page(driver, strict, language, scheme):
    person = Look(driver, strict, language, scheme, "account")
    # The account page speaks the language of the browser.
    agent = driver.execute_script("return navigator.userAgent")
    driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})
    api = strict.servers[0].api()
    email = account(strict, api, address())["email"]
    prove(strict, email)
    person.open().press(email=email, password=PASSWORD)
    app = App(text_of(driver.page_source))
    person.press(code=app.code())
    for code in driver.find_elements("css selector", ".codes code"):
        note(code.text)
    driver.get(f"{strict.url}/demo/account")
    person.looked("alone")
    with_everything(strict, email)
    driver.refresh()
    driver.find_element("css selector", "summary").click()
    person.looked("everything")
    person.follow("#add-passkey").looked("passkey")
    person.follow("#back").follow("#enrol").looked("enrol")
    person.press(code="000000").looked("enrol-wrong")
    person.follow("#back").press("#sign-out").looked("signed-out")
    driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "en"})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("language, scheme", [("en", "light"), ("de", "dark")])
def test_second_steps(driver, strict, language, scheme):
    person = Look(driver, strict, language, scheme, "second-step")
    email = account(strict, strict.servers[0].api(), address())["email"]
    person.open().press(email=email, password=PASSWORD).looked("unproven")
    driver.delete_all_cookies()
    prove(strict, email)
    person.open().press(email=email, password=PASSWORD).looked("enrol")
    app = App(text_of(driver.page_source))
    person.press(code="000000").looked("enrol-wrong")
    person.press(code=app.code()).looked("codes")
    for code in driver.find_elements("css selector", ".codes code"):
        note(code.text)
    driver.delete_all_cookies()
    person.open().press(email=email, password=PASSWORD).looked("factor")
    person.press(code="000000").looked("factor-wrong")
    person.follow("#to-recoveryCode").looked("recovery")
    person.press(code="0000").looked("recovery-wrong")
    with_everything(strict, email)
    driver.delete_all_cookies()
    person.open().looked("sign-in-with-passkey")
    person.press(email=email, password=PASSWORD).looked("factor-with-others")
    person.follow("#to-phoneCode").looked("phone")
    person.press("#send-0").looked("phone-sent")
    person.press(code="000000").looked("phone-wrong")
    person.follow("#to-passkey").looked("passkey")
    # The tests' browser has no authenticator.
    person.script("document.getElementById('passkey-fault').hidden = false")
    person.looked("passkey-failed")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_end_of_a_request(person, site):
    person.open().looked("asked")
    site.rows("DELETE FROM authorization_requests WHERE status = 'waiting'")
    person.driver.refresh()
    person.looked("over")


def test_buttons_have_the_mark_of_their_provider_and_are_named_by_their_words(driver, site):
    driver.get(site.request().url)
    buttons = {button.get_attribute("value"): button for button in driver.find_elements("css selector", "button.provider")}
    assert buttons.keys() == WELL_KNOWN.keys() | {"oidc.fake"}
    for provider, button in buttons.items():
        marks = button.find_elements("css selector", "svg[aria-hidden=true]")
        assert [mark.size for mark in marks] == ([{"width": 20, "height": 20}] if provider in WELL_KNOWN else [])
        assert button.accessible_name == button.text and " with " in button.text


def test_a_provider_that_refuses(person):
    person.open()
    url = person.driver.current_url + "&page=signIn&note=declined&provider=oidc.fake"
    person.driver.get(url)
    person.looked("declined")


def test_providers_first(person):
    person.open("b2c_1_providers_first").looked("asked")
