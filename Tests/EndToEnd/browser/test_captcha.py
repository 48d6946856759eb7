"""The captcha of a project in a browser: the script for apps' pages, and the page that a native app opens."""

import json
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import pytest
import requests
from selenium.webdriver.common.by import By
from werkzeug.wrappers import Request, Response

from support.browser.drivers import Chromium
from support.browser.layout import look, read_out
from support.browser.tab import until
from support.captcha import CaptchaServices
from support.names import ANDROID, API_KEY, APPLE, TIMEOUT
from support.servers.site import Site
from support.web_server import WebServer

SERVICES = ["turnstile", "hcaptcha", "recaptcha", "recaptchaEnterprise"]
# An app's page with a policy that allows the server and the service alone, and no inline script but this one.
PAGE = """<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><div id="place"></div><button id="send">Send</button>
<script src="{server}/__/auth/captcha.js?apiKey={key}"></script>"""


@pytest.fixture(scope="module")
def services():
    services = CaptchaServices()
    yield services
    services.close()


@pytest.fixture(scope="module")
def captcha_site(services):
    """A project for each service, and one without."""

    def project(number, captcha):
        return {
            "project": f"captcha-{number}",
            "number": 100 + number,
            "apiKeys": [f"captcha-key-{number}"],
            "authorizedDomains": ["localhost", "127.0.0.1"],
            "apps": [{"name": "Example", "ios": APPLE}, {"name": "Example", "android": {**ANDROID, "sha1": [ANDROID["sha1"]]}}],
            "phone": {"captcha": captcha},
        }

    others = {name: project(number, {name: services.settings(name)}) for number, name in enumerate(SERVICES)}
    site = Site({}, others={**others, "none": project(len(SERVICES), {})})
    site.serve()
    yield site
    site.close()


def key(service):
    return f"captcha-key-{[*SERVICES, 'none'].index(service)}"


@pytest.fixture(scope="module")
def app(captcha_site, services):
    def respond(request):
        policy = f"default-src 'none'; img-src data:; script-src {captcha_site.url} {services.url}; connect-src {services.url}; frame-src {services.url}"
        html = PAGE.format(server=captcha_site.url, key=request.args["key"])
        return Response(html, content_type="text/html", headers={"content-security-policy": policy})

    web = WebServer(Request.application(respond))
    yield web.url.replace("127.0.0.1", "localhost")
    web.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


def opened(browser, app, service):
    browser.forget()
    browser.get(f"{app}/?key={key(service)}")
    assert browser.execute_script("return typeof window.grecaptcha.render") == "function", browser.complaints()


# As RecaptchaVerifier of the Firebase JS SDK draws its widget.
RENDER = """
window.heard = [];
window.id = grecaptcha.render(document.getElementById(arguments[0]), {
  sitekey: arguments[2], theme: "light", type: "image", size: arguments[1],
  callback: token => heard.push(token), "expired-callback": () => heard.push("expired"), "error-callback": () => heard.push("failed"),
});
return id;
"""


def heard(browser, count=1):
    found = until(browser, lambda: [*browser.execute_script("return heard"), None][count - 1], "token")
    assert not [said for said in browser.complaints() if "Content Security" in said]
    return found


@pytest.mark.parametrize("service", [*SERVICES, "none"])
def test_a_visible_widget_gives_a_token_and_draws_no_more_than_the_service(browser, app, service, services):
    opened(browser, app, service)
    assert browser.execute_script(RENDER, "place", "normal", "site-key-of-the-SDK") == 1
    assert browser.execute_script("return grecaptcha.getResponse(id)") == "" or service in ("none", "recaptchaEnterprise")
    if service not in ("none", "recaptchaEnterprise"):
        until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#place .captcha-widget"), "widget")[0].click()
    token = heard(browser)
    assert browser.execute_script("return [grecaptcha.getResponse(id), grecaptcha.getResponse()]") == [token, token]
    asked = [address for address, _ in browser.requests() if not address.startswith((app, services.url)) and "captcha.js" not in address]
    assert not [address for address in asked if address.startswith("http")], "nothing else is loaded"
    if service == "none":
        assert token.startswith("none.")
    else:
        assert services.tokens[token] == ("" if service in ("hcaptcha", "recaptcha") else "sendVerificationCode")
    browser.execute_script("grecaptcha.reset(id)")
    if service in ("turnstile", "hcaptcha", "recaptcha"):
        assert browser.execute_script("return grecaptcha.getResponse(id)") == ""
        browser.execute_script("captchaExpires()")
        assert heard(browser, 2) == "expired"


@pytest.mark.parametrize("service", [*SERVICES, "none"])
def test_an_invisible_widget_may_be_bound_to_a_button_and_is_solved_by_a_call(browser, app, service):
    opened(browser, app, service)
    browser.execute_script(RENDER, "send", "invisible", "k")
    browser.execute_async_script("grecaptcha.execute(id).then(arguments[0])")
    first = heard(browser)
    browser.find_element(By.ID, "send").click()
    second = heard(browser, 2)
    assert first != second and "failed" not in (first, second)
    assert not browser.find_elements(By.CSS_SELECTOR, "button button")


def test_a_service_that_cannot_be_loaded_is_an_error_of_the_widget(browser, app, services):
    opened(browser, app, "turnstile")
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [f"{services.url}/turnstile.js*"]})
    try:
        browser.execute_script(RENDER, "place", "normal", "k")
        assert heard(browser) == "failed"
    finally:
        browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})


