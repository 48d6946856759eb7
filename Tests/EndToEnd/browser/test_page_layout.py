"""Every page that the server shows, on a phone and on a desk: nothing is wider than the screen, nothing hidden is seen. With the longest
names and addresses that there can be.

GATEHOUSE_SCREENSHOTS names a folder for pictures of them all.
"""

import json
from urllib.parse import urlencode

import pytest
from werkzeug.utils import redirect

from support.accounts import sign_up
from support.browser.drivers import Chromium
from support.browser.layout import look
from support.browser.tab import Tab
from support.clients.api import posted
from support.clients.handler import AndroidFlow, AppleFlow, BrowserFlow
from support.harness import ROOT
from support.leaks import note
from support.mail.mailing_site import MailingSite
from support.names import ANDROID, API_KEY, APPLE, METHODS
from support.servers.site import Site

NAME = "Donaudampfschifffahrtsgesellschaftskapitaensvereinigung"
PERSON = "Wolfeschlegelsteinhausenbergerdorff" * 2
APP = "https://app.example.com/" + "a-page-without-an-end-" * 8
LANGUAGES = ("en", "de")


def address():
    """254 characters, the most that an address has."""
    number = next(address.numbers)
    local = f"person{number}-".ljust(64, "l")
    domain = ".".join(["d" * 63, "e" * 63])
    return f"{local}@{domain}.{'f' * (254 - 64 - 1 - len(domain) - 1 - 8)}.example"


address.numbers = iter(range(10_000))


class Stage:
    """A server whose every name is long, and a browser."""

    def __init__(self, issuer, driver):
        self.issuer = issuer
        self.driver = driver
        self.site = MailingSite(
            project={
                "branding": {"name": NAME, "accent": "#225588"},
                "providers": {"oidc.fake": issuer.entry()},
                "passwordPolicy": {
                    "enforcement": "enforce",
                    "minLength": 12,
                    **{kind: True for kind in ("lowercase", "uppercase", "numeric", "nonAlphanumeric")},
                },
                "apps": [{"name": NAME, "ios": APPLE}, {"name": NAME, "android": ANDROID}],
            },
        )
        providers = {"oidc.fake": issuer.entry(name=NAME)}
        self.sample = Site(
            providers, settings={"sample": str(ROOT / "config/sample"), "developmentProject": "demo"}, project={"signIn": METHODS}
        )
        for site in (self.site, self.sample):
            site.serve()
        self.api = self.site.servers[0].api()

    def close(self):
        self.site.close()
        self.sample.close()


class Visit(Tab):
    """A person on our pages; `looked` at each of them in both widths."""

    def __init__(self, stage, name):
        super().__init__(stage.driver)
        self.stage = stage
        self.site = stage.site
        self.api = stage.api
        self.name = name
        self.seen = 0

    def go(self, url):
        self.driver.get(url)
        return self

    def looked(self, step=""):
        self.seen += 1
        look(self.driver, "-".join(filter(None, [self.name, step])))
        return self

    # -- Codes by mail

    def mailed(self, kind, language, person, **more):
        return self.site.asked(self.api, kind, person, **{"continueUrl": APP, **more}).replace("lang=en", f"lang={language}")

    def person(self):
        return sign_up(self.api, address(), "Correct horse 1!")

    def answered(self, selector="#go"):
        """Sends the form, and waits for the page that answers it."""
        before = self.script("return performance.timeOrigin")
        self.click(selector)
        self.until(
            lambda: self.script("return document.readyState === 'complete' && performance.timeOrigin") not in (False, before), "answer"
        )
        return self


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session, tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    stage = Stage(fake_issuer_of_session, driver)
    yield stage
    driver.quit()
    stage.close()


@pytest.fixture
def visit(stage, fake_issuer, request):
    visit = Visit(stage, request.node.name.removeprefix("test_"))
    yield visit
    assert visit.seen > 0


# ---------------------------------------------------------------------------------------------------------------------------------
# The page that links in mails lead to

