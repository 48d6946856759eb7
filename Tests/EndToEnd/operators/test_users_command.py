"""`gatehouse users`: accounts by the command line, by the same rules as the Admin API."""

import json
import re
import subprocess

import pytest
import requests

from support.accounts import anonymous, sign_up
from support.harness import BINARY
from support.leaks import note
from support.names import METHODS, TIMEOUT
from support.servers.site import a_site

PASSWORD = note("a-password-of-operators")


@pytest.fixture(scope="module")
def site(doubles):
    with a_site({"oidc.fake": doubles["oidc.fake"].entry()}, project={"signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture
def api(site):
    return site.servers[0].api()


def run(site, *arguments, text="", **options):
    command = [BINARY, "users", *arguments, "--config", site.config]
    return subprocess.run(command, env=site.environment(), input=text, capture_output=True, text=True, timeout=TIMEOUT, **options)


def made(site, *arguments, **options):
    """The id of a new account."""
    result = run(site, "create", "demo", *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def got(site, account):
    return json.loads(run(site, "get", "demo", account, "--json").stdout)


def events(site, account):
    lines = site.run("audit", "list", "demo", "--account", account, "--json").stdout.splitlines()
    return [(event["action"], event.get("actor")) for event in map(json.loads, lines)]


def test_an_account_is_made_found_changed_and_deleted(site, api):
    account = made(
        site, "--email", "Ada@Example.com", "--verified", "true", "--name", "Ada", "--phone", "+15551234567", "--password",
        text=PASSWORD + "\n",
    )  # fmt: skip
    told = got(site, account)
    assert told["email"] == "ada@example.com" and told["emailVerified"] and told["phoneNumber"] == "+15551234567"
    assert told["displayName"] == "Ada" and told["hasPassword"] and not told["disabled"]
    assert told["signInProviders"] == ["password", "phone"]
    signed_in = api.call("signInWithPassword", {"email": "ada@example.com", "password": PASSWORD, "returnSecureToken": True})
    assert signed_in.status_code == 200 and signed_in.json()["localId"] == account

    for way in (["--email", "ada@EXAMPLE.com"], ["--phone", "+15551234567"]):
        assert json.loads(run(site, "get", "demo", *way, "--json").stdout)["localId"] == account
    lines = run(site, "get", "demo", account).stdout
    assert re.search(r"^e-mail +ada@example.com \(verified\)$", lines, re.MULTILINE) and PASSWORD not in lines

    changed = run(site, "update", "demo", account, "--name", "", "--phone", "", "--email", "ada@example.org")
    assert changed.returncode == 0, changed.stderr
    told = got(site, account)
    assert told["email"] == "ada@example.org" and "displayName" not in told and "phoneNumber" not in told
    refused = api.refresh(signed_in.json()["refreshToken"])
    assert refused.status_code == 400, "another address ends sessions"

    deleted = run(site, "delete", "demo", account)
    assert deleted.returncode == 0 and deleted.stdout == f"{account} deleted.\n"
    gone = run(site, "get", "demo", account)
    assert gone.returncode == 1 and "project demo has no such account" in gone.stderr
    actions = events(site, account)
    assert actions[0] == ("account.created", "users create") and actions[-1] == ("account.deleted", "users delete")


def test_a_disabled_account_is_closed_until_it_is_enabled(site, api):
    user = sign_up(api)
    assert run(site, "disable", "demo", user["localId"]).stdout == f"{user['localId']} disabled.\n"
    assert api.refresh(user["refreshToken"]).json()["error"]["message"] in ("USER_DISABLED", "TOKEN_EXPIRED")
    assert got(site, user["localId"])["disabled"]
    heading, *lines = run(site, "list", "demo", "--disabled").stdout.splitlines()
    assert heading.endswith("  STATE") and any(line.startswith(user["localId"]) and line.endswith("  disabled") for line in lines)
    assert run(site, "enable", "demo", user["localId"]).returncode == 0
    assert not got(site, user["localId"])["disabled"]
    assert {action for action, _ in events(site, user["localId"])} >= {"account.disabled", "account.enabled"}


def test_accounts_are_named_by_their_addresses_too(site, api):
    ada, bob, eve = (sign_up(api) for _ in range(3))
    named = ["--email", ada["email"].upper(), "--email", "nobody@example.com", "--email", bob["email"]]
    result = run(site, "disable", "demo", eve["localId"], *named)
    assert result.returncode == 1
    assert result.stdout.splitlines() == [f"{name} disabled." for name in (eve["localId"], ada["email"].upper(), bob["email"])]
    assert result.stderr == "project demo has no account with the address nobody@example.com\n"
    assert all(got(site, user["localId"])["disabled"] for user in (ada, bob, eve))
    for command in ("enable", "revoke", "delete"):
        assert run(site, command, "demo", "--email", ada["email"]).returncode == 0
    assert site.run("sessions", "revoke", "demo", "--email", bob["email"]).returncode == 0
    assert run(site, "get", "demo", ada["localId"]).returncode == 1 and got(site, bob["localId"])


def test_a_fault_in_a_projects_file_stops_only_what_needs_that_file(site, api):
    user = sign_up(api)
    broken = site.folder / "projects/broken.yaml"
    own = site.folder / "projects/demo.yaml"
    sound = own.read_text()
    try:
        for text in ("nonsense: [", '{"project": "other", "apiKye": "x"}'):
            broken.write_text(text)
            assert run(site, "update", "demo", user["localId"], "--name", "Ada").returncode == 0
            assert run(site, "link", "demo", "verifyEmail", user["email"]).returncode == 0
            assert site.run("service-accounts", "create", "demo", "of-a-fault", prints_secret=True).returncode == 0
            listed = site.run("projects", "list")
            assert listed.returncode == 1 and "demo" in listed.stdout and "broken.yaml not listed" in listed.stderr
            unknown = run(site, "get", "nosuchproject", "x")
            assert unknown.returncode == 1 and ("does not have a project" in unknown.stderr or "no such account" in unknown.stderr)
        other = run(site, "create", "other", "--email", "a@example.com")
        assert other.returncode == 1 and "the file of the project other has faults" in other.stderr and "apiKye" in other.stderr
        broken.unlink()
        own.write_text(sound.replace('"apiKeys"', '"apiKyes"'))
        for command in ("disable", "enable", "revoke"):
            assert run(site, command, "demo", user["localId"]).returncode == 0, command
        refused = run(site, "link", "demo", "verifyEmail", user["email"])
        assert refused.returncode == 1 and "the file of the project demo has faults" in refused.stderr
        assert run(site, "delete", "demo", user["localId"]).returncode == 0
    finally:
        broken.unlink(missing_ok=True)
        own.write_text(sound)


def test_revoked_sessions_are_over(site, api):
    user = sign_up(api)
    assert run(site, "revoke", "demo", user["localId"]).stdout == f"{user['localId']} signed out.\n"
    assert api.refresh(user["refreshToken"]).status_code == 400
    assert ("sessions.revoked", "users revoke") in events(site, user["localId"])


def test_claims_are_set_printed_and_refused(site, api):
    user = sign_up(api)
    assert run(site, "claims", "demo", user["localId"]).stdout == "{}\n"
    assert run(site, "claims", "demo", user["localId"], '{"admin": true}').stdout == '{"admin": true}\n'
    assert run(site, "claims", "demo", user["localId"]).stdout == '{"admin": true}\n'
    for wrong, words in [("[]", "not a JSON object"), ('{"sub": 1}', "the claim sub is reserved"), ('{"a":"%s"}' % ("x" * 1000), "longer")]:
        result = run(site, "claims", "demo", user["localId"], wrong)
        assert result.returncode == 1 and words in result.stderr, result.stderr
    assert run(site, "claims", "demo", user["localId"], "{}").stdout == "{}\n"


def test_a_link_opens_what_it_is_for(site, api):
    user = sign_up(api)
    result = run(site, "link", "demo", "verifyEmail", user["email"])
    link = note(result.stdout.strip())
    assert result.returncode == 0 and "mode=verifyEmail" in link
    assert requests.get(link).status_code == 200
    assert ("link.made", "users link") in events(site, user["localId"])
    unknown = run(site, "link", "demo", "resetPassword", "nobody@example.com")
    assert unknown.returncode == 1 and "no account with this address" in unknown.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["create", "demo", "--email", "nonsense"], "is not an e-mail address"),
        (["create", "demo", "--phone", "12"], "is not a phone number"),
        (["create", "demo", "--name", "x" * 257], "longer than 256"),
        (["create", "demo", "--id", "x" * 129], "1 to 128 characters"),
        (["create", "demo", "--password"], "standard input has no password"),
        (["create", "nosuchproject"], "the configuration does not have a project nosuchproject"),
        (["delete", "demo", "nobody"], "project demo has no account nobody"),
        (["disable", "demo", "nobody"], "project demo has no account nobody"),
        (["revoke", "demo", "nobody"], "project demo has no account nobody"),
        (["update", "demo", "nobody", "--name", "x"], "project demo has no such account"),
        (["claims", "demo", "nobody"], "project demo has no such account"),
        (["disable", "demo", "-"], "standard input has no ids of accounts"),
    ],
)
def test_what_cannot_be_done_ends_with_1_and_the_reason(site, arguments, words):
    result = run(site, *arguments)
    assert result.returncode == 1 and words in result.stderr and "Usage" not in result.stderr, result.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["get", "demo"], "Give an account's id"),
        (["get", "demo", "x", "--email", "y"], "Give an account's id"),
        (["get", "demo", "--provider", "p"], "Give an account's id"),
        (["delete", "demo"], "<accounts> ..."),
        (["update", "demo", "x"], "Name what to change: --email, "),
    ],
)
def test_a_command_line_that_is_wrong_ends_with_64_and_says_what_is_missing(site, arguments, words):
    result = run(site, *arguments)
    assert result.returncode == 64 and words in result.stderr and f"Usage: gatehouse users {arguments[0]}" in result.stderr, result.stderr


