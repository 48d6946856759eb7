"""Audit events, as `gatehouse audit list` prints them, and how long they are kept."""

import json
import re

import pytest

from support.accounts import anonymous, person, sign_up, update
from support.clients.api import posted
from support.harness import wait_until
from support.names import METHODS
from support.servers.site import a_site

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module")
def site(doubles):
    with a_site({"oidc.fake": doubles["oidc.fake"].entry()}, project={"signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture
def api(site):
    return site.servers[0].api()


def test_what_a_person_does_is_printed_in_order(site, api, fake_issuer):
    guest = anonymous(api).json()
    subject = person()
    headers = {"User-Agent": "an app \u202e"}
    body = {"requestUri": "http://localhost", "postBody": f"providerId=oidc.fake&id_token={fake_issuer.id_token(subject)}"}
    linked = api.post("/v1/accounts:signInWithIdp", {**body, "idToken": guest["idToken"]}, headers=_latin(headers)).json()
    assert linked["localId"] == guest["localId"]
    assert update(api, linked["idToken"], deleteProvider=["oidc.fake"]).status_code == 200
    site.run("sessions", "revoke", "demo", guest["localId"], check=True)

    lines = site.run("audit", "list", "demo", "--account", guest["localId"], check=True).stdout.splitlines()
    start = rf"{TIME}  {guest['localId']}  "
    told = [re.sub(f"^{start}", "", line) for line in lines]
    assert told == [
        f'provider.linked  oidc.fake  linkAdds  by person  from 127.0.0.1  {{"subject": "{subject}"}}',
        f'provider.unlinked  oidc.fake  -  by person  from 127.0.0.1  {{"subject": "{subject}"}}',
        "sessions.revoked  -  -  by command sessions revoke",
    ]
    none = site.run("audit", "list", "demo", "--account", "nobody", check=True)
    assert (none.stdout, none.stderr) == ("", "No events.\n")
    events = [json.loads(line) for line in site.run("audit", "list", "demo", "--account", guest["localId"], "--json").stdout.splitlines()]
    assert [event["action"] for event in events] == ["provider.linked", "provider.unlinked", "sessions.revoked"]
    assert events[0] | {"time": ""} == {
        "time": "",
        "action": "provider.linked",
        "actorKind": "person",
        "localId": guest["localId"],
        "providerId": "oidc.fake",
        "rule": "linkAdds",
        "address": "127.0.0.1",
        "userAgent": events[0]["userAgent"],
        "details": {"subject": subject},
    }
    assert events[0]["userAgent"].startswith("an app") and re.fullmatch(TIME, events[0]["time"])
    assert events[2]["actor"] == "sessions revoke" and "address" not in events[2]


def _latin(headers):
    """Header values as the bytes of UTF-8, which `requests` sends as they are."""
    return {name: value.encode() for name, value in headers.items()}


def test_limit_account_and_project_choose_what_is_printed(site, api, fake_issuer):
    for _ in range(2):
        user = sign_up(api)
        posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(person())}, idToken=user["idToken"])
    lines = site.run("audit", "list", "demo", "--limit", "1", check=True).stdout.splitlines()
    assert len(lines) == 1 and user["localId"] in lines[0]
    assert site.run("audit", "list", "demo", "--account", "nobody", check=True).stdout == ""
    unknown = site.run("audit", "list", "nosuchproject")
    assert unknown.returncode == 1 and "the configuration does not have a project nosuchproject" in unknown.stderr
    # Without a project: the acts that concern none.
    assert user["localId"] not in site.run("audit", "list", check=True).stdout


def test_they_are_kept_as_long_as_the_configuration_says(fake_issuer):
    providers = {"oidc.fake": fake_issuer.entry()}
    with a_site(providers, project={"signIn": METHODS}, settings={"audit": {"keep": "30d"}}) as site:
        server = site.serve()
        guest = anonymous(server.api()).json()
        body = {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(person())}
        user = posted(server.api(), body, idToken=guest["idToken"]).json()
        update(server.api(), user["idToken"], deleteProvider=["oidc.fake"])
        assert server.stop() == 0
        count = "SELECT count(*) FROM audit_events"
        assert site.value(count) == 2
        site.rows("UPDATE audit_events SET occurred_at = now() - interval '31 days' WHERE action = 'provider.linked'")
        site.rows("UPDATE audit_events SET occurred_at = now() - interval '29 days' WHERE action = 'provider.unlinked'")
        site.serve()
        wait_until(lambda: site.value(count) == 1, what="the cleanup")
