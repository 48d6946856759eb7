"""The console's own database connections: what holds those of sign-ins does not hold the console, and the other way round."""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import psycopg2
import pytest

from support.accounts import address
from support.console import ConsoleSite, Operator, field
from support.harness import wait_until
from support.names import TIMEOUT
from support.servers.postgres import a_cluster

# The clean-up, which visits the console's tables too, may hold one of the connections for writes.
POOL = {"readConnections": 1, "writeConnections": 2, "wait": "60s", "statementTimeout": "60s"}
PASSWORD = "analytical engine"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s AND wait_event_type = 'Lock'"


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session):
    site = ConsoleSite(fake_issuer_of_session, settings={"loops": 2, "databasePool": POOL})
    site.serve()
    yield site
    site.close()


@pytest.fixture
def ada(browser):
    assert browser.sign_in().status_code == 200
    return browser


@contextlib.contextmanager
def held(site, table):
    """Another session holds a table."""
    with contextlib.closing(psycopg2.connect(site.database)) as connection, connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


def sign_up(site):
    return site.servers[0].api().call("signUp", {"email": address(), "password": PASSWORD})


def in_words(answer, words):
    """A page of the console that says why, and that a later request may be answered."""
    assert answer.status_code == 503 and answer.headers["content-type"] == "text/html; charset=utf-8", answer.text
    assert words in answer.text and answer.headers["retry-after"] == "1"
    return True


def test_calls_go_on_while_the_console_waits(stage, ada):
    with held(stage, "console_sessions"), ThreadPoolExecutor(8) as pool:
        pages = [pool.submit(ada.open, "/keys") for _ in range(8)]
        wait_until(lambda: stage.value(WAITING, "gatehouse console"), what="a page that waits")
        for _ in range(4):
            answer = sign_up(stage)
            assert answer.status_code == 200, answer.text
        for page in pages:
            in_words(page.result(), "Other work in the database has locked what this needs.")
        in_words(ada.open("/keys", headers={"accept-language": "de"}), "Ein anderer Vorgang in der Datenbank sperrt")
    assert ada.open("/keys").status_code == 200


def test_a_change_that_waits_is_answered_in_words(stage, ada):
    path = "/projects/demo/limits/forget"
    with held(stage, "audit_events"):
        page = ada.submit(path, person="ada@example.com", reason="she called")
        assert in_words(page, "Other work in the database") and "may have been done" in page.text
    assert ada.submit(path, person="ada@example.com", reason="she called").status_code == 303


def test_the_console_goes_on_while_calls_wait(stage, ada):
    with ThreadPoolExecutor(16) as pool:
        with held(stage, "accounts"):
            calls = [pool.submit(sign_up, stage) for _ in range(16)]
            # Both loops have a connection for reads, and perhaps one for writes.
            wait_until(lambda: stage.value(WAITING, "gatehouse") >= 1, what="calls that wait")
            page = ada.open("/")
            assert page.status_code == 200 and "<h1>Overview</h1>" in page.text, page.text
            assert ada.open("/projects/demo/overview").status_code == 200
            assert not any(call.done() for call in calls)
        assert [call.result().status_code for call in calls] == [200] * 16


def test_a_process_has_two_connections_for_the_console(stage, ada):
    assert ada.open("/projects/demo/users").status_code == 200
    count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse console'"
    assert stage.value(count) == 2
    for kind in ("read", "write"):
        assert stage.servers[0].metric(f'gatehouse_database_connections{{loop="console",kind="{kind}"}}') == 1
        assert stage.servers[0].metric(f'gatehouse_database_connections_max{{loop="console",kind="{kind}"}}') == 1


def test_the_console_says_that_the_database_is_away(fake_issuer, staff):
    with a_cluster() as own:
        site = ConsoleSite(fake_issuer, database=own.create())
        try:
            site.serve()
            ada = Operator(site)
            assert ada.sign_in().status_code == 200
            own.stop()
            words = "The database cannot be reached, or all its connections for the console are busy."
            in_words(ada.open("/keys"), words)
            assert 'id="again"' in ada.open("/keys").text
            own.start()
            wait_until(lambda: ada.open("/keys").status_code == 200, what="the page again")
        finally:
            site.close()


def test_doctor_counts_them(stage):
    name = urlsplit(stage.database).path[1:]
    # Three of each loop, three for deliveries and two for the console.
    stage.rows(f"ALTER DATABASE {name} CONNECTION LIMIT 10")
    try:
        parts = json.loads(stage.run("doctor", "--json").stdout)["parts"]
    finally:
        stage.rows(f"ALTER DATABASE {name} CONNECTION LIMIT -1")
    findings = [finding["text"] for part in parts for finding in part["findings"] if finding["code"] == "database.connections"]
    assert findings and "11 connections" in findings[0] and "3 for deliveries, and 2 for the console" in findings[0]


def test_many_rotations_at_once_make_one_key(stage, ada):
    path = "/keys/idToken/RS256/rotate"
    token = field(ada.open(path), "token")
    kinds = "SELECT count(*) FROM signing_keys WHERE algorithm = 'RS256'"
    before = stage.value(kinds)

    def rotate():
        return ada.post(stage.console + path, data={"token": token, "reason": "a drill"}, timeout=TIMEOUT, allow_redirects=False)

    with ThreadPoolExecutor(12) as pool:
        pages = [pool.submit(rotate) for _ in range(10)]
        commands = [pool.submit(stage.run, "keys", "rotate") for _ in range(2)]
    answers = [page.result() for page in pages]
    ended = [command.result() for command in commands]
    assert sum(answer.status_code == 303 for answer in answers) + sum(command.returncode == 0 for command in ended) == 1
    for answer in answers:
        told = "of an earlier rotation waits" in answer.text or "Another rotation, or other work in the database" in answer.text
        assert answer.status_code == 303 or (answer.status_code == 400 and told), answer.text
    for command in ended:
        assert command.returncode == 0 or "nothing was made" in command.stderr, command.stderr
    assert stage.value(kinds) == before + 1
