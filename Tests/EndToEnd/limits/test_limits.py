"""Rate limits: by account, address and project, across processes, with the addresses that a trusted proxy forwards (SEC-16, SEC-08)."""

import contextlib
import json
import tempfile
import unittest.mock

import pytest
import requests
import urllib3

from support import harness
from support.clients import WebFlow, assert_error, query_of, together
from support.common import TIMEOUT
from support.harness import a_site, free_port, limits
from support.sdk_clients import BrowserFlow

# Only production has proxies.
PRODUCTION = {"development": False, "publicURL": "https://auth.example.com"}
PROXY = {**PRODUCTION, "trustedProxies": ["127.0.0.0/8"]}
LOCKED = (
    "TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. "
    "You can immediately restore it by resetting your password or you can try again later."
)
BLOCKED = "TOO_MANY_ATTEMPTS_TRY_LATER : We have blocked all requests from this device due to unusual activity. Try again later."
PASSWORDS = {
    "signIn": {"password": True, "anonymous": True},
    "authorizedDomains": ["auth.example.com", "127.0.0.1", "localhost", "app.example.com"],
    "redirectURLs": [],
}
SLOW = "per 30d"  # so slow that nothing comes back while a test runs


def from_address(address):
    return {"headers": {"X-Forwarded-For": address}}


@contextlib.contextmanager
def coming_from(address):
    """Every connection comes from this address of the loopback network, where no proxy is trusted to say so."""
    connect = urllib3.util.connection.create_connection
    with unittest.mock.patch(
        "urllib3.util.connection.create_connection", lambda *to, **options: connect(*to, **{**options, "source_address": (address, 0)})
    ):
        yield


def call(api, method, body, address="192.0.2.1", **headers):
    return api.post(f"/v1/accounts:{method}", body, headers={"X-Forwarded-For": address, **headers})


def try_password(api, email, password="wrong password", address="192.0.2.1"):
    return call(api, "signInWithPassword", {"email": email, "password": password, "returnSecureToken": True}, address)


def codes(answers):
    return [answer.json()["error"]["message"] if answer.status_code != 200 else 200 for answer in answers]


def a_limited_site(**changes):
    return a_site(settings=PROXY, project={**PASSWORDS, "limits": limits(**changes)})


def a_limited_site_with(issuer, **changes):
    """Issuers on this machine are for development mode, which has no proxies."""
    return a_site({"oidc.fake": issuer.entry()}, project={"signIn": PASSWORDS["signIn"], "limits": limits(**changes)})


def test_starts_are_limited_by_address_and_answered_by_redirect(fake_issuer):
    with a_limited_site_with(fake_issuer, startSignIn={"perAddress": f"2 {SLOW}"}) as site:
        server = site.serve()
        flow = WebFlow(site, "oidc.fake")

        def start(address):
            with coming_from(address):
                return requests.get(server.url + "/__/auth/start", params=flow.start_query(), allow_redirects=False, timeout=TIMEOUT)

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
        assert page.status_code == 400 and "We have blocked all requests" in page.text
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
        sign_up = lambda address: call(api, "signUp", {"returnSecureToken": True}, address)  # noqa: E731
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


def test_SEC_16_guesses_at_one_account_from_many_addresses_are_bounded():
    with a_limited_site(password={"perAccount": f"5 {SLOW}"}) as site:
        api = site.serve().api()
        api.succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
        spellings = ["ada@example.com", "Ada@Example.com", "ADA@EXAMPLE.COM"]
        answers = codes(try_password(api, spellings[n % 3], address=f"198.51.100.{n}") for n in range(12))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [LOCKED] * 7
        assert codes([try_password(api, "ada@example.com", "correct horse")]) == [LOCKED], "nor does the right password tell itself"
        # Whether anybody has the address makes no difference.
        answers = codes(try_password(api, "nobody@example.com", address=f"198.51.100.{n}") for n in range(7))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [LOCKED] * 2
        assert try_password(api, "else@example.com").json()["error"]["message"] == "INVALID_LOGIN_CREDENTIALS"


def test_SEC_16_guesses_from_one_address_over_many_accounts_are_bounded():
    with a_limited_site(password={"perAddress": f"5 {SLOW}"}) as site:
        api = site.serve().api()
        answers = codes(try_password(api, f"person{n}@example.com") for n in range(8))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [BLOCKED] * 3
        assert codes([try_password(api, "person9@example.com", address="192.0.2.2")]) == ["INVALID_LOGIN_CREDENTIALS"]
        counted = requests.get(site.servers[0].url + "/metrics", timeout=10).text
        assert 'gatehouse_limited_total{action="password",by="address"} 3\n' in counted
        site.servers[0].logged("a rate limit is reached")
        lines = [line for line in site.servers[0].log_lines() if line.get("message") == "a rate limit is reached"]
        assert [(line["action"], line["by"], line["address"]) for line in lines] == [("password", "address", "192.0.2.1")]
        assert "person" not in json.dumps(lines)


