"""Events on the way to endpoints of the operator's: what they are told, how it is signed, and what becomes of one that does not answer."""

import base64
import json
import time

import pytest
import requests
import standardwebhooks

from support.accounts import address, sign_up
from support.authenticator import Authenticator, proven
from support.clients.administrator import Administrator
from support.clients.api import API
from support.gateway import Gateway, signing_secret
from support.harness import wait_until
from support.mail.mailing_site import MailingSite
from support.names import TIMEOUT
from support.servers.site import Site


@pytest.fixture
def endpoint(gateway):
    return gateway


@pytest.fixture
def stages():
    made = []

    def make(*entries, kind=Site, settings=None, **project):
        """A site with these entries of `events`; a secret of each is in the environment."""
        secrets = {f"SECRET_{number}": signing_secret() for number in range(len(entries))}
        events = [
            {"id": f"e{number}", "secrets": {"env": name}, **entry}
            for (number, entry), name in zip(enumerate(entries), secrets, strict=True)
        ]
        site = kind(
            settings=settings or {}, project={"events": events, "signIn": {"password": True, "anonymous": True, "signUp": True}, **project}
        )
        site.variables = secrets
        made.append(site)
        site.serve()
        return site, list(secrets.values())

    yield make
    for site in made:
        site.close()


def took(endpoint, count=1):
    wait_until(lambda: len(endpoint.requests) >= count, what=f"{count} calls, not {len(endpoint.requests)}")
    return endpoint.requests


def verified(request, secret):
    return standardwebhooks.Webhook(secret).verify(request["body"], request["headers"])


def listed(site, *arguments):
    return [json.loads(line) for line in site.run("events", "list", "demo", "--json", *arguments, check=True).stdout.splitlines()]


def metrics(site):
    return requests.get(site.url + "/metrics", timeout=TIMEOUT).text


def test_SEC_62_an_endpoint_is_told_by_a_call_that_standard_webhooks_verifies(stages, endpoint):
    site, (secret,) = stages({"url": f"{endpoint.url}/in", "types": "*"})
    api = API(site.url)
    person = sign_up(api)
    Administrator(site).succeed("update", {"localId": person["localId"], "customAttributes": '{"role": "reader"}', "displayName": "Ada"})
    api.succeed(
        "delete",
        {
            "idToken": api.succeed(
                "signInWithPassword", {"email": person["email"], "password": "correct horse", "returnSecureToken": True}
            )["idToken"]
        },
    )
    calls = took(endpoint, 6)
    told = {}
    for call in calls:
        event = verified(call, secret)
        assert abs(int(call["headers"]["webhook-timestamp"]) - time.time()) < 60 and len(call["body"]) < 20_000
        assert set(event) == {"type", "timestamp", "data"} and event["data"]["project"] == "demo"
        assert event["data"]["uid"] == person["localId"]
        told.setdefault(event["type"], []).append(event)
    assert {kind: len(events) for kind, events in told.items()} == {
        "user.created": 1,
        "user.signed_in": 2,
        "user.claims_changed": 1,
        "user.updated": 1,
        "user.deleted": 1,
    }
    assert len({call["headers"]["webhook-id"] for call in calls}) == 6
    order = sorted((event for events in told.values() for event in events), key=lambda event: event["data"]["sequence"])
    assert order[0]["type"] in ("user.created", "user.signed_in") and order[-1]["type"] == "user.deleted"
    assert "user" not in told["user.deleted"][0]["data"]
    # The account as it was when the event was sent; no hash and no secret of it.
    users = [event["data"]["user"] for event in order if "user" in event["data"]]
    for user in users:
        assert user["uid"] == person["localId"] and user["email"] == person["email"]
        assert [provider["providerId"] for provider in user["providerData"]] == ["password"]
        assert not {"passwordHash", "salt"} & user.keys()
    other = "whsec_" + base64.b64encode(b"x" * 32).decode()
    changed = {**calls[0], "body": calls[0]["body"].replace(b"demo", b"demi")}
    late = {**calls[0], "headers": {**calls[0]["headers"], "webhook-timestamp": "1"}}
    another = {**calls[0], "headers": {**calls[0]["headers"], "webhook-id": calls[1]["headers"]["webhook-id"]}}
    for call, key in [(calls[0], other), (changed, secret), (late, secret), (another, secret)]:
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            verified(call, key)


