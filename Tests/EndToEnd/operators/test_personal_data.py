"""A person's data by command: `gatehouse users export` and `users erase`. `operations/test_restore_drill.py` restores a backup."""

import json

import pytest

from support.accounts import sign_up
from support.harness import wait_until
from support.names import METHODS
from support.servers.site import a_site

LINES = "SELECT count(*) FROM sign_in_log WHERE account_id = %s"


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}, settings={"erasures": {"path": "erasures.jsonl"}}) as site:
        site.serve()
        yield site


@pytest.fixture
def api(site):
    return site.servers[0].api()


@pytest.fixture
def person(site, api):
    """A person who signed up, asked for a mail, and was refused once."""
    user = sign_up(api)
    api.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": user["email"]})
    assert api.call("signInWithPassword", {"email": user["email"], "password": "wrong"}).status_code == 400
    wait_until(lambda: site.value(LINES, user["localId"]) == 2, what="the lines of the log of sign-ins")
    return user


def erase(site, user, *more):
    return site.run("users", "erase", "demo", user["localId"], "--reason", "request 7", *more)


def stored(site, user):
    """The tables in which a row names the person."""
    query = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace"
    tables = [name for (name,) in site.rows(query)]
    parts = [f"SELECT '{table}' FROM {table} AS t WHERE t::text LIKE %s OR t::text LIKE %s" for table in tables]
    values = [f"%{user['localId']}%", f"%{user['email']}%"] * len(tables)
    return {table for (table,) in site.rows(" UNION ".join(parts), *values)}


def test_SEC_70_an_export_has_one_person_and_no_secret(site, api, person):
    other = sign_up(api)
    export = json.loads(site.run("users", "export", "demo", person["localId"], check=True).stdout)
    assert [row["email"] for row in export["accounts"]] == [person["email"]]
    assert {row["kind"] for row in export["deliveries"]} >= {"mail"}
    assert [row["outcome"] for row in export["sign_in_log"]] == ["created", "refused"]
    assert len(export["sessions"]) == 1 and export["sessions"][0]["address"] == "127.0.0.1"
    text = json.dumps(export)
    people = [
        value for row in site.rows("SELECT account_id, email FROM accounts WHERE account_id <> %s", person["localId"]) for value in row
    ]
    assert other["localId"] in people and not [value for value in people if value in text]
    assert "$scrypt" not in text and "hash" not in {
        key for rows in export.values() if isinstance(rows, list) for row in rows for key in row
    }


def test_SEC_70_an_erased_person_is_in_no_table(site, api, person):
    assert len(stored(site, person)) >= 5
    result = erase(site, person)
    assert result.returncode == 0, result.stderr
    assert stored(site, person) == set()
    name = result.stdout.rpartition(" as ")[2].strip(" .\n")
    (line,) = [line for line in (site.folder / "erasures.jsonl").read_text().splitlines() if name in line]
    assert json.loads(line)["project"] == "demo" and (site.folder / "erasures.jsonl").stat().st_mode & 0o777 == 0o600
    acts = [json.loads(line) for line in site.run("audit", "list", "demo", "--account", name, "--json", check=True).stdout.splitlines()]
    assert [act["action"] for act in acts][-2:] == ["account.deleted", "account.erased"]
    assert acts[-1]["details"] == {"reason": "request 7"} and acts[-1]["actor"] == "users erase"
    assert api.call("signInWithPassword", {"email": person["email"], "password": "correct horse"}).status_code == 400
    assert api.refresh(person["refreshToken"]).status_code == 400
    again = erase(site, person)
    assert again.returncode == 1 and "no such account" in again.stderr


def test_nothing_is_erased_that_a_restore_would_bring_back(site, api, person):
    def refusal(**erasures):
        site.settings.pop("erasures")
        site.settings |= erasures
        site.write()
        result = erase(site, person)
        assert result.returncode == 1
        return result.stderr

    try:
        assert "gatehouse.yaml has no erasures.path" in refusal()
        site.settings["erasures"] = {}
        assert "cannot be written" in refusal(erasures={"path": "nowhere/erasures.jsonl"})
        assert "Nothing was erased" in refusal(erasures={"path": "/dev/full"})
    finally:
        site.settings["erasures"] = {"path": "erasures.jsonl"}
        site.write()
    assert api.call("signInWithPassword", {"email": person["email"], "password": "correct horse"}).status_code == 200


def test_a_line_that_was_cut_off_is_taken_away_and_one_that_is_wrong_is_refused(site, api, person):
    file = site.folder / "erasures.jsonl"
    file.write_text('{"project":"demo","account":"erased:00","erasedAt":1}\n{"project":"de')
    assert erase(site, person).returncode == 0
    assert len(file.read_text().splitlines()) == 2
    restored = site.run("after-restore", "--sessions", "keep")
    assert restored.returncode == 0 and "0 of 2 erased people were there again" in restored.stdout
    file.write_text("nonsense\n" + file.read_text())
    refused = site.run("after-restore", "--sessions", "end")
    assert refused.returncode == 1 and "line 1 of " in refused.stderr
    file.unlink()


def test_a_command_line_without_a_reason_or_a_choice_is_refused(site):
    assert site.run("users", "erase", "demo", "someone").returncode == 64
    assert site.run("after-restore").returncode == 64
    assert site.run("after-restore", "--sessions", "some").returncode == 64