def test_SEC_16_one_hostile_address_does_not_lock_the_owner_out():
    with a_limited_site(password={"perAccountAndAddress": f"4 {SLOW}", "perAccount": f"6 {SLOW}"}) as site:
        api = site.serve().api()
        api.succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
        answers = codes(try_password(api, "ada@example.com", address="198.51.100.1") for _ in range(20))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 4 + [LOCKED] * 16
        assert try_password(api, "ada@example.com", "correct horse", address="192.0.2.1").status_code == 200


def test_SEC_16_people_who_sign_in_meet_no_limit_and_their_own_sign_ins_buy_no_guesses():
    rates = {"perAccountAndAddress": f"3 {SLOW}", "perAccount": f"3 {SLOW}", "perAddress": f"4 {SLOW}"}
    with a_limited_site(password=rates) as site:
        api = site.serve().api()
        for name in ("ada", "mallory"):
            api.succeed("signUp", {"email": f"{name}@example.com", "password": "correct horse", "returnSecureToken": True})
        for _ in range(8):  # a whole office, and one who mistypes
            assert try_password(api, "ada@example.com", "correct horse").status_code == 200
        for _ in range(2):
            assert try_password(api, "ada@example.com").status_code == 400
        assert try_password(api, "ada@example.com", "correct horse").status_code == 200
        # Mallory has an account, and signs in between guesses at others: two more failures are left to the address.
        answers = []
        for n in range(4):
            answers.append(try_password(api, f"victim{n}@example.com"))
            try_password(api, "mallory@example.com", "correct horse")
        assert codes(answers) == ["INVALID_LOGIN_CREDENTIALS"] * 2 + [BLOCKED] * 2


def test_SEC_16_two_processes_share_one_bucket():
    with a_limited_site(password={"perAccount": f"10 {SLOW}"}) as site:
        servers = [site.serve(), site.serve(free_port())]
        answers = together(
            60, lambda n: try_password(servers[n % 2].api(), "ada@example.com", address=f"198.51.100.{n}")
        )
        assert all(not isinstance(answer, Exception) for answer in answers), answers
        assert sorted(codes(answers)) == ["INVALID_LOGIN_CREDENTIALS"] * 10 + [LOCKED] * 50


def test_SEC_16_a_refused_attempt_costs_no_hash():
    with a_limited_site(password={"perAccount": f"2 {SLOW}"}) as site:
        server = site.serve()

        def hashes():
            text = requests.get(server.url + "/metrics", timeout=10).text
            return sum(int(line.split()[-1]) for line in text.splitlines() if line.startswith("gatehouse_hashing_seconds_count"))

        for _ in range(2):
            try_password(server.api(), "ada@example.com")
        harness.wait_until(lambda: hashes() == 2, what="the count of two hashes")
        for _ in range(5):
            assert codes([try_password(server.api(), "ada@example.com")]) == [LOCKED]
        assert codes([try_password(server.api(), "else@example.com")]) == ["INVALID_LOGIN_CREDENTIALS"]
        harness.wait_until(lambda: hashes() >= 3, what="one more hash")
        assert hashes() == 3


def test_what_was_taken_comes_back():
    with a_limited_site(password={"perAccount": "2 per 20s"}) as site:
        api = site.serve().api()
        answers = codes(try_password(api, "ada@example.com") for _ in range(3))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 2 + [LOCKED]
        harness.wait_until(lambda: codes([try_password(api, "ada@example.com")]) == ["INVALID_LOGIN_CREDENTIALS"], what="another try")


def test_a_projects_own_limit_is_a_quota():
    with a_limited_site(signUp={"perProject": f"2 {SLOW}"}) as site:
        api = site.serve().api()
        answers = codes(call(api, "signUp", {"returnSecureToken": True}, f"192.0.2.{n}") for n in range(3))
        assert answers == [200, 200, "QUOTA_EXCEEDED : Exceeded the project's quota for signUp. Try again later."]


