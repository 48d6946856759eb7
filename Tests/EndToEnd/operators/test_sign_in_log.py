"""The log of sign-ins: what it has, what a stop or a kill leaves, what `gatehouse sign-ins list` prints, and how many people were active."""

import json
import re

import pytest

from support.accounts import sign_up
from support.harness import ROOT, wait_until
from support.names import METHODS
from support.servers.site import a_site

COUNT = "SELECT count(*) FROM sign_in_log WHERE project_id = 'demo'"


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}) as site:
        site.serve()
        yield site


def told(site, *arguments):
    result = site.run("sign-ins", "list", "demo", "--json", *arguments, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def sign_in(api, user, password):
    return api.call("signInWithPassword", {"email": user["email"], "password": password})


def test_a_sign_in_and_a_refusal_are_printed_for_their_person(site):
    api = site.servers[0].api()
    user, other = sign_up(api), sign_up(api)
    assert sign_in(api, user, "a wrong password").status_code == 400
    assert sign_in(api, user, "correct horse").status_code == 200
    assert api.refresh(user["refreshToken"]).status_code == 200
    wait_until(lambda: len(told(site, "--user", user["localId"])) == 3, what="the lines")
    lines = told(site, "--user", user["email"])
    assert [(line["provider"], line["outcome"], line.get("code")) for line in lines] == [
        ("password", "created", None),
        ("password", "refused", "wrongPassword"),
        ("password", "signed_in", None),
    ]
    assert {line["network"] for line in lines} == {"127.0.0.0/24"} and {line["localId"] for line in lines} == {user["localId"]}
    assert [line["code"] for line in told(site, "--user", user["localId"], "--refused")] == ["wrongPassword"]
    assert told(site, "--user", user["localId"], "--until", "1h") == []
    assert len(told(site, "--limit", "1")) == 1
    assert other["localId"] in {line["localId"] for line in told(site, "--since", "1h")}
    text = site.run("sign-ins", "list", "demo", "--user", user["localId"], "--refused", check=True).stdout
    assert re.fullmatch(rf"\S+Z  {user['localId']}  password  refused  wrongPassword  from 127\.0\.0\.0/24\n", text)


def test_a_person_who_is_not_there_is_told_apart_from_one_without_sign_ins(site):
    missing = site.run("sign-ins", "list", "demo", "--user", "nobody@example.com")
    assert missing.returncode == 1 and "no account of the project demo has the address" in missing.stderr
    none = site.run("sign-ins", "list", "demo", "--user", "nobody")
    assert none.returncode == 0 and none.stderr.strip() == "No sign-ins."
    assert site.run("sign-ins", "list", "nowhere").returncode == 1
    assert site.run("sign-ins", "list", "demo", "--limit", "0").returncode == 64


def test_a_stop_writes_the_last_lines_and_a_kill_loses_a_second_at_most():
    with a_site(project={"signIn": METHODS}) as site:
        server = site.serve()
        api = server.api()
        for _ in range(5):
            sign_up(api)
        assert server.stop() == 0
        assert site.value(COUNT) == 5
        server = site.serve()
        sign_up(server.api())
        wait_until(lambda: site.value(COUNT) == 6, what="the line")
        sign_up(server.api())
        server.kill()
        # The one that was written stays; the one of the last second may be lost.
        assert site.value(COUNT) in (6, 7)


def test_the_statements_of_the_page_count_active_people(site):
    api = site.servers[0].api()
    for _ in range(2):
        user = sign_up(api)
    sign_in(api, user, "correct horse")
    wait_until(lambda: len(told(site, "--user", user["localId"])) == 2, what="the lines")
    # One used the app long ago, and one signed in long ago.
    site.rows(
        "UPDATE sessions SET refreshed_at = now() - interval '31 days' WHERE project_id = 'demo' AND account_id = %s", user["localId"]
    )
    people = site.value("SELECT count(DISTINCT account_id) FROM sign_in_log WHERE project_id = 'demo' AND code IS NULL")
    page = (ROOT / "docs/operations/sign-in-log.md").read_text()
    active, ways = re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert site.value(active) == people - 1
    ((provider, counted, sign_ins),) = site.rows(ways)
    assert (provider, counted) == ("password", people) and sign_ins > people
