"""Tenants as an operator and a back end meet them: files beside rows, tenants that are switched off, masks of changes, commands."""

import json
import signal
import subprocess

import pytest
import requests

from support.accounts import address
from support.administrators import ServiceAccount
from support.clients.api import API, assert_error
from support.harness import BINARY, wait_until
from support.names import METHODS, TIMEOUT
from support.servers.site import Site, a_site

PROVIDER = {"clients": [{"id": "app", "kind": "native", "authentication": "none", "redirectURIs": ["com.example.app:/back"]}]}


@pytest.fixture(scope="module")
def site():
    tenants = {
        "customer-a": {"displayName": "Customer A", "signIn": METHODS, "openIDProvider": PROVIDER},
        "switched-off": {"enabled": False, "signIn": METHODS, "openIDProvider": PROVIDER},
    }
    site = Site(project={"signIn": METHODS, "dynamicTenants": True, "openIDProvider": PROVIDER}, tenants=tenants)
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def headers(site):
    return ServiceAccount.create(site, "tenants").header()


@pytest.fixture
def ask(site, headers):
    def ask(method, path="", body=None, **params):
        url = f"{site.url}/v2/projects/demo/tenants{path and '/'}{path}"
        return requests.request(method, url, json=body, params=params, headers=headers, timeout=TIMEOUT)

    return ask


def reload(site):
    server = site.servers[0]
    seen = server.log().count('"reloaded')
    server.signal(signal.SIGHUP)
    wait_until(lambda: server.log().count('"reloaded') > seen, what="the reload")


def made(ask, **body):
    answer = ask("POST", body={"displayName": "Shop", **body})
    assert answer.status_code == 200, answer.text
    return answer.json()["name"].split("/")[-1]


@pytest.mark.parametrize(
    "path", [".well-known/openid-configuration", "oauth2/authorize?client_id=app", "account", "sign-in", "oauth2/jwks"]
)
def test_a_tenant_that_is_switched_off_has_no_pages(site, path):
    assert requests.get(f"{site.url}/demo~switched-off/{path}", timeout=TIMEOUT).status_code == 404
    assert requests.get(f"{site.url}/demo~customer-a/.well-known/openid-configuration", timeout=TIMEOUT).status_code == 200
    body = {"email": address(), "password": "correct horse", "tenantId": "switched-off"}
    assert_error(API(site.url).call("signUp", body), "PROJECT_DISABLED")
    assert_error(API(site.url).call("signUp", {"tenantId": "switched-off"}), "PROJECT_DISABLED")


@pytest.mark.parametrize("name", ["~demo", "demo~", "demo~~customer-a", "demo~customer-b", "~", "other~customer-a"])
def test_an_address_names_a_realm_exactly(site, name):
    assert requests.get(f"{site.url}/{name}/.well-known/openid-configuration", timeout=TIMEOUT).status_code == 404


def test_a_mask_changes_what_it_names_and_nothing_else(ask):
    off = {"permissions": {"disabledUserSignup": True, "disabledUserDeletion": True}}
    id = made(ask, client=off, mfaConfig={"state": "ENABLED"}, emailPrivacyConfig={"enableImprovedEmailPrivacy": False})
    body = {"client": {"permissions": {"disabledUserSignup": False}}}
    changed = ask("PATCH", id, body, updateMask="client.permissions.disabledUserSignup").json()
    assert changed["client"] == {"permissions": {"disabledUserSignup": False, "disabledUserDeletion": True}}
    assert ask("PATCH", id, {"client": {}}).json()["client"] == changed["client"]
    for mask in ("displayName.x", "foo", "displayName,foo", "signIn"):
        refused = ask("PATCH", id, {"displayName": "Other"}, updateMask=mask)
        assert refused.status_code == 400 and "updateMask" in refused.text, refused.text
    kept = ask("GET", id).json()
    assert kept["displayName"] == "Shop" and kept["mfaConfig"]["state"] == "ENABLED"
    assert ask("PATCH", id, {}, updateMask="mfaConfig").json()["mfaConfig"]["state"] == "DISABLED"
    for name in ("recaptchaConfig", "smsRegionConfig", "sms_region_config"):
        assert "template.yaml" in ask("PATCH", id, {name: {"x": 1}}).text
    for name in ("hashConfig", "monitoring", "inheritance"):
        assert "not supported" in ask("PATCH", id, {name: {"x": 1}}).text
    for name in ("", "\u202eevil", "a\nb", "x" * 129):
        assert_error(ask("PATCH", id, {"displayName": name}, updateMask="displayName"), "INVALID_DISPLAY_NAME")
    for numbers in ({"12": "123456"}, {"+16505550101": "12345"}, {f"+1650555{n:04}": "123456" for n in range(11)}):
        assert_error(ask("PATCH", id, {"testPhoneNumbers": numbers}), "INVALID_TESTING_PHONE_NUMBER")


