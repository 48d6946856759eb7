"""What is left of a session that ends: nothing, for a thief who refreshes ten times a second, and for what was under way (SEC-50).

`GATEHOUSE_ENDING_RUNS` says how often each way to end a session is run.
"""

import contextlib
import os
import threading

import psycopg2
import pytest

from support.accounts import address, sign_up
from support.clients.administrator import Administrator
from support.clients.api import assert_error, posted
from support.harness import counter, wait_for_end, wait_until
from support.mail.mailing_site import MailingSite
from support.names import PROJECT
from support.servers.site import GENEROUS

RUNS = int(os.environ.get("GATEHOUSE_ENDING_RUNS", "3"))


@pytest.fixture(scope="module")
def site(fake_issuer_of_session):
    site = MailingSite(
        providers={
            "oidc.fake": fake_issuer_of_session.entry(authoritativeDomains=["trusted.example"]),
            "oidc.mallory": fake_issuer_of_session.entry(),
        },
        project={"limits": GENEROUS},
    )
    site.serve()
    site.administrator = Administrator(site)
    yield site
    site.close()


@pytest.fixture
def demo(site):
    return site.servers[0].api()


class Thief:
    """Has a copy of a session, and refreshes it ten times a second until that is refused."""

    def __init__(self, api, stolen):
        self.api = api
        self.tokens = [stolen["idToken"]]
        self.refresh_tokens = [stolen["refreshToken"]]
        self.refusal = None
        self.thread = threading.Thread(target=self.poll, daemon=True)
        self.thread.start()
        wait_until(lambda: len(self.tokens) > 2, what="the thief's first refreshes")

    def poll(self):
        pause = threading.Event()
        while self.refusal is None:
            response = self.api.refresh(self.refresh_tokens[-1])
            if response.status_code == 200:
                self.tokens.append(response.json()["id_token"])
                self.refresh_tokens.append(response.json()["refresh_token"])
                pause.wait(0.1)
            else:
                self.refusal = response

    def loses(self, issuer):
        """Waits for the end of the polling; then no earlier token works in any call."""
        wait_for_end(self.thread)
        assert_error(self.refusal, "TOKEN_EXPIRED")
        for token in set(self.tokens):
            assert_error(self.api.call("lookup", {"idToken": token}), "TOKEN_EXPIRED")
        for token in set(self.tokens[-2:]):
            identity = {"providerId": "oidc.mallory", "id_token": issuer.id_token(f"mallory{next(counter)}", email=None)}
            for refused in (
                posted(self.api, identity, idToken=token),
                self.api.call("update", {"idToken": token, "displayName": "Mallory"}),
                self.api.call("update", {"idToken": token, "password": "mallory's own"}),
                self.api.call("update", {"idToken": token, "deleteProvider": ["password"]}),
                self.api.call("signUp", {"idToken": token, "email": address(), "password": "mallory's own"}),
                self.api.call("delete", {"idToken": token}),
                self.api.call("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": token}),
                self.api.call("sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": address()}),
            ):
                assert_error(refused, "TOKEN_EXPIRED")
            assert posted(self.api, identity).json()["isNewUser"], "the thief's identity opens an account of its own alone"
        for token in self.refresh_tokens[-2:]:
            assert_error(self.api.refresh(token), "TOKEN_EXPIRED")


def sign_in(api, email, password="correct horse"):
    return api.succeed("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


def reset(site, api, issuer):
    owner = sign_up(api)
    thief = Thief(api, sign_in(api, owner["email"]))
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": owner["email"]})
    api.succeed("resetPassword", {"oobCode": site.code(owner["email"]), "newPassword": "a new password"})
    return thief


def sign_in_link(site, api, issuer):
    trap = sign_up(api)
    thief = Thief(api, trap)
    api.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": trap["email"]})
    owner = api.succeed("signInWithEmailLink", {"email": trap["email"], "oobCode": site.code(trap["email"])})
    assert owner["localId"] == trap["localId"]
    return thief


def provider(site, api, issuer):
    trap = sign_up(api, f"victim{next(counter)}@trusted.example")
    thief = Thief(api, trap)
    token = issuer.id_token(f"owner{next(counter)}", email=trap["email"])
    assert posted(api, {"providerId": "oidc.fake", "id_token": token}).json()["localId"] == trap["localId"]
    return thief


def moved(site, api, owner):
    """The code that moves the account to a new address, and that address."""
    email = address()
    api.succeed("sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": owner["idToken"], "newEmail": email})
    return site.code(email), email


def change_of_address(site, api, issuer):
    owner = sign_up(api)
    code, _ = moved(site, api, owner)
    thief = Thief(api, sign_in(api, owner["email"]))
    api.succeed("update", {"oobCode": code})
    return thief


def recovery(site, api, issuer):
    owner = sign_up(api)
    code, email = moved(site, api, owner)
    api.succeed("update", {"oobCode": code})
    thief = Thief(api, sign_in(api, email))
    api.succeed("update", {"oobCode": site.code(owner["email"])})
    return thief


def revoke(site, api, issuer):
    owner = sign_up(api)
    thief = Thief(api, owner)
    site.run("sessions", "revoke", PROJECT, owner["localId"], check=True)
    return thief


