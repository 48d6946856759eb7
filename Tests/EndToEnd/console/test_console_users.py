"""The console's pages about people and about what was done: what they show, what they change, and how they look."""

import json
import re

import pytest

from support.accounts import address, sign_up
from support.browser.drivers import Chromium
from support.browser.layout import examine
from support.browser.tab import until
from support.console import Operator, page_of
from support.hostile_text import HOSTILE, treacherous
from support.leaks import note

PASSWORD = note("a-password-of-people")
ACTS = ["disable", "sessions/end", "mail/resetPassword", "claims", "export", "delete"]


def audit(site, account):
    lines = site.run("audit", "list", "demo", "--account", account, "--json", check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def person(stage):
    """A person with an address and a password, who is signed in."""
    return sign_up(stage.servers[0].api(), address(), PASSWORD)


@pytest.fixture
def ada(browser):
    assert browser.sign_in().status_code == 200
    return browser


@pytest.fixture
def roles(stage, staff):
    """The browsers of a viewer and of a person of the support."""
    viewer, support = Operator(stage), Operator(stage)
    viewer.sign_in("vera")
    support.sign_in("ben")
    return viewer, support


def test_people_are_found_and_shown(stage, ada, person):
    account, email = person["localId"], person["email"]
    for query in ({"q": email}, {"q": email[:12].upper()}, {"q": "@" + email.split("@")[1]}, {"q": account}, {"way": "password"}, {}):
        page = ada.open("/projects/demo/users", params=query)
        assert page.status_code == 200 and page_of(account) in page.text and email in page.text, query
    page = ada.open(page_of(account)).text
    assert email in page and "Why can this person not sign in?" in page and "account.created" in page
    for secret in (
        PASSWORD,
        person["idToken"],
        person["refreshToken"],
        stage.value("SELECT password_hash FROM accounts WHERE account_id = %s", account),
    ):
        assert secret not in page
    for path in ("/projects/demo/users", page_of(account), "/projects/demo/audit"):
        answer = ada.open(path)
        assert "<script" not in answer.text and "<img" not in answer.text and "mailto:" not in answer.text
        assert answer.headers["cache-control"] == "no-store"


def test_SEC_64_a_role_does_what_it_may(stage, roles, person):
    viewer, support = roles
    account, email = person["localId"], person["email"]
    shown = viewer.open(page_of(account)).text
    assert email not in shown and f"{email[0]}••@{email.split('@')[1]}" in shown
    for act in ACTS:
        assert viewer.open(page_of(account, "/" + act)).status_code == 403
    assert email in support.open(page_of(account)).text
    for act in ("claims", "export", "delete"):
        assert support.open(page_of(account, "/" + act)).status_code == 403
    assert support.submit(page_of(account, "/disable")).status_code == 400, "support says why"
    assert support.submit(page_of(account, "/disable"), reason="a stolen phone").status_code == 303
    event = audit(stage, account)[-1]
    assert (event["action"], event["actorKind"], event["actor"]) == ("account.disabled", "operator", "ben@trusted.example")
    assert event["details"]["operatorReason"] == "a stolen phone"
    assert stage.servers[0].api().call("lookup", {"idToken": person["idToken"]}).status_code == 400
    assert "This account is disabled." in viewer.open(page_of(account)).text


def test_an_act_changes_the_account_as_the_admin_api_does(stage, ada, person):
    account, api = person["localId"], stage.servers[0].api()
    assert ada.submit(page_of(account, "/claims"), claims='{"level": "gold"}', reason="a test").status_code == 303
    assert json.loads(stage.value("SELECT custom_attributes FROM accounts WHERE account_id = %s", account)) == {"level": "gold"}
    refused = ada.submit(page_of(account, "/claims"), claims='{"sub": "another"}', reason="a test")
    assert refused.status_code == 400 and "FORBIDDEN_CLAIM" in refused.text
    (end,) = set(re.findall(r'href="([^"]*/sessions/[0-9a-f]+/end)"', ada.open(page_of(account)).text))
    assert ada.submit(end, reason="a test").status_code == 303
    assert api.call("lookup", {"idToken": person["idToken"]}).status_code == 400
    assert ada.submit(page_of(account, "/delete"), uid="another", reason="a test").status_code == 400
    gone = ada.submit(page_of(account, "/delete"), uid=account, reason="a test")
    assert gone.headers["location"] == "/projects/demo/users?note=deleted"
    assert ada.open(page_of(account)).status_code == 404
    assert audit(stage, account)[-1]["action"] == "account.deleted"


def test_SEC_64_an_act_about_a_person_without_its_record_is_not_done(stage, ada, person):
    account = person["localId"]
    stage.rows("ALTER TABLE audit_events ADD CONSTRAINT no_more CHECK (actor_kind <> 'operator') NOT VALID")
    try:
        for act, fields in {"disable": {}, "sessions/end": {}, "claims": {"claims": '{"a": 1}'}, "delete": {"uid": account}}.items():
            assert ada.submit(page_of(account, "/" + act), reason="a test", **fields).status_code == 500, act
    finally:
        stage.rows("ALTER TABLE audit_events DROP CONSTRAINT no_more")
    assert stage.servers[0].api().call("lookup", {"idToken": person["idToken"]}).status_code == 200


def test_the_record_is_saved_as_lines(stage, roles, person):
    _, support = roles
    saved = support.submit(
        "/projects/demo/audit/export", account=person["localId"], action="", actor="", since="", until="", reason="a report"
    )
    assert saved.headers["content-disposition"].startswith("attachment")
    assert [json.loads(line)["action"] for line in saved.text.splitlines()][0] == "account.created"
    assert audit(stage, person["localId"])[-1]["action"] == "audit.exported"


@pytest.fixture
def hostile(stage):
    """An account for each hostile text, which stands in all of its fields."""
    ids = [f"hostile-{number}" for number in range(len(HOSTILE))]
    for account, text in zip(ids, HOSTILE, strict=True):
        stage.rows(
            "INSERT INTO accounts (project_id, account_id, display_name, photo_url, custom_attributes, second_factors, valid_since, created_at)"
            " VALUES ('demo', %s, %s, %s, %s, %s, date_trunc('second', now()), now()) RETURNING 1",
            account, text, text, text, json.dumps([{"mfaEnrollmentId": "f", "displayName": text}]),
        )  # fmt: skip
        stage.rows(
            "INSERT INTO identities (project_id, account_id, provider_id, subject, email, display_name, linked_at, last_sign_in_at)"
            " VALUES ('demo', %s, 'oidc.fake', %s, %s, %s, now(), now()) RETURNING 1",
            account, text[:255], text, text,
        )  # fmt: skip
        stage.rows(
            "INSERT INTO audit_events (project_id, occurred_at, actor_kind, actor, action, account_id, user_agent, details)"
            " VALUES ('demo', now(), 'command', %s, 'x', %s, %s, %s) RETURNING 1",
            text, account, text, json.dumps({text: text}),
        )  # fmt: skip
    yield ids
    stage.rows("DELETE FROM accounts WHERE account_id LIKE 'hostile-%%' RETURNING 1")
    stage.rows("DELETE FROM audit_events WHERE account_id LIKE 'hostile-%%' RETURNING 1")


def test_SEC_67_what_people_wrote_is_text_on_every_page(ada, hostile):
    pages = [page_of(account, rest) for account in hostile for rest in ("", "/disable", "/claims", "/delete")]
    for text in HOSTILE:
        for path in ("/projects/demo/users", "/projects/demo/audit"):
            page = ada.open(path, params={"q": text, "way": text, "account": text, "actor": text})
            assert page.status_code in (200, 400)
            check_inert(page)
    for path in [*pages, "/projects/demo/users", "/projects/demo/audit"]:
        page = ada.open(path)
        assert page.status_code == 200, path
        check_inert(page)


def check_inert(page):
    assert treacherous(page.text) == set()
    for tag in ("<script", "<img", "onerror=alert(1)>", "'-alert", "{{project}}<"):
        assert tag not in page.text
    assert "set-cookie" not in page.headers


def test_it_works_without_scripts(stage, staff, person, tmp_path):
    driver = Chromium(tmp_path, scripts=False)
    try:
        driver.get(stage.console + "/projects/demo/users")
        driver.find_element("id", "start").click()
        driver.find_element("id", "next").click()
        driver.find_element("id", "q").send_keys(person["email"])
        driver.find_element("css selector", "form.filters #go").click()
        until(driver, lambda: "q=" in driver.current_url, "list of those who were found")
        driver.find_element("link text", person["email"]).click()
        driver.find_element("link text", "Disable").click()
        driver.find_element("id", "reason").send_keys("a test")
        driver.find_element("id", "go").click()
        assert "Done." in driver.find_element("css selector", "[role=status]").text
        assert "This account is disabled." in driver.find_element("tag name", "main").text
    finally:
        driver.quit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_can_be_read_out(stage, staff, person, hostile, driver, scheme):
    account = person["localId"]
    stage.rows("UPDATE accounts SET phone_number = NULL")
    stage.rows(
        "UPDATE accounts SET display_name = 'Ada Lovelace', phone_number = '+12025550101', custom_attributes = %s, second_factors = %s"
        " WHERE account_id = %s RETURNING 1",
        '{"level":"gold","groups":["engine","notes"]}', json.dumps([{"mfaEnrollmentId": "f", "phoneInfo": "+12025550102"}]), account,
    )  # fmt: skip
    stage.rows(
        "INSERT INTO identities (project_id, account_id, provider_id, subject, email, display_name, linked_at, last_sign_in_at)"
        " VALUES ('demo', %s, 'oidc.fake', %s, 'ada@work.example', 'Ada', now(), now()) RETURNING 1",
        account, f"subject-{account}",
    )  # fmt: skip
    driver.forget()
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    driver.get(stage.console + "/sign-in/start")
    driver.find_element("id", "next").click()
    paths = {
        "users": "/projects/demo/users",
        "users-found": "/projects/demo/users?q=a",
        "users-none": "/projects/demo/users?q=nobody",
        "users-refused": "/projects/demo/users?q=*lace*",
        "user": page_of(account),
        "user-done": page_of(account, "?note=done"),
        "user-hostile": page_of(hostile[-1]),
        "audit": "/projects/demo/audit",
        "audit-none": "/projects/demo/audit?account=nobody",
        "audit-export": "/projects/demo/audit/export",
        **{"act-" + act.replace("/", "-"): page_of(account, "/" + act) for act in ACTS},
        "act-factor": page_of(account, "/factors/Zg/remove"),
        "act-unlink": page_of(account, "/unlink/b2lkYy5mYWtl"),
    }
    for name, path in paths.items():
        driver.get(stage.console + path)
        examine(driver, f"console-{scheme}-{name}")