def test_second_factors_and_ends_of_sessions_are_told_and_no_secret_of_them(stages, endpoint):
    types = ["mfa.enrolled", "mfa.withdrawn", "session.ended"]
    site, (secret,) = stages({"url": endpoint.url, "types": types}, kind=MailingSite, mfa={"state": "enabled"})
    api = site.servers[0].api()
    person = proven(site, api)
    app = Authenticator(api, person["idToken"])
    event = verified(took(endpoint)[0], secret)
    assert event["type"] == "mfa.enrolled" and event["data"]["user"]["mfaInfo"][0]["totpInfo"] == {}
    Administrator(site).succeed("update", {"localId": person["localId"], "mfa": {}})
    Administrator(site).succeed("update", {"localId": person["localId"], "validSince": int(time.time())})
    told = [verified(call, secret)["type"] for call in took(endpoint, 3)]
    assert sorted(told) == sorted(types)
    assert app.id not in json.dumps(verified(endpoint.requests[-1], secret))


def test_SEC_62_while_a_secret_rotates_both_verify(stages, endpoint):
    site, _ = stages({"url": endpoint.url, "types": "user.created"})
    old, new = site.variables["SECRET_0"], signing_secret()
    site.variables["NEW"] = new
    site.project["events"][0]["secrets"] = [{"env": "NEW"}, {"env": "SECRET_0"}]
    site.write()
    # Variables of a process are those of its start.
    site.servers.pop().stop()
    site.serve()
    sign_up(API(site.url))
    call = took(endpoint)[0]
    assert verified(call, old) == verified(call, new)
    assert len(call["headers"]["webhook-signature"].split(" ")) == 2


def test_an_endpoint_that_fails_is_told_again_with_the_same_id_and_costs_the_others_nothing(stages, endpoint):
    other = Gateway()
    try:
        endpoint.answers = [(500, ""), (302, "", ("location", other.url + "/elsewhere")), (200, "")]
        site, (secret, _) = stages({"url": endpoint.url, "types": "user.created"}, {"url": other.url, "types": "user.created"})
        sign_up(API(site.url))
        first = took(endpoint)[0]
        assert len(took(other)) == 1 and other.requests[0]["path"] == "/"
        # The pauses are long; a test does not wait for them.
        for count in (2, 3):
            # While an attempt is under way, the row looks as if it waited.
            deferred = f'gatehouse_events_total{{outcome="deferred"}} {count - 1}\n'
            wait_until(lambda deferred=deferred: deferred in metrics(site), what="the end of the attempt")
            site.rows("UPDATE deliveries SET due_at = now() WHERE kind = 'event' AND due_at < 'infinity'")
            again = took(endpoint, count)[count - 1]
            assert again["headers"]["webhook-id"] == first["headers"]["webhook-id"] and verified(again, secret)
        assert [request["path"] for request in other.requests] == ["/"], "a redirect is not followed"
        wait_until(lambda: [event["outcome"] for event in listed(site)] == ["delivered", "delivered"])
        assert sorted((event["endpoint"], event["attempts"]) for event in listed(site)) == [("e0", 3), ("e1", 1)]
        assert listed(site, "--outcome", "failed") == []
        replayed = site.run("events", "replay", "demo", first["headers"]["webhook-id"], check=True)
        assert replayed.stdout == "1 event is sent again.\n"
        assert took(endpoint, 4)[3]["headers"]["webhook-id"] == first["headers"]["webhook-id"]
        assert site.run("events", "replay", "demo", "00" * 16).returncode == 1
    finally:
        other.close()


