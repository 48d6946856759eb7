"""`gatehouse users search` and `gatehouse users explain`: the rules that the console asks, too."""

import json
import subprocess

import pytest

from support.accounts import sign_up
from support.harness import BINARY
from support.leaks import note
from support.names import METHODS, TIMEOUT
from support.servers.site import a_site, limits

PASSWORD = note("a-password-of-people")


@pytest.fixture(scope="module")
def site(doubles):
    settings = {"signIn": METHODS, "limits": limits(password={"perAccount": "2 per 1h"})}
    with a_site({"oidc.fake": doubles["oidc.fake"].entry()}, project=settings) as site:
        site.serve()
        yield site


def run(site, *arguments):
    command = [BINARY, "users", *arguments, "--config", site.config]
    return subprocess.run(command, env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT)


def made(site, *arguments):
    result = run(site, "create", "demo", *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def found(site, *arguments):
    result = run(site, "search", "demo", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line)["localId"] for line in result.stdout.splitlines()]


def test_people_are_found_by_what_is_known_of_them(site):
    ada = made(site, "--email", "ada@search.example", "--name", "Ada Lovelace", "--phone", "+12025550111")
    bob = made(site, "--email", "bob@search.example", "--name", "Bob", "--disabled")
    for text in (ada, "ada@search.example", "ADA@SEARCH", "ada l", "+1 202-555-0111"):
        assert found(site, text) == [ada], text
    assert found(site, "@search.example") == [bob, ada]
    assert found(site, "@search.example", "--disabled") == [bob] and bob in found(site, "--disabled")
    assert found(site, "@search.example", "--limit", "1") == [bob]
    assert found(site, "--provider", "phone") == [ada]
    assert found(site, "nobody") == []
    table = run(site, "search", "demo", "ada l")
    assert ada in table.stdout and "Ada Lovelace" in table.stdout and PASSWORD not in table.stdout


def test_a_text_in_the_middle_of_others_needs_an_index(site):
    refused = run(site, "search", "demo", "*lace*")
    assert refused.returncode == 1 and "gatehouse console index --substring" in refused.stderr
    assert "at least 3 characters" in run(site, "search", "demo", "*a*").stderr


def test_it_says_why_a_person_cannot_sign_in(site):
    api = site.servers[0].api()
    account = sign_up(api, "eve@search.example", PASSWORD)["localId"]
    told = run(site, "explain", "demo", account).stdout
    assert told.startswith("password: open\n") and "oidc.fake: closed\n    The account has no identity of this provider." in told

    for _ in range(2):
        api.call("signInWithPassword", {"email": "eve@search.example", "password": "wrong", "returnSecureToken": True})
    told = run(site, "explain", "demo", account).stdout
    assert "password: closed\n    The limit password perAccount is used up." in told
    refused = api.call("signInWithPassword", {"email": "eve@search.example", "password": PASSWORD, "returnSecureToken": True})
    assert refused.json()["error"]["message"].startswith("TOO_MANY_ATTEMPTS_TRY_LATER")
    site.run("limits", "forget", "demo", account)

    assert run(site, "disable", "demo", account).returncode == 0
    told = run(site, "explain", "demo", account).stdout
    assert "password: closed\n    The account is disabled.\n" in told and "account disabled" in told
    missing = run(site, "explain", "demo", "nobody")
    assert missing.returncode == 1 and "has no such account" in missing.stderr
