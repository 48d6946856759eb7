"""Every test run ends with a search for secrets in logs and in the database (conftest.py). This tests that the search finds them."""

import secrets

import pytest

from support.leaks import issued, logs, note, secrets_in_database, secrets_in_logs
from support.names import CLIENT_SECRET

pytestmark = pytest.mark.long


@pytest.fixture
def planted():
    secret = note("a-planted-secret-" + secrets.token_hex(8))
    yield secret
    issued.discard(secret)


def test_SEC_21_a_secret_in_a_log_is_found(site, api, planted, tmp_path):
    api.call("signUp", {})
    site.servers[0].logged('"route":"/v1/accounts:signUp"')
    assert CLIENT_SECRET in issued and not [name for name, _ in secrets_in_logs() if name == planted[:6]]
    log = tmp_path / "planted.log"
    log.write_text(f"a line with {planted}\n")
    logs.append(log)
    try:
        assert secrets_in_logs() == [(planted[:6] + "…", log.name)]
    finally:
        logs.remove(log)


def test_SEC_21_a_secret_in_the_database_is_found(site, planted):
    assert secrets_in_database(site) == {}
    site.rows("CREATE TABLE planted (value text)")
    try:
        site.rows("INSERT INTO planted VALUES (%s)", planted)
        assert secrets_in_database(site) == {"planted": [planted[:6] + "…"]}
    finally:
        site.rows("DROP TABLE planted")