def test_an_endpoint_that_is_busy_says_how_long_and_one_that_is_gone_is_told_nothing_more(stages, endpoint):
    endpoint.answers = [(429, "", ("retry-after", "3600")), (410, "")]
    site, _ = stages({"url": endpoint.url, "types": "user.created"})
    api = API(site.url)
    sign_up(api)
    took(endpoint)
    wait = "SELECT extract(epoch FROM due_at - now()) FROM deliveries WHERE kind = 'event' AND due_at < 'infinity' AND due_at > now() + interval '5 minutes'"
    wait_until(lambda: site.rows(wait))
    assert 3500 < site.value(wait) <= 3600
    sign_up(api)
    took(endpoint, 2)
    wait_until(lambda: site.rows("SELECT 1 FROM stopped_endpoints WHERE endpoint = 'e0'"))
    sign_up(api)
    wait_until(lambda: [event["outcome"] for event in listed(site)].count("failed") == 2)
    printed = site.run("events", "list", "demo", check=True)
    assert "e0 has answered that it is gone" in printed.stderr and "failed" in printed.stdout
    assert len(endpoint.requests) == 2
    refused = site.run("events", "test", "demo", "e0")
    assert refused.returncode == 1 and "e0 did not take the event: status 410" in refused.stderr
    endpoint.answers = [(204, "")]
    tried = site.run("events", "test", "demo", "e0", check=True)
    assert tried.stdout.endswith("It is told of events again.\n")
    assert json.loads(endpoint.requests[-1]["body"])["type"] == "endpoint.test"
    site.run("events", "replay", "demo", "--endpoint", "e0", "--outcome", "failed", check=True)
    assert {json.loads(call["body"])["type"] for call in took(endpoint, 6)[4:]} == {"user.created"}


def test_every_way_to_sign_in_is_told(stages, endpoint):
    site, (secret,) = stages({"url": endpoint.url, "types": "user.signed_in"}, settings={"developmentProject": "demo"})
    api = API(site.url)
    person = sign_up(api)
    api.succeed("signUp", {"returnSecureToken": True})
    for _ in range(2):
        api.succeed("signInWithCustomToken", {"token": '{"uid": "ada"}', "returnSecureToken": True})
    told = [verified(call, secret)["data"] for call in took(endpoint, 4)]
    assert sorted(data["providerId"] for data in told) == ["anonymous", "custom", "custom", "password"]
    assert {data["uid"] for data in told} >= {"ada", person["localId"]}


def test_what_happened_while_no_server_ran_is_told_later(stages, endpoint):
    site, (secret,) = stages({"url": endpoint.url, "types": "user.disabled"})
    person = sign_up(API(site.url))
    site.servers[0].kill()
    site.run("users", "disable", "demo", person["localId"], check=True)
    site.serve()
    assert verified(took(endpoint)[0], secret)["data"]["user"]["disabled"] is True


def test_a_private_address_is_not_called(stages, endpoint):
    site, _ = stages({"url": endpoint.url, "types": "user.created"}, settings={"outbound": {"allow": []}})
    sign_up(API(site.url), address())
    wait_until(lambda: 'gatehouse_events_total{outcome="deferred"} 1' in metrics(site))
    assert endpoint.requests == []
    site.servers[0].logged("addresses of outbound.allow alone")


@pytest.mark.parametrize(
    "entry, fault",
    [
        ({"types": "user.created"}, "url: is missing"),
        ({"url": "http://crm.example.com", "types": "user.created"}, "url: expected an https"),
        ({"url": "https://crm.example.com"}, "types"),
        ({"url": "https://crm.example.com", "types": "user.renamed"}, "expected a type of event"),
        ({"url": "https://crm.example.com", "types": "endpoint.test"}, "expected a type of event"),
        ({"url": "https://crm.example.com", "types": "*", "id": "CRM 1"}, "1 to 32 lower-case letters"),
        ({"url": "https://crm.example.com", "types": "*", "secrets": {"env": "SHORT"}}, "is not whsec_"),
    ],
)
def test_a_wrong_entry_is_a_fault_of_the_file(entry, fault):
    site = Site(project={"events": [{"id": "crm", "secrets": {"env": "GOOD"}, **entry}]})
    site.variables = {"GOOD": signing_secret(), "SHORT": "whsec_AAAA"}
    try:
        site.write()
        checked = site.run("check")
        assert checked.returncode == 1 and fault in checked.stdout + checked.stderr, checked
    finally:
        site.close()
