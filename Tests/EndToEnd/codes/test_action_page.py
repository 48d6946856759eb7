"""The page that links in mails lead to: by plain form posts, and in headless Chromium with and without scripts."""

import pytest
import requests
from selenium.webdriver.common.by import By

from support.accounts import address, sign_up
from support.browser.drivers import Chromium
from support.browser.tab import until
from support.clients.api import assert_error
from support.clients.flows import query_of
from support.harness import ROOT
from support.leaks import note
from support.mail.action_page import Page, opened
from support.mail.mailing_site import APP
from support.names import API_KEY, TIMEOUT


def mailed(site, api, kind, person=None, **more):
    """A person, who is new if not given, and the link of a mail of this kind."""
    person = person or sign_up(api)
    return person, site.asked(api, kind, person, **more)


def signs_in(api, email, password):
    return api.call("signInWithPassword", {"email": email, "password": password}).status_code == 200


# ---------------------------------------------------------------------------------------------------------------------------------
# Without scripts


def test_a_password_is_chosen_anew(site, demo):
    person, link = mailed(site, demo, "PASSWORD_RESET")
    page = opened(link)
    assert page.response.status_code == 200
    assert person["email"] in page.text and "Acme" in page.text and "At least 6 characters" in page.text
    assert page.fields["username"] == person["email"]
    weak = page.submit(newPassword="short")
    assert weak.response.status_code == 400 and 'role="alert"' in weak.response.text and "short" not in weak.response.text
    done = weak.submit(newPassword=note("battery staple"))
    assert done.response.status_code == 200 and "Your password is changed" in done.text
    assert done.links["continue"] == APP and done.form is None
    assert signs_in(demo, person["email"], "battery staple") and not signs_in(demo, person["email"], "correct horse")
    assert "does not work any more" in weak.submit(newPassword="another one").text


def test_the_projects_rules_are_shown_and_kept(site):
    api = site.servers[0].api("policy-project-key")
    person = sign_up(api, password="Correct horse 1")
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": person["email"]})
    page = opened(site.link(person["email"]))
    assert "At least 10 characters" in page.text and "A digit" in page.text and "An upper-case letter" in page.text
    assert "A lower-case letter" not in page.text
    assert page.submit(newPassword="battery staple").response.status_code == 400
    assert page.submit(newPassword="Battery staple 2").response.status_code == 200


def test_an_address_is_confirmed(site, demo):
    person, link = mailed(site, demo, "VERIFY_EMAIL")
    page = opened(link)
    assert person["email"] in page.text
    assert demo.lookup(person["idToken"])["emailVerified"] is False
    assert "confirmed" in page.submit().text
    assert demo.lookup(person["idToken"])["emailVerified"] is True


def test_an_address_is_moved_and_taken_back_and_the_password_chosen_anew(site, demo):
    person, new = sign_up(demo), address()
    _, link = mailed(site, demo, "VERIFY_AND_CHANGE_EMAIL", person, newEmail=new)
    page = opened(link)
    assert person["email"] in page.text and new in page.text
    assert "changed" in page.submit().text
    assert signs_in(demo, new, "correct horse")
    page = opened(site.link(person["email"]))
    assert new in page.text
    done = page.submit()
    assert "restored" in done.text
    assert demo.refresh(person["refreshToken"]).status_code == 400
    note(query_of(done.links["reset"])["oobCode"])
    again = opened(done.links["reset"]).submit(newPassword=note("battery staple"))
    assert "Your password is changed" in again.text
    assert signs_in(demo, person["email"], "battery staple")


def test_an_address_that_is_taken_meanwhile(site, demo):
    person, new = sign_up(demo), address()
    _, link = mailed(site, demo, "VERIFY_AND_CHANGE_EMAIL", person, newEmail=new)
    page = opened(link)
    sign_up(demo, new)
    answer = page.submit()
    assert answer.response.status_code == 400 and "Another account" in answer.text


def test_a_sign_in_goes_on_to_the_app_with_what_sdks_look_for(site, demo):
    email = address()
    _, link = mailed(site, demo, "EMAIL_SIGNIN", {"email": email})
    answer = requests.get(link, timeout=TIMEOUT, allow_redirects=False)
    assert answer.status_code == 302
    assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["cache-control"] == "no-store"
    target = answer.headers["location"]
    assert target.startswith("https://app.example.com/finish?cart=7&") and target.endswith("#top")
    query = query_of(target)
    assert {name: query[name] for name in ("mode", "apiKey", "lang")} == {"mode": "signIn", "apiKey": API_KEY, "lang": "en"}
    assert demo.succeed("signInWithEmailLink", {"email": email, "oobCode": query["oobCode"]})["isNewUser"] is True


