"""SEC-67: what a person or a provider wrote is nothing but text in the output of commands, in logs, exports and metrics.

The texts are put into the database as they are, past the rules for what may be stored, so that each reader is tried for itself.
"""

import json
import subprocess

import pytest
import requests

from support.accounts import anonymous
from support.harness import BINARY
from support.hostile_text import HOSTILE, treacherous
from support.names import API_KEY, METHODS, TIMEOUT
from support.servers.site import a_site


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture(scope="module")
def accounts(site):
    """The ids of accounts, one for each text, which stands in every field of its account that is plain text in the database."""
    api = site.servers[0].api()
    ids = [anonymous(api).json()["localId"] for _ in HOSTILE]
    for account, text in zip(ids, HOSTILE, strict=True):
        claims = json.dumps({text: text}, ensure_ascii=False).replace("\x7f", "")
        site.rows(
            "UPDATE accounts SET display_name = %s, photo_url = %s, custom_attributes = %s WHERE account_id = %s RETURNING 1",
            text, text, claims, account,
        )  # fmt: skip
        site.rows(
            """
            INSERT INTO identities (project_id, account_id, provider_id, subject, display_name, photo_url, linked_at, last_sign_in_at)
            VALUES ('demo', %s, 'oidc.fake', %s, %s, %s, now(), now()) RETURNING 1
            """,
            account, text[:255], text, text,
        )  # fmt: skip
    return dict(zip(ids, HOSTILE, strict=True))


def run(site, *arguments):
    result = subprocess.run([BINARY, *arguments, "--config", site.config], env=site.environment(), capture_output=True, timeout=TIMEOUT)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def test_SEC_67_tables_and_lines_are_text(site, accounts):
    assert treacherous(run(site, "users", "list", "demo")) == set()
    assert len(run(site, "users", "list", "demo").splitlines()) == len(accounts) + 1
    for account in accounts:
        lines = run(site, "users", "get", "demo", account)
        assert treacherous(lines) == set()
        assert sum(line.startswith("name ") for line in lines.splitlines()) == 1
        assert treacherous(run(site, "users", "explain", "demo", account)) == set()
    found = run(site, "users", "search", "demo", "--limit", "1000")
    assert treacherous(found) == set() and len(found.splitlines()) == len(accounts) + 1


@pytest.mark.parametrize("command", [("users", "list", "demo", "--json"), ("export", "json", "demo")])
def test_SEC_67_JSON_is_text_and_loses_nothing(site, accounts, command):
    output = run(site, *command)
    assert treacherous(output) == set()
    told = {entry["localId"]: entry for entry in map(json.loads, output.splitlines())}
    assert {account: told[account]["displayName"] for account in accounts} == accounts


def test_SEC_67_claims_are_printed_as_text(site, accounts):
    for account, text in accounts.items():
        output = run(site, "users", "claims", "demo", account)
        assert treacherous(output) == set()
        assert json.loads(output) == {text: text}


def test_SEC_67_what_a_client_says_of_itself_is_text(site):
    server = site.servers[0]
    for text in HOSTILE:
        agent = text.encode().replace(b"\r", b"").replace(b"\n", b"")
        answer = requests.post(
            f"{site.url}/v1/accounts:signUp", params={"key": API_KEY}, json={}, headers={"user-agent": agent.strip()}, timeout=TIMEOUT
        )
        assert answer.status_code in (200, 400)
        requests.post(f"{site.url}/v1/accounts:{text[:20]}", params={"key": API_KEY, text: text}, json={text: text}, timeout=TIMEOUT)
    for command in (("audit", "list", "demo"), ("audit", "list", "demo", "--json")):
        assert treacherous(run(site, *command)) == set()
    server.log_lines()
    assert treacherous(server.log()) == set()
    metrics = requests.get(f"{site.url}/metrics", timeout=TIMEOUT).text
    assert treacherous(metrics) == set() and "alert" not in metrics