def test_a_crash_of_the_database_forgets_limits_and_nothing_else():
    cluster = harness.Cluster(tempfile.mkdtemp(prefix="gatehouse-e2e-own-pg-"), private=True)
    try:
        project = {**PASSWORDS, "limits": limits(signUp={"perAddress": f"1 {SLOW}"})}
        with a_site(settings=PROXY, project=project, database=cluster.create()) as site:
            api = site.serve().api()
            user = call(api, "signUp", {"returnSecureToken": True}).json()
            assert_error(call(api, "signUp", {"returnSecureToken": True}), BLOCKED)
            cluster.crash()
            cluster.start()
            harness.wait_until(lambda: call(api, "signUp", {"returnSecureToken": True}).status_code == 200, what="a sign-up")
            assert api.lookup(user["idToken"])["localId"] == user["localId"]
    finally:
        cluster.remove()


def test_an_idle_session_is_over_where_the_project_says_so():
    with a_site(project={**PASSWORDS, "sessions": {"idle": "90d"}}) as site:
        api = site.serve().api()
        user = api.succeed("signUp", {"returnSecureToken": True})
        site.rows("UPDATE sessions SET refreshed_at = now() - interval '89 days'")
        token = api.refresh(user["refreshToken"]).json()["refresh_token"]
        site.rows("UPDATE sessions SET refreshed_at = now() - interval '90 days'")
        assert_error(api.refresh(token), "TOKEN_EXPIRED")


@pytest.mark.parametrize("idle", ["12h", "0d", "never", "90"])
def test_an_idle_time_that_cannot_be_meant_is_a_fault(idle):
    with a_site(project={"sessions": {"idle": idle}}, migrate=False) as site:
        result = site.run("check")
        assert result.returncode == 1
        assert "sessions.idle: expected 0 (sessions last until they are ended), or 1d to 3650d" in result.stdout


def test_SEC_16_a_mailbox_is_not_flooded_by_accounts_that_come_and_go():
    rates = limits(sendVerification={"perMailbox": f"3 {SLOW}"})
    with a_site(project={"signIn": PASSWORDS["signIn"], "limits": rates}) as site:
        api = site.serve().api()

        def mailed(email, new=None):
            made = api.succeed("signUp", {"email": email, "password": "correct horse", "returnSecureToken": True})
            wish = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": new} if new else {"requestType": "VERIFY_EMAIL"}
            answer = api.call("sendOobCode", {**wish, "idToken": made["idToken"]})
            api.succeed("delete", {"idToken": made["idToken"]})
            return answer

        refused = "TOO_MANY_ATTEMPTS_TRY_LATER : Too many attempts. Try again later."
        answers = [mailed(email) for email in ("victim@example.com", "Victim@example.com")]
        answers.append(mailed("thief@example.com", "VICTIM@example.com"))
        answers += [mailed("victim@example.com"), mailed("thief@example.com", "victim@example.com")]
        assert codes(answers) == [200, 200, 200, refused, refused]
        assert mailed("other@example.com").status_code == 200


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_EMAIL"])
def test_SEC_16_tags_make_no_other_mailbox(kind):
    """By the standard limits: ten an hour to a mailbox from one address, five that prove it."""
    with a_site(project={"signIn": {"password": True, "emailLink": True}, "limits": {"defaults": True}}) as site:
        api = site.serve().api()

        def mailed(tag):
            email = f"target+{tag}@example.com"
            if kind == "VERIFY_EMAIL":
                wish = {"idToken": api.succeed("signUp", {"email": email, "password": "correct horse"})["idToken"]}
            else:
                wish = {"email": email, "continueUrl": "https://app.example.com/", "canHandleCodeInApp": True}
            return api.call("sendOobCode", {"requestType": kind, **wish}).status_code

        most = 5 if kind == "VERIFY_EMAIL" else 10
        assert [mailed(tag) for tag in range(most + 2)] == [200] * most + [400] * 2


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "EMAIL_SIGNIN"])
def test_SEC_16_one_hostile_address_does_not_use_up_the_mails_of_the_owner(kind):
    """By the standard limits: five an hour from one address, fifteen from all."""
    with a_site(project={"signIn": {"password": True, "emailLink": True}, "limits": {"defaults": True}}) as site:
        api = site.serve().api()

        def mailed(address):
            with coming_from(address):
                wish = {"requestType": kind, "email": "owner@example.com", "continueUrl": "https://app.example.com/", "canHandleCodeInApp": True}
                return api.call("sendOobCode", wish).status_code

        assert [mailed("127.0.0.2") for _ in range(7)] == [200] * 5 + [400] * 2
        assert [mailed("127.0.0.3") for _ in range(5)] == [200] * 5
        assert [mailed(f"127.0.0.{n}") for n in range(4, 11)] == [200] * 5 + [400] * 2, "a mailbox is not flooded from many addresses"
