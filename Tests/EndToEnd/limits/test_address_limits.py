"""Starts, sign-ins and sign-ups are limited by address and project, with the addresses that a trusted proxy forwards (SEC-16, SEC-08)."""

import pytest
import requests

from support.clients.api import assert_error
from support.clients.flows import WebFlow, query_of
from support.clients.handler import BrowserFlow
from support.harness import wait_until
from support.names import PRODUCTION, TIMEOUT
from support.servers.limited_site import BLOCKED, PASSWORDS, PROXY, SLOW, a_limited_site, a_limited_site_with, call, codes, coming_from
from support.servers.postgres import a_cluster
from support.servers.site import a_site, limits


def test_starts_are_limited_by_address_and_answered_by_redirect(fake_issuer):
    with a_limited_site_with(fake_issuer, startSignIn={"perAddress": f"2 {SLOW}"}) as site:
        server = site.serve()
        flow = WebFlow(site, "oidc.fake")

        def start(address):
            with coming_from(address):
                return requests.get(server.url + "/__/auth/start", params=flow.query(), allow_redirects=False, timeout=TIMEOUT)

        assert [start("127.0.0.1").status_code for _ in range(2)] == [302, 302]
        refused = start("127.0.0.1")
        assert refused.status_code == 303
        back = query_of(refused.headers["location"])
        assert (back["error"], back["error_description"]) == ("temporarily_unavailable", BLOCKED)
        assert start("127.0.0.2").status_code == 302
        assert site.value("SELECT count(*) FROM sign_in_flows") == 3, "a refused start leaves no flow"
        # The same bucket for clients that start by the API.
        body = {"providerId": "oidc.fake", "continueUri": site.url + "/__/auth/handler"}
        assert_error(server.api().call("createAuthUri", body), BLOCKED)
        # And for SDKs, whose window says so.
        page = BrowserFlow(site).start()
        assert page.status_code == 429 and "We have blocked all requests" in page.text
        with coming_from("127.0.0.2"):
            assert BrowserFlow(site).start().status_code == 200
        assert site.value("SELECT count(*) FROM sign_in_flows") == 4


def test_SEC_16_redemptions_are_limited_by_address_and_the_provider_is_not_asked(fake_issuer):
    with a_limited_site_with(fake_issuer, federatedSignIn={"perAddress": f"2 {SLOW}"}) as site:
        api = site.serve().api()
        tokens = [fake_issuer.id_token("many") for _ in range(4)]

        def redeem(token, address):
            body = {"requestUri": "http://localhost", "postBody": f"providerId=oidc.fake&id_token={token}", "returnSecureToken": True}
            with coming_from(address):
                return api.call("signInWithIdp", body)

        assert codes(redeem(token, "127.0.0.1") for token in tokens) == [200, 200, BLOCKED, BLOCKED]
        assert redeem(tokens[3], "127.0.0.2").status_code == 200


def test_SEC_16_an_IPv6_subscriber_is_one_address_and_mapped_IPv4_is_IPv4():
    with a_limited_site(signUp={"perAddress": f"2 {SLOW}"}) as site:
        api = site.serve().api()

        def sign_up(address):
            return call(api, "signUp", {"returnSecureToken": True}, address)

        of_one = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::3"]
        assert codes(map(sign_up, of_one)) == [200, 200, BLOCKED]
        assert sign_up("2001:db8:1:3::1").status_code == 200
        assert codes(map(sign_up, ["192.0.2.9", "::ffff:192.0.2.9", "192.0.2.9"])) == [200, 200, BLOCKED]


@pytest.mark.parametrize(
    "trusted, headers",
    [
        ([], {"X-Forwarded-For": "203.0.113.{}"}),
        (["10.0.0.0/8"], {"X-Forwarded-For": "203.0.113.{}"}),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.{}, garbage"}),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.114.{}"}),
        (["127.0.0.0/8"], {"X-Forwarded-For": "203.0.113.{}, 198.51.100.1"}),
        (["127.0.0.0/8"], {"X-Real-IP": "203.0.113.{}", "CF-Connecting-IP": "203.0.113.{}", "True-Client-IP": "203.0.113.{}"}),
    ],
    ids=["nobody is trusted", "another proxy", "garbage", "a header of the client", "written by the client", "other headers"],
)
def test_SEC_08_no_header_gives_a_client_more_addresses_than_it_has(trusted, headers):
    project = {**PASSWORDS, "limits": limits(signUp={"perAddress": f"3 {SLOW}"})}
    with a_site(settings={**PRODUCTION, "trustedProxies": trusted}, project=project) as site:
        api = site.serve().api()
        answers = [
            api.post(
                "/v1/accounts:signUp", {"returnSecureToken": True}, headers={name: text.format(n, n) for name, text in headers.items()}
            )
            for n in range(1, 6)
        ]
        assert codes(answers) == [200, 200, 200, BLOCKED, BLOCKED]


def test_a_projects_own_limit_is_a_quota():
    with a_limited_site(signUp={"perProject": f"2 {SLOW}"}) as site:
        api = site.serve().api()
        answers = codes(call(api, "signUp", {"returnSecureToken": True}, f"192.0.2.{n}") for n in range(3))
        assert answers == [200, 200, "QUOTA_EXCEEDED : Exceeded the project's quota for signUp. Try again later."]


def test_a_crash_of_the_database_forgets_limits_and_nothing_else():
    with a_cluster() as cluster:
        project = {**PASSWORDS, "limits": limits(signUp={"perAddress": f"1 {SLOW}"})}
        with a_site(settings=PROXY, project=project, database=cluster.create()) as site:
            api = site.serve().api()
            user = call(api, "signUp", {"returnSecureToken": True}).json()
            assert_error(call(api, "signUp", {"returnSecureToken": True}), BLOCKED)
            cluster.crash()
            cluster.start()
            wait_until(lambda: call(api, "signUp", {"returnSecureToken": True}).status_code == 200, what="a sign-up")
            assert api.lookup(user["idToken"])["localId"] == user["localId"]