def test_a_password_needs_an_address_and_an_address_is_given_once(site, api):
    user = sign_up(api)
    taken = run(site, "create", "demo", "--email", user["email"])
    assert taken.returncode == 1 and "another account has this address" in taken.stderr
    bare = run(site, "create", "demo", "--password", text=PASSWORD)
    assert bare.returncode == 1 and "a password needs an address" in bare.stderr


def test_many_accounts_are_named_on_standard_input(site, api):
    users = [anonymous(api).json()["localId"] for _ in range(3)]
    result = run(site, "delete", "demo", "-", text="\n".join([users[0], "nobody", *users[1:]]) + "\n")
    assert result.returncode == 1 and "project demo has no account nobody" in result.stderr
    assert result.stdout.splitlines() == [f"{user} deleted." for user in users]


def test_a_list_of_many_pages_takes_little_memory():
    with a_site() as site:
        site.rows(
            "INSERT INTO accounts (project_id, account_id, email, valid_since, created_at)"
            " SELECT 'demo', to_char(number, 'FM000000'), 'user' || number || '@example.com', date_trunc('second', now()), now() FROM generate_series(1, 30000) number"
        )
        few, many = (peak(site, "--limit", count) for count in ("1000", "30000"))
        assert many[0] == 30_000 and few[0] == 1000
        assert many[1] < few[1] + 8_192, f"{few[1]} KiB for a thousand, {many[1]} KiB for thirty thousand"
        lines = run(site, "list", "demo", "--after", "029998").stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["ACCOUNT", "029999", "030000"]
        assert run(site, "list", "demo", "--limit", "1", "--json").stdout.count("\n") == 1


def peak(site, *arguments):
    """How many accounts are printed, and the most memory that it takes, in KiB."""
    command = ["/usr/bin/env", "python3", "-c", PEAK, BINARY, "users", "list", "demo", "--json", *arguments, "--config", site.config]
    result = subprocess.run(command, env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return result.stdout.count("\n"), int(result.stderr.split()[-1])


PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""