def test_a_mask_leaves_the_other_fields_of_a_group(ask):
    id = made(ask, mfaConfig={"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]})
    policy = {"passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": True}
    changed = ask("PATCH", id, {"passwordPolicyConfig": policy}, updateMask="passwordPolicyConfig.forceUpgradeOnSignin").json()
    assert changed["passwordPolicyConfig"]["passwordPolicyEnforcementState"] == "OFF"
    assert changed["passwordPolicyConfig"]["forceUpgradeOnSignin"] is True
    factors = {"state": "MANDATORY", "enabledProviders": []}
    assert ask("PATCH", id, {"mfaConfig": factors}, updateMask="mfaConfig.state").json()["mfaConfig"] == {
        **ask("GET", id).json()["mfaConfig"],
        "state": "MANDATORY",
        "enabledProviders": ["PHONE_SMS"],
    }
    assert ask("PATCH", id, {"disable_auth": True}, updateMask="disable_auth").json()["disableAuth"] is True
    for mask in ("mfaConfig.bogus", "client.permissions.bogus", "passwordPolicyConfig.bogus", "testPhoneNumbers.x"):
        refused = ask("PATCH", id, {"mfaConfig": {"state": "ENABLED"}}, updateMask=mask)
        assert refused.status_code == 400 and mask in refused.text, refused.text


def test_an_import_takes_no_person_of_another_tenant(site, headers):
    users = [{"localId": f"imported-{tenant}", "tenantId": tenant} for tenant in ("customer-a", "switched-off")]
    url = f"{site.url}/v1/projects/demo/tenants/customer-a/accounts:batchCreate"
    answer = requests.post(url, json={"users": users}, headers=headers, timeout=TIMEOUT)
    (refused,) = answer.json()["error"]
    assert refused["index"] == 1 and "tenantId" in refused["message"], refused
    assert site.rows("SELECT project_id FROM accounts WHERE account_id LIKE 'imported-%%'") == [("demo/customer-a",)]


def test_the_log_of_a_refused_sign_in_names_the_tenant(site):
    email = address()
    API(site.url).call("signInWithPassword", {"email": email, "password": "wrong", "tenantId": "customer-a"})
    named = site.run("users", "hash", "demo/customer-a", email, check=True).stdout.strip()
    line = site.servers[0].logged(named)
    assert json.loads(line)["project"] == "demo/customer-a"


def test_a_file_wins_over_a_row_and_keeps_its_people(site, ask):
    id, email = made(ask, allowPasswordSignup=True), address()
    body = {"email": email, "password": "correct horse", "returnSecureToken": True, "tenantId": id}
    person = API(site.url).succeed("signUp", body)["localId"]
    site.tenants[id] = {"displayName": "Of a file", "signIn": METHODS}
    site.write()
    reload(site)
    assert ask("GET", id).json()["displayName"] == "Of a file"
    for answer in (ask("PATCH", id, {"displayName": "Hack"}), ask("DELETE", id)):
        assert answer.status_code == 400 and f"demo/tenants/{id}.yaml" in answer.text, answer.text
    assert API(site.url).succeed("signInWithPassword", body)["localId"] == person
    assert site.value("SELECT deleted_at IS NULL FROM tenants WHERE tenant_id = %s", id)


def test_a_change_counts_whatever_the_clocks_of_processes_say(site, ask):
    id = made(ask, allowPasswordSignup=True)
    site.rows("UPDATE tenants SET changed_at = now() + interval '30 seconds' WHERE tenant_id = %s", id)
    wait_until(lambda: ask("PATCH", id, {"disableAuth": True}).status_code == 200, what="the change")
    wait_until(lambda: ask("GET", id).json()["disableAuth"] is True, what="the change to count")
    assert ask("DELETE", id).status_code == 200
    assert_error(ask("GET", id), "TENANT_NOT_FOUND")


def test_commands_know_the_tenants_that_there_are(site, ask):
    id = made(ask)
    listed = [json.loads(line) for line in site.run("tenants", "list", "demo", "--json", check=True).stdout.splitlines()]
    assert {"customer-a", "switched-off", id} <= {tenant["tenant"] for tenant in listed}
    assert site.run("users", "create", f"demo/{id}", "--email", address()).returncode == 0
    for realm in ("demo/nothing-there", "demo/customer-b"):
        for command in (
            ["users", "create", realm, "--email", address()],
            ["hooks", "test", realm, "beforeSignIn"],
            ["events", "list", realm],
        ):
            refused = site.run(*command)
            assert refused.returncode == 1 and "has no tenant" in refused.stderr, refused.stderr
    refused = site.run("service-accounts", "create", "demo/customer-a", "backend")
    assert refused.returncode == 64 and "belong to a whole project" in refused.stderr, refused.stderr


def test_commands_keep_the_rules_that_a_call_set(site, ask):
    options = [{"customStrengthOptions": {"minPasswordLength": 20}}]
    policy = {"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": options}
    id = made(ask, allowPasswordSignup=True, passwordPolicyConfig=policy)
    for password, is_taken in (("short1234", False), ("long enough to be taken", True)):
        email = address()
        command = [BINARY, "users", "create", f"demo/{id}", "--email", email, "--password", "--config", site.config]
        made_here = subprocess.run(command, input=password, env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT)
        assert (made_here.returncode == 0) is is_taken, made_here.stderr
    assert site.run("users", "link", f"demo/{id}", "resetPassword", email).returncode == 0


def test_a_template_has_no_directory(site):
    tenants = {"customer-a": {"displayName": "A"}}
    with a_site(project={"dynamicTenants": True}, tenants=tenants, migrate=False, database="postgresql:///none") as other:
        template = other.folder / "projects/demo/template.yaml"
        template.write_text(json.dumps({"openIDProvider": {"tenant": {"names": ["a.example.com"]}, **PROVIDER}, "signIn": METHODS}))
        refused = other.run("check")
        assert refused.returncode == 1 and "must not be in a template" in refused.stdout, refused.stdout
        template.write_text(json.dumps({"signIn": METHODS}))
        assert "1 project, 1 tenant." in other.run("check").stdout