languages = pytest.mark.parametrize("language", LANGUAGES)


@languages
def test_a_new_password(visit, language):
    link = visit.mailed("PASSWORD_RESET", language, visit.person())
    visit.go(link).looked("asked")
    visit.driver.find_element("name", "newPassword").send_keys("short")
    visit.answered().looked("weak")
    visit.driver.find_element("name", "newPassword").send_keys(note("Battery staple 2!"))
    visit.answered().looked("done")
    visit.go(link).looked("used")


@languages
def test_an_address_is_confirmed(visit, language):
    visit.go(visit.mailed("VERIFY_EMAIL", language, visit.person())).looked("asked").answered().looked("done")


@languages
def test_an_address_is_changed_and_restored(visit, language):
    person = visit.person()
    link = visit.mailed("VERIFY_AND_CHANGE_EMAIL", language, person, newEmail=address())
    visit.go(link).looked("asked").answered().looked("done")
    back = visit.site.link(person["email"]).replace("lang=en", f"lang={language}")
    visit.go(back).looked("back-asked").answered().looked("back-done")


@languages
def test_an_address_is_taken_or_its_account_disabled(visit, language):
    person, new = visit.person(), address()
    visit.go(visit.mailed("VERIFY_AND_CHANGE_EMAIL", language, person, newEmail=new))
    sign_up(visit.api, new, "Correct horse 1!")
    visit.answered().looked("taken")
    visit.go(visit.mailed("VERIFY_EMAIL", language, person))
    visit.site.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", person["localId"])
    visit.answered().looked("disabled")


@languages
def test_a_sign_in_link_without_an_app_and_a_damaged_link(visit, language):
    link = f"{visit.site.url}/__/auth/action?{urlencode({'mode': 'signIn', 'apiKey': API_KEY, 'oobCode': 'x', 'lang': language})}"
    visit.go(link).looked("unknown")
    email = address()
    visit.api.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email})
    visit.go(visit.site.link(email).replace("lang=en", f"lang={language}")).looked("elsewhere")
    visit.go(visit.site.url + "/__/auth/action").looked("damaged")


# ---------------------------------------------------------------------------------------------------------------------------------
# The handler's pages


def handler(visit, flow):
    return f"{visit.site.url}{flow.path}?{urlencode(flow.query())}"


@languages
def test_the_sign_in_window(visit, language):
    # Opened by no app, so it has lost its opener; the other paragraphs are shown one by one.
    visit.go(handler(visit, BrowserFlow(visit.site, hl=language))).until(lambda: visit.script("return !lost.hidden"), "word of the loss")
    for id in ("lost", "working", "done"):
        visit.script("for (const one of document.querySelectorAll('main > p')) one.hidden = one.id !== arguments[0]", id)
        visit.looked(id)


@languages
@pytest.mark.parametrize("flow", [AppleFlow, AndroidFlow])
def test_the_way_to_a_native_app(visit, fake_issuer, flow, language):
    visit.go(handler(visit, flow(visit.site, hl=language))).at("/__/auth/handler").looked("done")
    fake_issuer.answers["authorize"] = refusal
    visit.go(handler(visit, flow(visit.site, hl=language))).at("error=access_denied").looked("refused")


def refusal(request):
    return redirect(f"{request.args['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': request.args['state']})}")


@languages
def test_an_app_that_is_not_on_the_device(visit, language):
    visit.go(f"{visit.site.url}/__/auth/app?{urlencode({'apiKey': API_KEY, 'hl': language})}").looked()
    visit.go(f"{visit.site.url}/__/auth/app").looked("of-nobody")


