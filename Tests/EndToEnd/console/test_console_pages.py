"""The console's pages of the server and of a project's settings: what they show, what they change, and how they look."""

import json
import re

import pytest

from support.accounts import address
from support.browser.drivers import Chromium
from support.browser.layout import examine
from support.browser.tab import until
from support.console import Operator, page_of
from support.harness import wait_until
from support.mail.outbox import put
from support.names import CLIENT_SECRET

PAGES = [
    "/",
    "/keys",
    "/configuration",
    "/projects/demo/overview",
    "/projects/demo/limits",
    "/projects/demo/limits/forget",
    "/projects/demo/providers",
    "/projects/demo/providers/oidc.fake/check",
    "/projects/demo/mail",
    "/projects/demo/mail/retry",
    "/projects/demo/mail/templates",
    "/projects/demo/mail/templates/signInMethodAdded/de",
    "/projects/demo/mail/templates/signInMethodAdded/de/send",
    "/projects/demo/hooks",
    "/projects/demo/serviceAccounts",
    "/projects/demo/configuration",
]
ROTATE = "/keys/idToken/ES256/rotate"


def audit(site, action, *project):
    lines = site.run("audit", "list", *project, "--action", action, "--json", check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def ada(browser):
    assert browser.sign_in().status_code == 200
    return browser


@pytest.mark.parametrize("path", PAGES)
def test_SEC_64_a_page_shows_no_secret(stage, ada, path):
    answer = ada.open(path)
    assert answer.status_code == 200, answer.text
    for secret in (CLIENT_SECRET, stage.master_key, stage.database, ada.cookies["gatehouse_console"]):
        assert secret not in answer.text
    assert "script" not in answer.headers["content-security-policy"] and "<script" not in answer.text


def test_the_configuration_stands_there_with_its_lines(stage, ada):
    page = ada.open("/configuration").text
    assert "masterKey" in page and "set (file master.key)" in page and "set (env DATABASE_URL)" in page
    assert "gatehouse.yaml:" in page and "default" in page and "console.operators[0].subject" in page
    page = ada.open("/projects/demo/configuration").text
    assert "demo.yaml:" in page and "providers.oidc.fake.clientId" in page


def test_a_provider_is_shown_and_asked(stage, ada, staff):
    page = ada.open("/projects/demo/providers").text
    assert f"{stage.url}/__/auth/handler" in page and "demo.yaml:" in page
    assert "All is well" in ada.submit("/projects/demo/providers/oidc.fake/check").text
    staff.answers["discovery"] = {"issuer": "https://another.example"}
    assert "All is well" not in ada.submit("/projects/demo/providers/oidc.fake/check").text
    lines = stage.run("audit", "list", "demo", "--action", "provider.checked", "--json", check=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    assert {(event["actor"], event["providerId"]) for event in events} == {("ada", "oidc.fake")}
    assert sorted(event["details"]["outcome"] for event in events) == ["faulty", "sound"]


def test_a_key_is_rotated_with_a_reason(stage, ada):
    assert "A new key for ID tokens (ES256)" in ada.open(ROTATE).text
    assert ada.submit(ROTATE).status_code == 400
    assert ada.submit(ROTATE, reason="a drill").headers["location"] == "/keys?note=rotated"
    assert "new key is published" in ada.open("/keys?note=rotated").text
    (event,) = [event for event in audit(stage, "signingKey.rotated") if event["actorKind"] == "operator"]
    assert event["actor"] == "ada" and event["details"]["operatorReason"] == "a drill"
    waits = ada.submit(ROTATE, reason="again")
    assert waits.status_code == 400 and "earlier rotation" in waits.text


def test_mails_are_tried_at_once_and_limits_forgotten(stage, ada):
    person = address()
    stage.servers[0].api().succeed("signUp", {"email": person, "password": "analytical engine"})
    assert ada.submit("/projects/demo/limits/forget", person=person).headers["location"].endswith("/limits?note=forgotten")
    assert "USER_NOT_FOUND" in ada.submit("/projects/demo/limits/forget", person="no-such-id").text
    put(stage, due="now() + interval '1 hour'", lifetime="2 hours")
    assert ada.submit("/projects/demo/mail/retry").headers["location"].endswith("/mail?note=retried")
    assert audit(stage, "limits.forgotten", "demo")[-1]["actor"] == "ada"
    assert audit(stage, "deliveries.repeated", "demo")[-1]["actor"] == "ada"


def test_sign_ins_are_counted_and_explained(stage, ada):
    api, person = stage.servers[0].api(), {"email": address(), "password": "analytical engine"}
    made = api.succeed("signUp", person)
    assert api.call("signInWithPassword", {**person, "password": "difference engine"}).status_code == 400
    told = "The password is wrong."
    page = wait_until(lambda: (shown := ada.open("/projects/demo/overview").text) and told in shown and shown, what="the line of the log")
    assert "<rect" in page and "wrongPassword" in page
    page = ada.open(page_of(made["localId"])).text
    assert told in page and "Signed in for the first time." in page and "127.0.0.0/24" in page


def test_refreshed_sessions_are_counted(stage, ada):
    api = stage.servers[0].api()

    def counted():
        return int(re.search(r"<dt>Sessions refreshed</dt><dd>(\d+) ", ada.open("/").text)[1])

    before = counted()
    assert api.refresh(api.succeed("signUp", {"email": address(), "password": "analytical engine"})["refreshToken"]).status_code == 200
    assert api.refresh("no-token").status_code == 400
    assert counted() == before + 1


def test_SEC_64_an_act_without_its_record_is_not_done(stage, ada):
    keys = stage.value("SELECT count(*) FROM signing_keys")
    stage.rows("ALTER TABLE audit_events ADD CONSTRAINT no_more CHECK (actor_kind <> 'operator') NOT VALID")
    try:
        assert ada.submit("/keys/idToken/RS256/rotate", reason="a drill").status_code == 500
    finally:
        stage.rows("ALTER TABLE audit_events DROP CONSTRAINT no_more")
    assert stage.value("SELECT count(*) FROM signing_keys") == keys


def test_a_role_sees_what_it_may(stage, staff):
    vera, ben = Operator(stage), Operator(stage)
    vera.sign_in("vera")
    ben.sign_in("ben")
    assert "Rotate" not in vera.open("/keys").text and vera.open(ROTATE).status_code == 403
    # Support of one project.
    assert ben.open("/keys").status_code == 403 and ben.open("/projects/other/limits").status_code == 404
    assert ben.submit("/projects/demo/limits/forget", person="a@example.com").status_code == 400
    done = ben.submit("/projects/demo/limits/forget", person="a@example.com", reason="he called")
    assert done.status_code == 303
    assert audit(stage, "limits.forgotten", "demo")[-1]["details"]["operatorReason"] == "he called"


def test_it_works_without_scripts(stage, staff, tmp_path):
    driver = Chromium(tmp_path, scripts=False)
    try:
        driver.get(stage.console + "/projects/demo/limits")
        driver.find_element("id", "start").click()
        driver.find_element("id", "next").click()
        driver.find_element("id", "forget").click()
        driver.find_element("id", "field-person").send_keys("a@example.com")
        driver.find_element("id", "go").click()
        assert "is forgotten" in driver.find_element("css selector", "[role=status]").text
        driver.find_element("id", "sign-out").click()
        until(driver, lambda: driver.current_url.endswith("/sign-in"), "page behind the sign-out")
    finally:
        driver.quit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_can_be_read_out(stage, staff, driver, scheme):
    driver.forget()
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for path in ("/sign-in", "/open"):
        driver.get(stage.console + path)
        seen(driver, path, scheme)
    driver.get(stage.console + "/sign-in/start")
    seen(driver, "/signed-in", scheme)
    driver.find_element("id", "next").click()
    for path in [*PAGES, ROTATE, "/nothing", "/projects/nothing/users"]:
        driver.get(stage.console + path)
        seen(driver, path, scheme)


def seen(driver, path, scheme):
    examine(driver, f"console-{scheme}-{path.strip('/').replace('/', '-') or 'overview'}")