def test_a_sign_ins_own_fields_take_the_place_of_those_in_continueUrl(site, demo):
    email = address()
    stranger = "oobCode=stranger&apiKey=evil&mode=resetPassword&lang=xx&%6FobCode=stranger"
    _, link = mailed(site, demo, "EMAIL_SIGNIN", {"email": email}, continueUrl=f"https://app.example.com/finish?{stranger}&cart=7")
    target = requests.get(link, timeout=TIMEOUT, allow_redirects=False).headers["location"]
    # Fails when a field occurs twice.
    query = query_of(target)
    assert list(query) == ["cart", "apiKey", "oobCode", "mode", "lang"] and query["apiKey"] == API_KEY
    assert demo.succeed("signInWithEmailLink", {"email": email, "oobCode": query["oobCode"]})["isNewUser"] is True


def test_a_sign_in_link_without_an_app_explains_itself(site, demo):
    email = address()
    demo.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email})
    page = opened(site.link(email))
    assert page.response.status_code == 200 and "Open this link in the app" in page.text


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "javascript:alert(1)", "http://app.example.com/", "//evil.example", "https://app.example.com@evil.example/"],
)
def test_a_link_leads_to_authorized_hosts_alone(site, demo, target):
    email = address()
    demo.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email})
    link = site.link(email) + "&" + requests.compat.urlencode({"continueUrl": target})
    page = opened(link)
    assert page.response.status_code == 200 and page.links == {} and "location" not in page.response.headers
    person, link = mailed(site, demo, "VERIFY_EMAIL", continueUrl=APP)
    forged = link.replace(requests.compat.quote(APP, safe=""), requests.compat.quote(target, safe=""))
    assert forged != link
    assert opened(forged).submit().links == {}


def test_it_speaks_the_mails_language(site, demo):
    _, link = mailed(site, demo, "PASSWORD_RESET")
    page = opened(link.replace("lang=en", "lang=de"), headers={"Accept-Language": "fr"})
    assert page.language == "de" and "Neues Passwort" in page.text
    assert "geändert" in page.submit(newPassword=note("battery staple")).text


@pytest.mark.parametrize(
    "change",
    [
        lambda link: link.replace("oobCode=", "oobCode=x"),
        lambda link: link.replace("mode=verifyEmail", "mode=recoverEmail"),
        lambda link: link.replace("mode=verifyEmail", "mode=nonsense"),
        lambda link: link.replace(API_KEY, "another-key"),
        lambda link: link.replace(API_KEY, "open-project-key"),
        lambda link: link + "&mode=verifyEmail",
        lambda link: link.split("?")[0],
        lambda link: link.split("?")[0] + "?%",
    ],
)
def test_a_damaged_link_gets_a_friendly_page(site, demo, change):
    _, link = mailed(site, demo, "VERIFY_EMAIL")
    page = opened(change(link))
    assert page.response.status_code == 400 and "does not work any more" in page.text and page.form is None
    assert opened(link).submit().response.status_code == 200


def test_used_and_expired_codes_get_the_same_page(site, demo):
    _, used = mailed(site, demo, "VERIFY_EMAIL")
    opened(used).submit()
    person, expired = mailed(site, demo, "VERIFY_EMAIL")
    page = opened(expired)
    site.rows("UPDATE action_codes SET expires_at = now() - interval '1 second' WHERE email = %s", person["email"])
    texts = {opened(used).text, opened(expired).text, page.submit().text}
    assert len(texts) == 1 and "does not work any more" in texts.pop()


# ---------------------------------------------------------------------------------------------------------------------------------
# What it withstands


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL", "EMAIL_SIGNIN"])
def test_SEC_17_neither_GET_nor_HEAD_spends_a_code(site, demo, kind):
    more = {"newEmail": address()} if kind == "VERIFY_AND_CHANGE_EMAIL" else {}
    _, link = mailed(site, demo, kind, **more)
    code = query_of(link)["oobCode"]
    before = site.rows("SELECT code_hash, kind, expires_at FROM action_codes ORDER BY code_hash"), site.counts()
    for method in ("GET", "HEAD", "OPTIONS", "GET"):
        requests.request(method, link, timeout=TIMEOUT, allow_redirects=False)
        requests.request(method, link + "&newPassword=battery+staple", timeout=TIMEOUT, allow_redirects=False)
    for method in ("PUT", "DELETE", "PATCH"):
        assert requests.request(method, link, timeout=TIMEOUT).status_code == 405
    assert (site.rows("SELECT code_hash, kind, expires_at FROM action_codes ORDER BY code_hash"), site.counts()) == before
    demo.succeed("resetPassword", {"oobCode": code})


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "https://app.example.com.evil.example"},
    ],
)
def test_the_form_of_another_page_is_refused_and_spends_nothing(site, demo, headers):
    person, link = mailed(site, demo, "VERIFY_EMAIL")
    page = opened(link)
    assert page.submit(headers=headers).response.status_code == 400
    assert demo.lookup(person["idToken"])["emailVerified"] is False
    assert page.submit(headers={"Sec-Fetch-Site": "same-origin", "Origin": "null"}).response.status_code == 200


