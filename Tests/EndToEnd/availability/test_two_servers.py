"""Several processes on one database: they hold nothing, so any of them may take the next step, and only one of many takes it."""

import threading

import jwt
import pytest
import requests

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, rebased
from support.harness import free_port, together, wait_for_end, wait_until
from support.names import TIMEOUT
from support.servers.site import Site


@pytest.fixture(scope="module")
def pair(fake_issuer_of_session):
    site = Site({"oidc.fake": fake_issuer_of_session.entry()})
    site.serve()
    site.serve(free_port())
    yield site
    site.close()


def test_start_on_A_callback_on_B_redeem_on_A(pair, fake_issuer):
    a, b = pair.servers
    flow = WebFlow(pair, "oidc.fake")
    back = flow.to_app(fake_issuer.login("traveller"), servers=(a, b))
    answer = flow.redeem(back, a)
    assert answer.status_code == 200, answer.text
    user = answer.json()
    assert b.api().lookup(user["idToken"])["localId"] == user["localId"]
    refreshed = b.api().refresh(user["refreshToken"]).json()
    assert a.api().refresh(refreshed["refresh_token"]).status_code == 200
    pending = {"requestUri": "http://localhost", "pendingToken": user["pendingToken"]}
    assert b.api().call("signInWithIdp", pending).status_code == 200
    assert_error(a.api().call("signInWithIdp", pending), "INVALID_PENDING_TOKEN")
    b.api().succeed("delete", {"idToken": user["idToken"]})
    assert_error(a.api().call("lookup", {"idToken": user["idToken"]}), "USER_NOT_FOUND")
    assert a.api().refresh(refreshed["refresh_token"]).json()["error"]["message"] in ("USER_NOT_FOUND", "TOKEN_EXPIRED")


def test_both_publish_the_same_keys(pair):
    sets = [requests.get(server.url + "/demo/oauth2/jwks", timeout=TIMEOUT).json() for server in pair.servers]
    assert sets[0] == sets[1] and sets[0]["keys"]


def exactly_one(answers):
    """One success, and the documented error for all others."""
    assert all(not isinstance(answer, Exception) for answer in answers), answers
    good = [answer for answer in answers if answer.status_code == 200]
    assert len(good) == 1, [answer.status_code for answer in answers]
    for answer in answers:
        if answer is not good[0]:
            assert_error(answer, "INVALID_IDP_RESPONSE")
    return good[0].json()


def test_SEC_05_fifty_redemptions_of_one_code_give_one_success(pair, fake_issuer):
    flow = WebFlow(pair, "oidc.fake")
    back = flow.to_app(fake_issuer.login("fifty"))
    before = pair.counts()
    exactly_one(together(50, lambda i: flow.redeem(back, pair.servers[i % 2])))
    assert fake_issuer.count("/token") == 1, "the provider's code is shown once"
    after = pair.counts()
    assert {table: after[table] - before[table] for table in after} == {"accounts": 1, "identities": 1, "sessions": 1}


def test_SEC_05_fifty_redemptions_of_one_state_give_one_success(pair, fake_issuer):
    flow = ClientFlow(pair, "oidc.fake")
    answered = fake_issuer.login("fifty-by-state")(flow.authorization_url())
    exactly_one(together(50, lambda i: flow.redeem(answered, pair.servers[i % 2])))
    assert fake_issuer.count("/token") == 1


def test_SEC_05_fifty_callbacks_of_one_state_give_one_code(pair, fake_issuer):
    flow = WebFlow(pair, "oidc.fake")
    answered = fake_issuer.login("callbacks")(flow.authorization_url())
    cookies = {cookie.name: cookie.value for cookie in flow.browser.cookies}

    def call(index):
        url = rebased(answered, pair.servers[index % 2])
        return requests.get(url, cookies=cookies, allow_redirects=False, timeout=TIMEOUT)

    answers = together(50, call)
    assert {answer.status_code for answer in answers} <= {303, 400}
    pages = [answer.headers["location"] for answer in answers if answer.status_code == 303]
    assert sum("code=" in page for page in pages) == 1, "the others lead back to the app with nothing"
    assert {page for page in pages if "code=" not in page} <= {pair.page}


