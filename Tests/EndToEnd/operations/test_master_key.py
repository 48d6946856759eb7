"""The master key is changed while processes run, and no session ends."""

import base64
import secrets

import pytest

from support.clients.api import assert_error
from support.clients.flows import WebFlow
from support.harness import free_port, wait_until
from support.leaks import note
from support.mail.outbox import now, put
from support.servers.site import FILES_ALONE, a_site, write_secret

BOTH = [{"file": "master.key"}, {"file": "new.key"}]


@pytest.fixture
def pair(fake_issuer):
    """Two processes, and a second key in a file that no configuration names yet."""
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        write_secret(site.folder / "new.key", note(base64.b64encode(secrets.token_bytes(32)).decode()))
        site.serve()
        site.serve(free_port())
        yield site


def restart(site, index, keys):
    """One of the processes, restarted with other master keys, while the other one continues with its own."""
    site.settings["masterKey"] = keys
    site.write()
    former = site.servers.pop(index)
    assert former.stop() == 0
    server = site.serve(former.port)
    site.servers.insert(index, site.servers.pop())
    return server


class Person:
    """A person who is signed in, and refreshes now at one process and now at the other."""

    def __init__(self, site, issuer, name):
        self.site = site
        self.name = name
        user = WebFlow(site, "oidc.fake").run(issuer.login(name))
        self.id_token, self.token = user["idToken"], user["refreshToken"]

    def refresh(self):
        for server in self.site.servers:
            answer = server.api().refresh(self.token)
            assert answer.status_code == 200, (self.name, answer.text)
            self.token = answer.json()["refresh_token"]
            assert server.api().lookup(self.id_token)["localId"]


def sign_in_across(site, issuer, name):
    """A sign-in whose steps meet both processes, and what it hands out."""
    a, b = site.servers
    flow = WebFlow(site, "oidc.fake")
    answer = flow.redeem(flow.to_app(issuer.login(name), servers=(a, b)), a)
    assert answer.status_code == 200, answer.text
    pending = {"requestUri": "http://localhost", "pendingToken": answer.json()["pendingToken"]}
    assert b.api().call("signInWithIdp", pending).status_code == 200


def sealed_again(deliveries, keys):
    """The command's first line, where no account has second factors, tokens of a provider or an imported hash, and no sign-in waits."""
    none = "0 accounts with second factors, 0 sets of provider tokens, 0 waiting sign-ins"
    return f"Sealed again: {none}, {deliveries}, 0 keys of imported hashes, {keys}."


def test_sessions_survive_a_change_of_the_master_key_by_a_rolling_restart(pair, fake_issuer):
    site = pair
    before = Person(site, fake_issuer, "before")
    asleep = Person(site, fake_issuer, "asleep")
    people = [before]
    for number, keys in enumerate([BOTH, BOTH[::-1]]):
        for index in (0, 1):
            restart(site, index, keys)
            sign_in_across(site, fake_issuer, f"during-{number}-{index}")
            for person in people:
                person.refresh()
        people.append(Person(site, fake_issuer, f"after-{number}"))

    # A mail of the former key, which is to be tried much later.
    code = put(site, due="now() + interval '1 hour'", lifetime="2 hours")
    for person in people:
        person.refresh()
    site.rows("DELETE FROM sign_in_flows")
    first = site.run("keys", "reseal")
    assert first.returncode == 3 and sealed_again("1 delivery", "3 signing keys") in first.stdout, first.stdout + first.stderr
    left = int(
        site.value(
            "SELECT count(*) FROM sessions WHERE token_key IS DISTINCT FROM (SELECT token_key FROM sessions ORDER BY refreshed_at DESC LIMIT 1)"
        )
    )
    assert left > 0 and f"Left: {left} session" in first.stdout
    # Sessions that are not used any more; `asleep` becomes active in time.
    site.rows(
        "UPDATE sessions SET ended_at = now(), end_reason = 'test' WHERE account_id IN (SELECT account_id FROM accounts WHERE email LIKE 'during-%')"
    )
    asleep.refresh()
    asleep.refresh()
    second = site.run("keys", "reseal")
    assert second.returncode == 0 and sealed_again("0 deliveries", "0 signing keys") in second.stdout, second.stdout + second.stderr
    assert "Nothing is left" in second.stdout

    for index in (0, 1):
        restart(site, index, {"file": "new.key"})
        for person in people + [asleep]:
            person.refresh()
    (site.folder / "master.key").unlink()
    sign_in_across(site, fake_issuer, "at-last")
    now(site)
    wait_until(
        lambda: any(code in file.read_bytes().replace(b"=\r\n", b"").decode() for file in (site.folder / "mails").glob("*.eml")),
        what="the mail",
    )
    alone = site.run("keys", "reseal")
    assert alone.returncode == 0 and "Nothing is left under another master key." in alone.stdout


def test_without_the_former_key_its_sessions_are_over(pair, fake_issuer):
    site = pair
    person = Person(site, fake_issuer, "late")
    for server in site.servers:
        assert server.stop() == 0
    site.servers.clear()
    site.rows("DELETE FROM signing_keys")
    site.rows("DELETE FROM session_cookie_keys")
    site.settings["masterKey"] = {"file": "new.key"}
    site.write()
    assert_error(site.serve().api().refresh(person.token), "TOKEN_EXPIRED")


@pytest.mark.parametrize(
    "keys, words",
    [
        ([{"file": "master.key"}, {"file": "master.key"}], "key 2 of the list is listed twice"),
        ([{"file": "master.key"}, {"file": "zeros.key"}], "key 2 of the list repeats the same few bytes"),
        ([{"file": "master.key"}, {"file": "gone.key"}], "masterKey[1]: the file"),
        ([{"file": "master.key"}, "plain"], "masterKey[1]: secrets come by reference only"),
        ([], "secrets come by reference only"),
    ],
    ids=["twice", "zeros", "missing", "in the file", "none"],
)
def test_a_list_of_keys_is_checked(keys, words):
    with a_site(settings={"masterKey": keys}, **FILES_ALONE) as site:
        write_secret(site.folder / "zeros.key", "0" * 64)
        report = site.run("check")
        assert report.returncode == 1 and words in report.stdout, report.stdout
        assert "1 fault." in report.stdout, report.stdout


def test_nothing_is_sealed_again_before_the_running_server_knows_the_new_key():
    with a_site() as site:
        write_secret(site.folder / "new.key", note(base64.b64encode(secrets.token_bytes(32)).decode()))
        server = site.serve()
        site.settings["masterKey"] = BOTH[::-1]
        site.write()
        sealed = site.rows("SELECT private_key FROM signing_keys ORDER BY kid")
        early = site.run("keys", "reseal")
        assert early.returncode == 1 and f"the server at 127.0.0.1:{site.port} does not know the first master key yet" in early.stderr
        assert site.rows("SELECT private_key FROM signing_keys ORDER BY kid") == sealed
        assert server.stop() == 0
        site.servers.clear()
        assert site.run("keys", "reseal").returncode == 0, "without a server there is none to wait for"
        site.serve()
        assert site.run("keys", "reseal").returncode == 0
