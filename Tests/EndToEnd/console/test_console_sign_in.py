"""How operators get into the console, and who does not."""

import json
import re
import time

import requests

from support.console import ConsoleSite, Operator, opening
from support.names import TIMEOUT


def audit(site, action):
    lines = site.run("audit", "list", "--action", action, "--json", check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_an_operator_signs_in_at_the_provider_and_out_again(stage, browser):
    assert browser.open("/keys").headers["location"] == "/sign-in?next=%2Fkeys"
    assert "/sign-in/start?next=%2Fkeys" in browser.open("/sign-in?next=%2Fkeys").text
    address = browser.begin("/keys")
    assert "prompt=login" in address and "max_age=300" in address and "code_challenge=" in address
    done = browser.come_back(stage.staff.login("ada")(address))
    assert done.status_code == 200 and 'href="/keys"' in done.text and "signed in as ada" in done.text
    assert "Signing keys" in browser.open("/keys").text
    assert [event["actor"] for event in audit(stage, "console.signedIn")][-1:] == ["ada"]
    page = browser.open("/").text
    token = re.search(r'action="/sign-out">\s*<input type="hidden" name="token" value="([^"]*)"', page)[1]
    browser.post(stage.console + "/sign-out", data={"token": token}, timeout=TIMEOUT)
    assert browser.open("/").status_code == 303


def test_the_session_is_a_new_one_at_each_sign_in(stage, browser):
    browser.sign_in()
    first = dict(browser.cookies)
    browser.sign_in()
    assert browser.cookies["gatehouse_console"] != first["gatehouse_console"]
    before = requests.get(stage.console, cookies=first, timeout=TIMEOUT, allow_redirects=False)
    assert before.status_code == 303
    # A secret that another person planted is not taken for a session.
    browser.cookies.set("gatehouse_console", "A" * 43)
    assert browser.open("/").status_code == 303


def test_an_answer_belongs_to_the_browser_that_asked(stage, browser):
    answer = stage.staff.login("ada")(browser.begin())
    other = Operator(stage)
    assert other.come_back(answer).status_code == 400 and not other.cookies
    other.begin()
    assert other.come_back(answer).status_code == 400
    assert browser.come_back(re.sub("state=[^&]*", "state=made-up", answer)).status_code == 400
    # The answer that another site made up has not ended the sign-in.
    assert browser.come_back(answer).status_code == 200
    assert "over" in browser.come_back(answer).text


def sessions(site):
    return [name for (name,) in site.rows("SELECT operator FROM console_sessions")]


def test_two_tabs_both_sign_in_and_one_session_is_left(stage, browser):
    stage.rows("DELETE FROM console_sessions")
    first, second = browser.begin("/keys"), browser.begin("/")
    answers = [stage.staff.login("ada")(second), stage.staff.login("ada")(first)]
    pages = [browser.come_back(answer) for answer in answers]
    assert [page.status_code for page in pages] == [200, 200]
    assert 'href="/"' in pages[0].text and 'href="/keys"' in pages[1].text
    assert sessions(stage) == ["ada"] and "Signing keys" in browser.open("/keys").text
    assert [cookie.name for cookie in browser.cookies] == ["gatehouse_console"]


def test_a_sign_in_ends_the_session_that_the_browser_had_and_a_forged_start_ends_none(stage, browser):
    stage.rows("DELETE FROM console_sessions")
    browser.sign_in()
    browser.sign_in()
    assert sessions(stage) == ["ada"]
    started = browser.from_elsewhere(stage.console + "/sign-in/start").headers["location"]
    assert sessions(stage) == ["ada"] and browser.open("/").status_code == 200
    # Another person of the browser signs in: the former one's session does not go on beside theirs.
    assert browser.sign_in("vera").status_code == 200
    assert sessions(stage) == ["vera"]
    assert browser.come_back(stage.staff.login("ada")(started)).status_code == 200
    assert sessions(stage) == ["ada"]


def test_a_sign_in_is_as_fresh_as_the_provider_says(stage, browser, staff):
    page = "/keys/idToken/RS256/rotate"
    staff.claims = lambda claims: {**claims, "auth_time": int(time.time())}
    assert "did not ask you to sign in again" not in browser.sign_in().text
    assert browser.open(page).status_code == 200
    staff.claims = lambda claims: {**claims, "auth_time": int(time.time()) - 3600}
    old = browser.sign_in()
    assert old.status_code == 200 and "did not ask you to sign in again" in old.text
    refused = browser.open(page)
    assert refused.status_code == 403 and "last five minutes" in refused.text
    assert browser.open("/passkeys/add").status_code == 403
    for malformed in (str(int(time.time())), -1, int(time.time()) + 300, True):
        staff.claims = lambda claims, malformed=malformed: {**claims, "auth_time": malformed}
        assert Operator(stage).sign_in().status_code == 400


def test_SEC_65_an_address_finds_its_operator_once(stage, browser, staff):
    # The provider is not authoritative for the domain, or does not say that the address is verified.
    for claims in ({"email": "ben@example.com"}, {"email_verified": False}):
        staff.users["ben"] |= claims
        assert browser.sign_in("ben").status_code == 403
    staff.users["ben"] = {"sub": "ben-1", "email": "ben@trusted.example", "email_verified": True}
    assert browser.sign_in("ben").status_code == 200
    # From now on, the subject counts: with another address, and not the address with another subject.
    staff.users["ben"]["email"] = "benjamin@trusted.example"
    assert Operator(stage).sign_in("ben").status_code == 200
    staff.users["ben"] = {"sub": "ben-2", "email": "ben@trusted.example", "email_verified": True}
    refused = Operator(stage).sign_in("ben")
    assert refused.status_code == 403 and "ben-2" in refused.text
    assert [event["details"]["subject"] for event in audit(stage, "operator.bound")] == ["ben-1"]
    listed = stage.run("console", "operators", check=True).stdout
    assert "ben-1" in listed and "ada" in listed
    # An operator of the server lets the next owner in.
    stage.run("console", "unbind", "ben@trusted.example", check=True)
    assert browser.open("/").status_code == 303
    assert Operator(stage).sign_in("ben").status_code == 200


def test_SEC_65_the_subject_of_another_person_is_no_operator(stage, browser, staff):
    staff.users["ada"] = {"sub": "mallory", "email": "ada@example.com", "email_verified": True}
    try:
        assert browser.sign_in("ada").status_code == 403
        assert browser.open("/").status_code == 303
    finally:
        staff.users["ada"] = {"sub": "ada", "email": "ada@example.com", "email_verified": True, "name": "Ada Lovelace"}


def test_SEC_65_a_session_opens_nothing_while_the_file_has_another_provider(fake_issuer_of_session):
    site = ConsoleSite(fake_issuer_of_session)
    server = site.serve()
    try:
        browser = Operator(site)
        assert browser.sign_in().status_code == 200 and browser.open("/").status_code == 200
        server.stop()
        entry = site.settings["console"]["provider"]["oidc.staff"]
        other = {**entry, "issuer": "http://127.0.0.1:9"}
        site.config.write_text(json.dumps({**site.settings, "console": {**site.settings["console"], "provider": {"oidc.staff": other}}}))
        server = site.serve()
        assert browser.open("/").status_code == 303
        server.stop()
        site.config.write_text(json.dumps(site.settings))
        site.serve()
        assert browser.open("/").status_code == 200
    finally:
        site.close()


def test_check_notes_operators_who_can_do_nothing(fake_issuer_of_session):
    site = ConsoleSite(fake_issuer_of_session)
    try:
        lost = [
            {"email": "zoe@untrusted.example", "role": "viewer"},
            {"name": "kim", "subject": "kim", "role": "viewer", "projects": ["demo", "gone"]},
        ]
        console = site.settings["console"]
        assert "note:" not in site.run("check", check=True).stdout
        site.config.write_text(json.dumps({**site.settings, "console": {**console, "operators": console["operators"] + lost}}))
        notes = [line for line in site.run("check", check=True).stdout.splitlines() if line.startswith("note:")]
        assert len(notes) == 2 and "zoe@untrusted.example can never be bound" in notes[0] and "kim may see the project gone" in notes[1]
    finally:
        site.close()


def test_a_provider_that_refuses_or_fails_lets_no_operator_in(stage, browser, staff):
    staff.callback_extra = {"error": "access_denied"}
    refused = browser.sign_in()
    assert refused.status_code == 400 and "did not let you sign in" in refused.text
    staff.callback_extra = {}
    staff.claims = lambda claims: {**claims, "nonce": "another"}
    assert browser.sign_in().status_code == 400
    assert browser.open("/").status_code == 303


def test_SEC_66_the_way_in_without_the_provider_is_loud(stage, browser):
    assert stage.run("console", "open", "--reason", " ").returncode != 0
    result = stage.run("console", "open", "--reason", "the provider is down", check=True, prints_secret=True)
    mails = [file.read_text() for file in (stage.folder / "mails").iterdir()]
    assert sum("was opened without its provider" in mail for mail in mails) == 2 and any("ada@example.com" in mail for mail in mails)
    code = opening(result).partition("code=")[2]
    # By a proxy, it is not this machine.
    far = browser.post(stage.console + "/open", data={"code": code}, headers={"x-forwarded-for": "203.0.113.7"}, timeout=TIMEOUT)
    assert far.status_code == 403
    assert browser.open(f"/open?code={code}").status_code == 200
    used = browser.post(stage.console + "/open", data={"code": code}, timeout=TIMEOUT, allow_redirects=False)
    assert used.status_code == 303 and "break-glass" in browser.open("/").text
    again = Operator(stage)
    assert again.post(stage.console + "/open", data={"code": code}, timeout=TIMEOUT).status_code == 403
    late = opening(stage.run("console", "open", "--reason", "late", check=True, prints_secret=True)).partition("code=")[2]
    stage.rows("UPDATE console_openings SET expires_at = now() WHERE used_at IS NULL")
    assert again.post(stage.console + "/open", data={"code": late}, timeout=TIMEOUT).status_code == 403
    assert [event["details"]["operatorReason"] for event in audit(stage, "console.opened")] == ["the provider is down", "late"]
    # What cannot be undone needs a sign-in of the last five minutes, and the session an end after half an hour.
    stage.rows("UPDATE console_sessions SET signed_in_at = signed_in_at - interval '6 minutes'")
    assert browser.open("/keys/idToken/RS256/rotate").status_code == 403
    stage.rows("UPDATE console_sessions SET expires_at = now()")
    assert browser.open("/").status_code == 303
