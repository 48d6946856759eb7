"""Health, metrics, and logs that contain enough and not too much for operators."""

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
import requests

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of
from support.harness import wait_until
from support.names import API_KEY, GUESTS, PRODUCTION, TIMEOUT
from support.servers.postgres import Cluster
from support.servers.site import a_site


def test_health_follows_the_database(fake_issuer):
    own = Cluster(tempfile.mkdtemp(prefix="gatehouse-e2e-own-pg-"), private=True)
    try:
        with a_site({"oidc.fake": fake_issuer.entry()}, database=own.create(), settings={"databasePool": {}}) as site:
            server = site.serve()
            posted(server.api(), {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("before")})
            own.stop()
            wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 503, what="503")
            assert requests.get(site.url + "/health/live", timeout=TIMEOUT).status_code == 200
            down = posted(server.api(), {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("during")})
            assert down.status_code == 503 and int(down.headers["retry-after"]) > 0
            assert not down.headers["content-type"].startswith("application/json"), "a JSON error would sign the SDKs' users out"
            own.start()
            wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 200, what="readiness")
            # Each loop finds the database again for itself; a client does as Retry-After says.
            tried = []
            wait_until(
                lambda: (
                    tried.append(posted(server.api(), {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("before")}))
                    or tried[-1].status_code == 200
                ),
                every=1,
                what="a sign-in",
            )
            assert "isNewUser" not in tried[-1].json()
    finally:
        own.remove()


def test_health_fails_when_the_schema_changes_under_the_server(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        site.serve()
        site.rows("UPDATE schema_migrations SET sha256 = repeat('0', 64) WHERE number = 1")
        wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 503, what="503")


def test_a_metric_tells_without_being_asked_whether_the_server_is_ready():
    with a_site(project=GUESTS) as site:
        server = site.serve()
        wait_until(lambda: server.metric("gatehouse_ready") == 1, what="a server that is ready")
        site.rows("DELETE FROM schema_migrations WHERE number = 1")
        server.logged("could not serve requests")
        wait_until(lambda: server.metric("gatehouse_ready") == 0, what="a server that is not ready")


def test_readiness_that_many_ask_for_at_once_costs_the_database_few_statements():
    settings = {
        "loops": 1,
        "limits": {"connections": 1000, "connectionsPerAddress": 1000},
        "databasePool": {"statementTimeout": "60s"},
    }
    with a_site(settings=settings) as site:
        server = site.serve()
        holder = psycopg2.connect(site.database)
        try:
            holder.cursor().execute("LOCK TABLE schema_migrations")
            with ThreadPoolExecutor(200) as crowd:
                asked = [crowd.submit(requests.get, site.url + "/health/ready", timeout=TIMEOUT) for _ in range(200)]
                wait_until(lambda: server.metric("http_connections_open") >= 200, what="two hundred connections")
                holder.rollback()
            assert [each.result().status_code for each in asked] == [200] * 200
        finally:
            holder.close()
        answered = 'http_requests_total{route="/health/ready",status="200"}'
        wait_until(lambda: (server.metric(answered) or 0) > 200, what="their count")
        # All since the start.
        assert server.metric('gatehouse_database_round_trips_total{loop="0"}') < 100


def test_metrics_are_there_and_bounded(site, api, fake_issuer, real_issuer):
    WebFlow(site, "oidc.real").run(real_issuer.login("metrics@example.com"))
    posted(api, {"providerId": "oidc.fake", "id_token": "x"})
    for path in range(50):
        requests.get(f"{site.url}/made-up-{path}", timeout=TIMEOUT)

    def told():
        response = requests.get(site.url + "/metrics", timeout=TIMEOUT)
        assert response.status_code == 200 and response.headers["content-type"].startswith("text/plain; version=0.0.4")
        return response.text

    for series in (
        r'gatehouse_sign_ins_total\{project="demo",provider="oidc.real",outcome="(created|signed_in)"\} [1-9]',
        r'gatehouse_sign_ins_total\{project="demo",provider="oidc.fake",outcome="refused"\} [1-9]',
        r'\w*http_requests_total\{route="/v1/accounts:signInWithIdp",status="200"\} [1-9]',
        r'\w*http_request_seconds_bucket\{[^}]*le="\+Inf"\} [1-9]',
        r"\w*http\w*connections\w*",
        r"gatehouse_database_connections\{",
        r"gatehouse_outbound_requests_total\{",
    ):
        # What was told before this test may be told again for a second.
        wait_until(lambda series=series: re.search(series, told()), what=series)
    text = told()
    assert "made-up" not in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+(Inf)?', line), line


def test_the_access_log_is_JSON_without_query_strings(site, api, fake_issuer):
    marker = "look-for-this-in-the-log"
    server = site.servers[0]
    seen = len(server.log_lines())
    requests.get(site.url + "/v1/projects", params={"key": API_KEY, "marker": marker}, timeout=TIMEOUT)
    requests.get(site.url + "/" + marker, timeout=TIMEOUT)
    api.call("lookup", {"idToken": marker})
    requests.get(site.url + "/__/auth/handler", params={"state": marker, "code": marker}, timeout=TIMEOUT)

    def line_of(route):
        return next((line for line in server.log_lines()[seen:] if line.get("route") == route), None)

    line = wait_until(lambda: line_of("/__/auth/handler"), what="the line of the handler")
    assert {"time", "method", "route", "status", "us", "id", "bytes"} <= set(line)
    assert line["method"] == "GET" and line["status"] == 400 and line["bytes"] > 0 and line["us"] >= 0
    assert wait_until(lambda: line_of("/v1/projects"), what="the line of the other loop")["status"] == 200
    assert all("?" not in line.get("route", "") for line in server.log_lines())
    assert marker not in server.log()


