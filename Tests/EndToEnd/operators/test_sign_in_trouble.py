"""A person cannot sign in: what the log tells an operator, and what it tells nobody else."""

import json

import pytest

from support.accounts import sign_up
from support.harness import wait_until
from support.names import METHODS
from support.servers.site import a_site, limits

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def site():
    tight = limits(password={"perAccount": "3 per 1h", "perAccountAndAddress": "3 per 1h"})
    with a_site(project={"signIn": METHODS, "limits": tight}) as site:
        site.serve()
        yield site


@pytest.fixture
def api(site):
    return site.servers[0].api()


def refused(site, api, email, password="a wrong password"):
    """What the log says of a refused sign-in, and what the app is told."""
    server = site.servers[0]
    before = server.log().count('"sign-in refused"')
    answer = api.call("signInWithPassword", {"email": email, "password": password})
    assert answer.status_code == 400
    wait_until(lambda: server.log().count('"sign-in refused"') > before, what="the line")
    lines = [line for line in server.log_lines() if line.get("message") == "sign-in refused"]
    assert len(lines) == before + 1
    return lines[-1], answer


def hash_of(site, email):
    return site.run("users", "hash", "demo", email, check=True).stdout.strip()


def test_the_log_says_why_a_sign_in_was_refused_where_the_answer_may_not(site, api):
    user = sign_up(api)
    unknown, told_of_unknown = refused(site, api, "nobody@example.com")
    wrong, told_of_wrong = refused(site, api, user["email"])
    assert told_of_unknown.json() == told_of_wrong.json()
    assert (unknown["reason"], unknown["account"], unknown["email_hash"]) == ("unknownAddress", "-", hash_of(site, "Nobody@Example.com"))
    assert (wrong["reason"], wrong["account"], wrong["email_hash"]) == ("wrongPassword", user["localId"], hash_of(site, user["email"]))
    assert wrong["by"] == "password" and wrong["project"] == "demo" and wrong["level"] == "notice"

    def access():
        return [line for line in site.servers[0].log_lines() if line.get("id") == wrong["id"] and "status" in line]

    assert [(line["route"], line["status"]) for line in wait_until(access, what="the line of the call")] == [
        ("/v1/accounts:signInWithPassword", 400)
    ]

    assert site.run("users", "disable", "demo", "--email", user["email"]).returncode == 0
    closed, told_of_closed = refused(site, api, user["email"], PASSWORD)
    assert closed["reason"] == "accountDisabled" and "USER_DISABLED" in told_of_closed.text
    assert "example.com" not in json.dumps([line for line in site.servers[0].log_lines() if "email_hash" in line])


def test_limits_of_one_person_are_forgotten(site, api):
    user = sign_up(api)
    for _ in range(3):
        refused(site, api, user["email"])
    line, _ = refused(site, api, user["email"], PASSWORD)
    assert line["reason"].startswith("tooManyAttempts: password perAccount")
    forgotten = site.run("limits", "forget", "demo", "--email", user["email"], "--address", "127.0.0.1", check=True).stdout
    assert forgotten.endswith(" limits are forgotten.\n"), forgotten
    assert api.call("signInWithPassword", {"email": user["email"], "password": PASSWORD}).status_code == 200
    events = site.run("audit", "list", "demo", "--account", user["email"].upper(), "--json", check=True).stdout.splitlines()
    assert [json.loads(event)["action"] for event in events] == ["account.created", "limits.forgotten"]

    nothing = site.run("limits", "forget", "demo", "--email", "stranger@example.com", check=True)
    assert nothing.stdout == "Nothing was counted.\n"
    listed = site.run("audit", "list", "demo", "--account", "stranger@example.com", check=True).stdout
    assert "limits.forgotten" in listed and hash_of(site, "stranger@example.com") in listed
    none = site.run("audit", "list", "demo", "--account", "unheard-of@example.com", check=True).stderr
    assert none.startswith("No events. No account has the address unheard-of@example.com now")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["forget", "demo"], "Give an account's id, --email or --address."),
        (["forget", "demo", "x", "--email", "a@example.com"], "not both"),
        (["forget", "demo", "--address", "nowhere"], "nowhere is not an address"),
    ],
)
def test_a_command_line_that_is_wrong_ends_with_64(site, arguments, words):
    result = site.run("limits", *arguments)
    assert result.returncode == 64 and words in result.stderr


def test_a_deleted_account_gets_no_mail_that_still_waits(site, api):
    user, other = sign_up(api), sign_up(api)
    for email in (user["email"], other["email"]):
        api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    site.rows("UPDATE deliveries SET due_at = now() + interval '1 hour'")
    before = site.value("SELECT count(*) FROM deliveries")
    assert site.run("users", "delete", "demo", user["localId"]).returncode == 0
    assert site.value("SELECT count(*) FROM deliveries") == before - 1