def test_the_script_needs_a_project_and_keeps_no_secret(captcha_site):
    address = f"{captcha_site.url}/__/auth/captcha.js"
    assert requests.get(address, timeout=TIMEOUT).status_code == 400
    answer = requests.get(address, params={"apiKey": key("turnstile")}, timeout=TIMEOUT)
    assert answer.headers["content-type"].startswith("text/javascript") and answer.headers["cross-origin-resource-policy"] == "cross-origin"
    settings = json.loads(answer.text.splitlines()[0].removeprefix("window.gatehouseCaptcha=").removesuffix(";"))
    assert set(settings) == {"kind", "siteKey", "script"}


# -- native apps


def address(captcha_site, service, **changes):
    query = {"apiKey": key(service), "authType": "verifyApp", "v": "X24.0.1", "eventId": "E-1", "hl": "en", **changes}
    return f"{captcha_site.url}/__/auth/handler?{urlencode({name: value for name, value in query.items() if value})}"


IOS = {"ibi": APPLE["bundleId"], "clientId": APPLE["clientId"]}
PACKAGE = {"apn": ANDROID["package"], "sha1Cert": ANDROID["sha1"]}


def link_of(browser):
    return until(browser, lambda: browser.find_element(By.CSS_SELECTOR, "a.button").get_attribute("href"), "button back to the app")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_read_and_seen_by_everyone(browser, captcha_site, scheme):
    browser.forget()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get(address(captcha_site, "none", hl="de" if scheme == "dark" else "en", **IOS))
    for step in ("asked", "done"):
        look(browser, f"verify-{scheme}-{step}")
        read_out(browser)
        if step == "asked":
            browser.find_element(By.ID, "go").click()
            link_of(browser)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("service", [*SERVICES, "none"])
def test_an_iOS_app_gets_the_token_by_its_scheme(browser, captcha_site, service, services):
    browser.forget()
    browser.get(address(captcha_site, service, **IOS))
    # The page of this service asks the person nothing, and gives way to the next at once.
    if service != "recaptchaEnterprise":
        assert "Example" in browser.find_element(By.TAG_NAME, "main").text
    if service == "none":
        browser.find_element(By.ID, "go").click()
    elif service != "recaptchaEnterprise":
        until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#captcha .captcha-widget"), "widget")[0].click()
    link = link_of(browser)
    assert not [said for said in browser.complaints() if "Content Security" in said]
    scheme, query = link.split("://firebaseauth/link?", 1)
    assert scheme == "com.googleusercontent.apps.7-a1b2"
    inner = urlsplit(dict(parse_qsl(query, strict_parsing=True))["deep_link_id"])
    fields = dict(parse_qsl(inner.query, strict_parsing=True))
    assert inner.path == "/__/auth/callback" and fields["authType"] == "verifyApp" and fields["eventId"] == "E-1"
    assert fields["recaptchaToken"] == "none" if service == "none" else fields["recaptchaToken"] in services.tokens


def test_an_Android_app_gets_the_token_by_an_intent_for_its_package(captcha_site):
    form = {"apiKey": key("turnstile"), "eventId": "E-1", "token": "a;b&c", **PACKAGE}
    page = requests.post(f"{captcha_site.url}/__/auth/verifyApp", data=form, timeout=TIMEOUT)
    assert page.status_code == 200
    link = json.loads(page.text.split('id="data">')[1].split("</script>")[0])["link"]
    fields = dict(part.split("=", 1) for part in link.split("#Intent;", 1)[1].split(";")[:-2])
    assert fields["scheme"] == "recaptcha" and fields["package"] == ANDROID["package"] and fields["S.eventId"] == "E-1"
    inner = dict(parse_qsl(urlsplit(unquote(fields["S.link"])).query, strict_parsing=True))
    assert inner == {"authType": "verifyApp", "eventId": "E-1", "recaptchaToken": "a;b&c"}
    assert fields["B.encryptionEnabled"] == "false"


@pytest.mark.parametrize(
    "changes, words",
    [
        ({}, "ibi and apn"),
        ({**IOS, **PACKAGE}, "ibi and apn"),
        ({**IOS, "eventId": ""}, "eventId"),
        ({**IOS, "ibi": "com.evil"}, "not registered"),
        ({**IOS, "clientId": "evil.example"}, "not registered"),
        ({**PACKAGE, "sha1Cert": "00" * 20}, "not registered"),
        ({**PACKAGE, "apn": "com.evil"}, "not registered"),
        ({**IOS, "apiKey": "wrong"}, "API key"),
    ],
)
def test_a_strange_app_gets_no_token(captcha_site, changes, words):
    page = requests.get(address(captcha_site, "turnstile", **changes), timeout=TIMEOUT)
    assert page.status_code == 400 and words in page.text and "verify-app.js" not in page.text
    form = {"apiKey": key("turnstile"), "eventId": "E-1", "token": "t", **changes}
    answer = requests.post(f"{captcha_site.url}/__/auth/verifyApp", data=form, timeout=TIMEOUT)
    assert answer.status_code == 400 and words in answer.text and "recaptchaToken" not in answer.text


def test_a_form_without_a_token_leads_nowhere(captcha_site):
    for token in ({}, {"token": ""}, {"token": "x" * 16385}):
        form = {"apiKey": key("turnstile"), "eventId": "E-1", **IOS, **token}
        answer = requests.post(f"{captcha_site.url}/__/auth/verifyApp", data=form, timeout=TIMEOUT)
        assert answer.status_code == 400 and "no token" in answer.text


def test_the_project_of_the_other_tests_has_no_captcha(site):
    assert requests.get(f"{site.url}/__/auth/captcha.js", params={"apiKey": API_KEY}, timeout=TIMEOUT).text.startswith(
        'window.gatehouseCaptcha={"kind":"none"};'
    )