def test_the_log_says_why_a_sign_in_was_refused(site, api, fake_issuer):
    server = site.servers[0]
    seen = len(server.log_lines())
    fake_issuer.claims = lambda claims: {"aud": "somebody-elses-client"}
    flow = WebFlow(site, "oidc.fake")
    assert_error(flow.redeem(flow.to_app(fake_issuer.login("why"))), "INVALID_IDP_RESPONSE")
    line = wait_until(lambda: [line for line in server.log_lines()[seen:] if line.get("message") == "provider refused"], what="the line")[0]
    assert line["code"] == "INVALID_IDP_RESPONSE" and "somebody-elses-client" in line["reason"] and line["id"]
    assert (line["project"], line["provider"]) == ("demo", "oidc.fake")
    assert "why@example.com" not in server.log(), "nor anything of the person"


def test_the_log_names_project_and_provider_of_what_failed(site, api, fake_issuer):
    """At each step that speaks with the provider or about it."""
    server = site.servers[0]

    def named(message, step):
        seen = len(server.log_lines())
        step()
        line = wait_until(lambda: [line for line in server.log_lines()[seen:] if line.get("message") == message], what=message)[0]
        assert (line["project"], line["provider"]) == ("demo", "oidc.fake") and line["reason"], line

    flow = WebFlow(site, "oidc.fake")
    query = query_of(flow.authorization_url())
    named("provider refused", lambda: flow.callback(f"{query['redirect_uri']}?error=access_denied&state={query['state']}"))
    flow = WebFlow(site, "oidc.fake")
    back = fake_issuer.login("elsewhere")(flow.authorization_url())
    named("provider refused", lambda: flow.callback(back + "&iss=https://another.example"))
    named("provider refused", lambda: flow.callback(back.replace("/__/auth/handler", "/__/auth/handler/oidc.other")))
    named("provider refused", lambda: posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("x", nonce="none-posted")}))
    named("sign-in not started", lambda: WebFlow(site, "oidc.fake", parameters={"state": "x"}).start())


def test_no_client_writes_to_the_log_that_a_provider_refused(site):
    server = site.servers[0]
    seen = len(server.log_lines())
    marker = "text-of-a-stranger"
    handler = site.url + "/__/auth/handler"
    for fields in (
        [("error", marker)],
        [("error", "x"), (marker, "1"), (marker, "2")],
        [("error", "x"), ("error", marker)],
        [("state", marker), ("code", "1"), ("code", "2")],
    ):
        assert requests.get(handler, params=fields, timeout=TIMEOUT).status_code == 400, fields
        assert requests.post(handler, data=fields, timeout=TIMEOUT).status_code == 400, fields

    def answered():
        return [line for line in server.log_lines()[seen:] if line.get("route") == "/__/auth/handler" and "status" in line]

    wait_until(lambda: len(answered()) >= 9, what="the lines of the requests")
    assert not [line for line in server.log_lines()[seen:] if line.get("message") == "provider refused"]
    assert marker not in server.log()


FORWARDED = {"trustedProxies": ["127.0.0.0/8"], "proxyHeader": "forwarded"}


@pytest.mark.parametrize(
    "trusted, header, address",
    [
        ([], {"X-Forwarded-For": "203.0.113.7"}, "127.0.0.1"),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.7"}, "203.0.113.7"),
        (["127.0.0.0/8"], {"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}, "203.0.113.7"),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.7, garbage"}, "127.0.0.1"),
        (["10.0.0.0/8"], {"X-Forwarded-For": "203.0.113.7"}, "127.0.0.1"),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=198.51.100.9"}, "203.0.113.7"),
        (FORWARDED, {"Forwarded": "for=203.0.113.7;proto=https"}, "203.0.113.7"),
        (FORWARDED, {"Forwarded": "for=203.0.113.7", "X-Forwarded-For": "198.51.100.9"}, "203.0.113.7"),
        (FORWARDED, {"X-Forwarded-For": "203.0.113.7"}, "127.0.0.1"),
    ],
    ids=["nobody", "the proxy", "a chain", "garbage", "another proxy", "a header of the client", "Forwarded", "both", "the wrong header"],
)
def test_SEC_08_whose_word_on_the_clients_address_counts(trusted, header, address):
    proxies = trusted if isinstance(trusted, dict) else {"trustedProxies": trusted}
    settings = {**PRODUCTION, **proxies}
    project = {**GUESTS, "authorizedDomains": ["auth.example.com"], "redirectURLs": []}
    with a_site(settings=settings, project=project) as site:
        api = site.serve().api()
        assert api.post("/v1/accounts:signUp", {}, headers={**header, "user-agent": "a test"}).status_code == 200
        assert site.rows("SELECT address, user_agent FROM sessions") == [(address, "a test")]