def test_SEC_06_a_hundred_refreshes_on_two_servers_get_one_successor(pair, fake_issuer):
    user = WebFlow(pair, "oidc.fake").run(fake_issuer.login("refresher"))
    answers = together(100, lambda i: pair.servers[i % 2].api().refresh(user["refreshToken"]))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1
    assert pair.rows("SELECT generation FROM sessions WHERE account_id = %s", user["localId"]) == [(1,)]


def test_one_person_who_signs_in_twenty_times_at_once_is_one_user(pair, fake_issuer):
    tokens = [fake_issuer.id_token("at-once") for _ in range(20)]
    answers = together(20, lambda i: posted(pair.servers[i % 2].api(), {"providerId": "oidc.fake", "id_token": tokens[i]}))
    assert {answer.status_code for answer in answers} == {200}, [answer.text[:200] for answer in answers if answer.status_code != 200]
    assert len({answer.json()["localId"] for answer in answers}) == 1
    assert sum(answer.json().get("isNewUser", False) for answer in answers) == 1


def test_kill_9_during_sign_ins_loses_no_user_that_a_client_was_told_about(fake_issuer):
    site = Site({"oidc.fake": fake_issuer.entry()})
    try:
        server = site.serve()
        tokens = [[fake_issuer.id_token(f"storm-{worker}-{number}") for number in range(60)] for worker in range(8)]
        told = []

        def sign_in(worker):
            for token in tokens[worker]:
                try:
                    answer = posted(server.api(), {"providerId": "oidc.fake", "id_token": token})
                except requests.RequestException:
                    return
                if answer.status_code == 200:
                    told.append((answer.json()["localId"], answer.json()["refreshToken"], answer.json()["idToken"]))

        threads = [threading.Thread(target=sign_in, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(told) >= 60, what="sixty sign-ins")
        server.kill()
        wait_for_end(*threads)
        assert 60 <= len(told) < 480, "it was killed in the middle"

        stored = {row[0] for row in site.rows("SELECT account_id FROM accounts")}
        assert {user for user, _, _ in told} <= stored
        assert (
            site.value("SELECT count(*) FROM accounts a LEFT JOIN identities i USING (project_id, account_id) WHERE i.subject IS NULL") == 0
        )
        again = site.serve()
        for user, refresh, id_token in told[-10:]:
            assert again.api().refresh(refresh).json()["user_id"] == user
            assert again.api().lookup(id_token)["localId"] == user
    finally:
        site.close()


def test_SEC_06_what_was_revoked_or_deleted_stays_so_after_kill_9(fake_issuer):
    site = Site({"oidc.fake": fake_issuer.entry()})
    try:
        server = site.serve()
        kept, deleted, stolen = (WebFlow(site, "oidc.fake").run(fake_issuer.login(user)) for user in ("kept", "deleted", "stolen"))
        successor = server.api().refresh(stolen["refreshToken"]).json()["refresh_token"]
        newest = server.api().refresh(successor).json()["refresh_token"]
        site.rows("UPDATE sessions SET rotated_at = rotated_at - interval '1 minute' WHERE account_id = %s", stolen["localId"])
        assert_error(server.api().refresh(stolen["refreshToken"]), "TOKEN_EXPIRED")
        server.api().succeed("delete", {"idToken": deleted["idToken"]})
        server.kill()
        site.servers.clear()
        api = site.serve().api()
        for token in (stolen["refreshToken"], successor, newest):
            assert_error(api.refresh(token), "TOKEN_EXPIRED")
        assert api.refresh(deleted["refreshToken"]).json()["error"]["message"] in ("USER_NOT_FOUND", "TOKEN_EXPIRED")
        assert_error(api.call("lookup", {"idToken": deleted["idToken"]}), "USER_NOT_FOUND")
        assert api.refresh(kept["refreshToken"]).status_code == 200
        key = jwt.PyJWKClient(site.issuer + "/oauth2/jwks").get_signing_key_from_jwt(kept["idToken"])
        assert jwt.decode(kept["idToken"], key, algorithms=["RS256"], audience="demo")["sub"] == kept["localId"]
    finally:
        site.close()