def test_only_a_form_is_taken(site, demo):
    _, link = mailed(site, demo, "VERIFY_EMAIL")
    query = query_of(link)
    url = link.split("?")[0]
    assert requests.post(url, json=query, timeout=TIMEOUT).status_code == 400
    assert requests.post(link, timeout=TIMEOUT).status_code == 400
    assert requests.post(url, data=[*query.items(), ("oobCode", "x")], timeout=TIMEOUT).status_code == 400
    demo.succeed("resetPassword", {"oobCode": query["oobCode"]})


def test_the_page_is_closed_to_everything_else(site, demo):
    _, link = mailed(site, demo, "PASSWORD_RESET")
    page = opened(link)
    for answer in (page.response, page.submit(newPassword=note("battery staple")).response, opened(link).response):
        policy = answer.headers["content-security-policy"]
        for part in ("default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            assert part in policy
        assert "script-src" not in policy and "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "<script" not in answer.text and "access-control-allow-origin" not in answer.headers
        assert all("://" not in part or part.startswith(APP) for part in Page(answer).links.values())


def test_what_a_link_says_cannot_become_markup(site, demo):
    _, link = mailed(site, demo, "VERIFY_EMAIL", continueUrl="https://app.example.com/#a='&b=1")
    answer = opened(link + "&lang2=%22%3E%3Cscript%3E").response
    assert "<script" not in answer.text and "#a='" not in answer.text
    assert Page(answer).submit().links["continue"] == "https://app.example.com/#a='&b=1"


# ---------------------------------------------------------------------------------------------------------------------------------
# In a browser


@pytest.fixture(scope="module", params=["with scripts", "without scripts"])
def browser(request, tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"), size=(600, 900), scripts=request.param == "with scripts")
    yield driver
    driver.quit()


def heading(browser, text):
    until(browser, lambda: text in browser.find_element(By.TAG_NAME, "h1").text, f"heading {text!r}")


def press(browser, name):
    until(browser, lambda: browser.find_element(By.ID, name), f"{name} to press").click()


def fill_in(browser, password):
    until(browser, lambda: browser.find_element(By.NAME, "newPassword"), "field for a password").send_keys(password)
    press(browser, "go")


def test_a_person_follows_the_link_and_chooses_a_password(browser, site, demo):
    person, link = mailed(site, demo, "PASSWORD_RESET")
    browser.get(link)
    heading(browser, "Choose a new password")
    field = browser.find_element(By.NAME, "newPassword")
    assert field.get_attribute("autocomplete") == "new-password"
    fill_in(browser, "short")
    assert until(browser, lambda: browser.find_element(By.ID, "fault").text, "fault")
    fill_in(browser, note("battery staple"))
    heading(browser, "Your password is changed")
    (ROOT / ".local").mkdir(exist_ok=True)
    browser.save_screenshot(str(ROOT / ".local/password-changed.png"))
    assert browser.find_element(By.ID, "continue").get_attribute("href") == APP
    assert signs_in(demo, person["email"], "battery staple")


def test_a_person_undoes_what_another_person_did(browser, site, demo):
    person, new = sign_up(demo), address()
    _, link = mailed(site, demo, "VERIFY_AND_CHANGE_EMAIL", person, newEmail=new)
    browser.get(link)
    heading(browser, "Confirm your new address")
    press(browser, "go")
    heading(browser, "Your address is changed")
    browser.get(site.link(person["email"]))
    heading(browser, "Take your account back")
    press(browser, "go")
    heading(browser, "Your address is restored")
    press(browser, "reset")
    heading(browser, "Choose a new password")
    fill_in(browser, note("battery staple"))
    heading(browser, "Your password is changed")
    assert signs_in(demo, person["email"], "battery staple")
    assert_error(demo.call("signInWithPassword", {"email": new, "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")


def test_the_policy_stops_nothing_of_the_page(browser, site, demo):
    _, link = mailed(site, demo, "PASSWORD_RESET")
    browser.get(link)
    heading(browser, "Choose a new password")
    complaints = [entry["message"] for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert complaints == []
