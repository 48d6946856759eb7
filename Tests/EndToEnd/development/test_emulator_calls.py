"""Keys in development mode, and the calls of Firebase's emulator."""

import signal

import pytest
import requests

from support.clients.api import API, assert_error
from support.clients.emulator import HELPERS, ask, guest, mailed, member
from support.jwts import claims
from support.names import API_KEY, METHODS, TIMEOUT
from support.servers.site import a_site


@pytest.mark.parametrize("key", ["any", "fake-api-key", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "a b", "ü"])
def test_any_key_is_the_development_projects(development, key):
    assert claims(guest(development, key).json()["idToken"])["aud"] == "demo"
    header = requests.post(development.url + "/v1/accounts:signUp", json={}, headers={"x-goog-api-key": key.encode()}, timeout=TIMEOUT)
    assert claims(header.json()["idToken"])["aud"] == "demo"


def test_real_keys_still_choose_among_projects(development):
    assert claims(guest(development, API_KEY).json()["idToken"])["aud"] == "demo"
    assert claims(guest(development, "other-api-key").json()["idToken"])["aud"] == "other"


def test_no_key_is_no_key(development):
    for key in (None, ""):
        assert guest(development, key).status_code == 403
    twice = requests.post(development.url + "/v1/accounts:signUp?key=a&key=b", json={}, timeout=TIMEOUT)
    assert_error(twice, "API key not valid. Please pass a valid API key.")


def test_without_a_development_project_keys_are_what_they_are_in_production(site):
    assert_error(guest(site, "any"), "API key not valid. Please pass a valid API key.")


def test_the_server_says_that_it_is_ready(development):
    assert ask(development, "GET", "/").json() == {"authEmulator": {"ready": True}}
    assert ask(development, "GET", "/?key=x").headers["content-type"].startswith("application/json")


def test_the_switches_are_read_and_set_one_by_one_for_every_loop():
    with a_site(settings={"developmentProject": "demo", "loops": 3}, project={"signIn": METHODS}) as site:
        server = site.serve()
        path = "/emulator/v1/projects/demo/config"

        def switches(duplicates, privacy):
            return {"signIn": {"allowDuplicateEmails": duplicates}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": privacy}}

        assert ask(site, "GET", path).json() == switches(False, True)
        assert ask(site, "PATCH", path, {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}}).json() == switches(False, False)
        assert ask(site, "PATCH", path, {"signIn": {"allowDuplicateEmails": True}}).json() == switches(True, False)
        assert ask(site, "PATCH", path, {}).json() == switches(True, False)
        assert ask(site, "PATCH", path, {"sign_in": {"allow_duplicate_emails": None}, "unknown": 1}).json() == switches(True, False)
        # A new connection each time, so that all loops are asked.
        for _ in range(20):
            assert ask(site, "GET", path).json() == switches(True, False)
            question = {"identifier": "nobody@example.com", "continueUri": "http://localhost/"}
            assert API(site.url).succeed("createAuthUri", question)["registered"] is False

        assert_error(ask(site, "PATCH", path, {"signIn": {"allowDuplicateEmails": "perhaps"}}), "Invalid JSON payload received.*")
        assert_error(ask(site, "PATCH", path, ["signIn"]), "Invalid JSON payload received.*")
        assert ask(site, "GET", path).json() == switches(True, False)

        server.signal(signal.SIGHUP)
        server.logged('"reloaded"')
        assert ask(site, "GET", path).json() == switches(False, True), "the files count again"


def test_all_accounts_of_one_project_are_deleted(development):
    mine = [guest(development).json() for _ in range(3)]
    theirs = guest(development, "other-api-key").json()
    member(development)
    mailed(development, "EMAIL_SIGNIN", email="somebody@example.com")
    answer = ask(development, "DELETE", "/emulator/v1/projects/demo/accounts")
    assert answer.status_code == 200 and answer.json() == {}
    api = API(development.url)
    for user in mine:
        assert_error(api.call("lookup", {"idToken": user["idToken"]}), "USER_NOT_FOUND")
        assert_error(api.refresh(user["refreshToken"]), "TOKEN_EXPIRED")
    assert API(development.url, "other-api-key").lookup(theirs["idToken"])["localId"] == theirs["localId"]
    for table in ("accounts", "identities", "sessions", "sign_in_flows", "action_codes", "deliveries", "rate_limits"):
        assert development.value(f"SELECT count(*) FROM {table} WHERE project_id = 'demo'") == 0
    assert ask(development, "DELETE", "/emulator/v1/projects/demo/accounts", {}).json() == {}, "an SDK may send a body"


@pytest.mark.parametrize("method, path", [helper for helper in HELPERS if "demo" in helper[1]])
def test_a_project_that_is_not_configured_is_not_found_without_a_development_project(site, method, path):
    assert_error(ask(site, method, path.replace("demo", "absent")), "Not Found", 404)


def test_other_methods_and_other_paths_answer_as_everywhere(development):
    assert ask(development, "POST", "/emulator/v1/projects/demo/config").status_code == 405
    assert ask(development, "GET", "/emulator/v1/projects/demo/nothing").status_code == 404
    assert ask(development, "GET", "/emulator/v1/projects/demo/tenants/t/oobCodes").json()["error"]["message"] == "TENANT_NOT_FOUND"