def password_change(site, api, issuer):
    owner = sign_up(api)
    thief = Thief(api, sign_in(api, owner["email"]))
    changed = api.succeed("update", {"idToken": owner["idToken"], "password": "a new password", "returnSecureToken": True})
    assert api.lookup(changed["idToken"])["localId"] == owner["localId"]
    return thief


def by_administrator(site, api, **change):
    owner = sign_up(api)
    thief = Thief(api, sign_in(api, owner["email"]))
    site.administrator.succeed("update", {"localId": owner["localId"], **change})
    return thief


def administrator_revokes(site, api, issuer):
    return by_administrator(site, api, validSince=4_000_000_000)


def administrator_sets_password(site, api, issuer):
    return by_administrator(site, api, password="an administrator's")


def administrator_changes_address(site, api, issuer):
    return by_administrator(site, api, email=address())


ENDINGS = [
    reset,
    sign_in_link,
    provider,
    change_of_address,
    recovery,
    revoke,
    password_change,
    administrator_revokes,
    administrator_sets_password,
    administrator_changes_address,
]


@pytest.mark.parametrize("run", range(RUNS))
@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_SEC_50_no_token_of_before_survives_an_ending_for_a_thief_who_polls(site, demo, fake_issuer, ending, run):
    ending(site, demo, fake_issuer).loses(fake_issuer)


@pytest.mark.parametrize("run", range(RUNS))
def test_SEC_50_a_disabled_account_and_a_deleted_one_are_dead_at_once_for_a_thief_who_polls(site, demo, run):
    for call, change, code in [("update", {"disableUser": True}, "USER_DISABLED"), ("delete", {}, "USER_NOT_FOUND")]:
        owner = sign_up(demo)
        thief = Thief(demo, sign_in(demo, owner["email"]))
        site.administrator.succeed(call, {"localId": owner["localId"], **change})
        wait_for_end(thief.thread)
        assert_error(thief.refusal, code)
        for token in set(thief.tokens):
            assert_error(demo.call("lookup", {"idToken": token}), code)
            assert_error(demo.call("update", {"idToken": token, "displayName": "Mallory"}), code)
        for token in thief.refresh_tokens[-2:]:
            assert_error(demo.refresh(token), code)


# ---------------------------------------------------------------------------------------------------------------------------------
# What was under way


@contextlib.contextmanager
def ending_under_way(site, *statements):
    """A transaction that has ended sessions and commits when the block waits for it."""
    with contextlib.closing(psycopg2.connect(site.database)) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(*statement)
        yield connection.commit


def waiting(site):
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    return site.value(query) > 0


def link_by_provider(site, api, issuer, user):
    identity = {"providerId": "oidc.mallory", "id_token": issuer.id_token(f"late{next(counter)}", email=None)}
    return lambda: posted(api, identity, idToken=user["idToken"])


def link_by_mail(site, api, issuer, user):
    email = address()
    api.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email})
    code = site.code(email)
    return lambda: api.call("signInWithEmailLink", {"email": email, "oobCode": code, "idToken": user["idToken"]})


def update(site, api, issuer, user):
    return lambda: api.call("update", {"idToken": user["idToken"], "displayName": "Late"})


def password(site, api, issuer, user):
    return lambda: api.call("update", {"idToken": user["idToken"], "password": "mallory's own"})


def delete(site, api, issuer, user):
    return lambda: api.call("delete", {"idToken": user["idToken"]})


def mail(site, api, issuer, user):
    body = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": user["idToken"], "newEmail": address()}
    return lambda: api.call("sendOobCode", body)


def snapshot(site, account):
    tables = {
        "accounts": "account_id, email, display_name, password_hash, email_link_sign_in",
        "identities": "provider_id, subject",
        "sessions": "encode(session_id, 'hex')",
        "action_codes": "kind, new_email",
    }
    return {
        table: sorted(str(row) for row in site.rows(f"SELECT {columns} FROM {table} WHERE account_id = %s", account))
        for table, columns in tables.items()
    }


SESSIONS = "UPDATE sessions SET ended_at = now(), end_reason = 'revoked' WHERE account_id = %s"
ACCOUNT = "UPDATE accounts SET valid_since = date_trunc('second', now()), sessions_ended_at = now() WHERE account_id = %s"


@pytest.mark.parametrize("statements", [[ACCOUNT, SESSIONS], [SESSIONS]], ids=["all_sessions", "this_session"])
@pytest.mark.parametrize("call", [link_by_provider, link_by_mail, update, password, delete, mail], ids=lambda call: call.__name__)
def test_SEC_50_nothing_that_began_before_an_ending_is_finished_after_it(site, demo, fake_issuer, call, statements):
    user = sign_up(demo)
    request = call(site, demo, fake_issuer, user)
    before = snapshot(site, user["localId"])
    with ending_under_way(site, *((statement, [user["localId"]]) for statement in statements)) as commit:
        answers = []
        thread = threading.Thread(target=lambda: answers.append(request()), daemon=True)
        thread.start()
        wait_until(lambda: waiting(site) or answers, what="the request's wait for the ending")
        assert not answers, answers[0].text
        commit()
        wait_for_end(thread)
    if call is mail:
        assert answers[0].status_code == 503, "asked again, it says why"
        answers = [request()]
    assert_error(answers[0], "TOKEN_EXPIRED")
    assert snapshot(site, user["localId"]) == before