@languages
def test_errors(visit, language):
    def start(**changes):
        return handler(visit, BrowserFlow(visit.site, auth_type="signInViaRedirect", hl=language, **changes))

    visit.go(start(apiKey="wrong")).looked("key")
    visit.go(start(page="https://" + "evil." * 30 + "example/" + "x" * 500)).looked("domain")
    visit.go(start(page=APP, tid="a-tenant")).looked("way-back")
    assert visit.driver.find_element("id", "back").is_displayed()
    visit.go(f"{visit.site.url}/__/auth/handler?{urlencode({'error': 'an_error_that_no_standard_knows_' * 6})}").looked("of-a-provider")
    visit.go(f"{visit.site.url}/__/auth/handler?state={'x' * 300}").looked("state")
    visit.go(f"{visit.site.url}/__/auth/start?{urlencode({'apiKey': 'wrong' * 40, 'redirectUrl': APP})}").looked("start")
    visit.go(f"{visit.site.url}/__/auth/iframe?apiKey=wrong").looked("frame")


@languages
def test_the_page_in_place_of_a_provider(visit, stage, language):
    api = stage.sample.servers[0].api()
    claims = {"sub": "1" * 255, "email": address(), "name": PERSON * 3}
    posted(api, {"providerId": "github.com", "access_token": json.dumps(claims)}).raise_for_status()
    posted(api, {"providerId": "github.com", "access_token": json.dumps({"sub": "s" * 255})}).raise_for_status()
    flow = BrowserFlow(stage.sample, "github.com", "signInViaRedirect", customParameters=json.dumps({"ui_locales": language}))
    visit.go(f"{stage.sample.url}{flow.path}?{urlencode(flow.query())}").at("/__/auth/development").looked()
    visit.script("for (const field of document.querySelectorAll('input[id]')) { field.type = 'text'; field.value = arguments[0] }", PERSON)
    visit.answered().looked("wrong")


# How far two colours are apart: 4.5 is the least for text. <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
CONTRAST = """
const part = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = colour => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(value => part(value / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const style = selector => getComputedStyle(document.querySelector(selector));
const [dark, light] = [style(arguments[0]).color, style("main").backgroundColor].map(luminance).sort((one, other) => one - other);
return (light + 0.05) / (dark + 0.05);
"""
# Whether no word of the checkbox's label stands below the box.
BESIDE = """
const box = document.getElementById("verified"), words = document.createRange();
words.selectNodeContents(box.nextSibling);
return [...words.getClientRects()].every(part => part.left >= box.getBoundingClientRect().right);
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_place_of_a_provider_can_be_read(visit, stage, scheme):
    flow = BrowserFlow(stage.sample, "github.com", "signInViaRedirect")
    visit.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    try:
        visit.go(f"{stage.sample.url}{flow.path}?{urlencode(flow.query())}").at("/__/auth/development").looked()
        assert visit.script(CONTRAST, "#generate") >= 4.5
        visit.driver.resize(390, 844)
        assert visit.script(BESIDE)
    finally:
        visit.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# ---------------------------------------------------------------------------------------------------------------------------------
# The sample page


def test_the_sample_page_signed_out(visit, stage):
    visit.go(stage.sample.url + "/sample/").until(lambda: visit.script("return !document.getElementById('signed-out').hidden"), "page")
    visit.looked()
    visit.script(
        "for (const id of ['notice', 'mailed']) document.getElementById(id).hidden = false; notice.textContent = arguments[0]", APP
    )
    visit.looked("notices")


@pytest.mark.parametrize("name", [PERSON, "", "Ada Lovelace"], ids=["long-name", "no-name", "short-name"])
def test_the_sample_page_signed_in(visit, stage, name):
    api = stage.sample.servers[0].api()
    person = sign_up(api, address())
    if name:
        api.succeed("update", {"idToken": person["idToken"], "displayName": name})
    visit.go(stage.sample.url + "/sample/icon.svg")
    session = {key: person[key] for key in ("idToken", "refreshToken")}
    visit.script("sessionStorage.setItem('session', JSON.stringify(arguments[0]))", session)
    visit.go(stage.sample.url + "/sample/").until(lambda: visit.script("return document.body.dataset.state === 'signed-in'"), "account", 20)
    visit.looked()
    visit.script("document.querySelector('details').open = true")
    visit.looked("token")
