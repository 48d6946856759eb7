"""`gatehouse audit list`: which events it prints."""

import json
import re

import pytest

from support.harness import ROOT, wait_until
from support.servers.site import a_site


@pytest.fixture(scope="module")
def site():
    with a_site() as site:
        site.rows(
            "INSERT INTO audit_events (project_id, occurred_at, actor_kind, actor, action, account_id)"
            " SELECT 'demo', timestamptz '2026-01-01 00:00Z' + number * interval '1 hour', kind, actor, action, 'account-' || number % 2"
            " FROM generate_series(0, 2399) number, (VALUES ('person', NULL, 'account.created'),"
            " ('administrator', 'backend@demo.iam.gserviceaccount.com', 'account.deleted')) AS act (kind, actor, action)"
        )
        site.rows(
            "INSERT INTO service_accounts (project_id, email, client_id, created_at)"
            " VALUES ('demo', 'backend@demo.iam.gserviceaccount.com', '123456789012345678901', now())"
        )
        yield site


def told(site, *arguments):
    result = site.run("audit", "list", "demo", "--json", *arguments, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_newest_1000_are_printed_unless_a_time_or_a_number_is_given(site):
    newest = told(site)
    assert len(newest) == 1000 and newest[-1]["time"] == "2026-04-10T23:00:00.000Z"
    assert [event["time"] for event in newest] == sorted(event["time"] for event in newest)
    assert len(told(site, "--limit", "3")) == 3
    everything = told(site, "--since", "2026-01-01")
    assert len(everything) == 4800 and everything[0]["time"] == "2026-01-01T00:00:00.000Z"
    assert told(site, "--since", "1h") == []


@pytest.mark.parametrize(
    "arguments, count",
    [
        (["--since", "2026-04-10"], 48),
        (["--since", "2026-04-10T23:00:00Z"], 2),
        (["--since", "2026-01-01", "--until", "2026-01-01T01:00:00Z"], 2),
        (["--since", "2026-01-01", "--action", "account.deleted"], 2400),
        (["--since", "2026-01-01", "--actor", "person"], 2400),
        (["--since", "2026-01-01", "--actor", "backend@demo.iam.gserviceaccount.com", "--account", "account-1"], 1200),
        (["--since", "2026-01-01", "--actor", "backend"], 2400),
        (["--since", "2026-01-01", "--actor", "123456789012345678901"], 2400),
        (["--since", "2026-01-01", "--actor", "123456789012345678902"], 0),
        (["--account", "account-0", "--limit", "5"], 5),
    ],
)
def test_what_is_asked_for_is_printed(site, arguments, count):
    assert len(told(site, *arguments)) == count


@pytest.mark.parametrize(
    "arguments", [["--since", "yesterday"], ["--since", "2026-02-30"], ["--until", "2026-1-1"], ["--action", "nonsense"], ["--limit", "0"]]
)
def test_a_command_line_that_is_wrong_ends_with_64_and_says_what_is_right(site, arguments):
    result = site.run("audit", "list", "demo", *arguments)
    assert result.returncode == 64 and "Usage: gatehouse audit list" in result.stderr
    if arguments[0] in ("--since", "--until"):
        assert "A time is a date (2026-11-22), " in result.stderr


def test_a_project_keeps_its_events_as_long_as_its_file_says():
    with a_site(project={"audit": {"keep": "30d"}}, settings={"audit": {"keep": "1d"}}) as site:
        server = site.serve()
        assert server.stop() == 0
        for project in ("demo", "other"):
            # As a server did that had its file.
            site.rows("INSERT INTO projects VALUES (%s) ON CONFLICT DO NOTHING", project)
            site.rows(
                "INSERT INTO audit_events (project_id, occurred_at, actor_kind, action) SELECT %s, now() - days * interval '1 day', 'person',"
                " 'account.created' FROM unnest(ARRAY[2, 29, 31]) days",
                project,
            )
        site.serve()
        left = "SELECT array_agg(project_id || ' ' || extract(day FROM now() - occurred_at) ORDER BY 1) FROM audit_events"
        wait_until(lambda: site.value(left) == ["demo 2", "demo 29"], what="the cleanup")


def test_the_page_has_every_action_and_no_other():
    source = (ROOT / "Sources/Accounts/Events/AuditEvent.swift").read_text()
    actions = re.findall(r'^        case \w+ = "([a-zA-Z]+\.[a-zA-Z]+)"$', source, re.MULTILINE)
    page = (ROOT / "docs/operations/database.md").read_text().partition("## Audit events")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall(r"`([^`]+)`", row)) == sorted(actions) and len(actions) > 15
