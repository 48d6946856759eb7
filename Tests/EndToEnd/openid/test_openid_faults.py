"""The provider while its database fails or its keys change: no app is signed out by it."""

import contextlib
import threading

import jwt
import pytest
import requests

from support.harness import free_port, wait_for_end, wait_until
from support.jwts import claims
from support.leaks import note_fields
from support.names import TIMEOUT
from support.openid.checks import assert_transient
from support.openid.registrations import BASIC
from support.openid.relying_party import RelyingParty
from support.openid.site import OpenIDSite
from support.servers.postgres import a_cluster, frozen

pytestmark = pytest.mark.long


def ready(site):
    return requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 200


@pytest.mark.parametrize("fault", ["stopped", "frozen"])
def test_a_refresh_without_a_database_is_tried_again_later(fault):
    with a_cluster() as cluster:
        site = OpenIDSite(database=cluster.create(), settings={"databasePool": {"wait": "2s"}})
        try:
            site.serve()
            rp = RelyingParty(site.issuer, BASIC)
            signed_in = rp.sign_in(site.person(), scope="openid offline_access")
            token, access_token = signed_in.tokens["refresh_token"], signed_in.tokens["access_token"]
            code = rp.authorize(scope="openid")
            if site.connection:
                site.connection.close()

            def ask():
                assert_transient(rp.refresh(token), 503)
                assert_transient(rp.redeem(code), 503)
                # A frozen database does later what it was asked for.
                if fault == "stopped":
                    assert_transient(rp.revoke(token), 503)
                told = rp.userinfo(access_token)
                assert told.status_code == 503 and "www-authenticate" not in told.headers

            if fault == "frozen":
                with frozen(cluster):
                    ask()
            else:
                cluster.stop()
                try:
                    ask()
                finally:
                    cluster.start()
            wait_until(lambda: ready(site), what="readiness")
            wait_until(lambda: rp.userinfo(access_token).status_code == 200, what="userinfo")
            wait_until(lambda: rp.refresh(token).status_code == 200, what="a refresh with the same token")
        finally:
            site.close()


class Watch:
    """Refreshes at two servers in turn, and looks at once whether the other one publishes the keys of the new tokens."""

    def __init__(self, site, rp, token):
        self.urls = [server.url for server in site.servers]
        self.rp, self.token = rp, token
        self.seen, self.faults, self.done = [], [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.done.wait(0.02):
            for server, other in (self.urls, self.urls[::-1]):
                # One of them may just be restarting.
                with contextlib.suppress(requests.ConnectionError):
                    self.look(server, other)

    def look(self, server, other):
        form, headers = self.rp.credentials({"grant_type": "refresh_token", "refresh_token": self.token})
        answer = requests.post(f"{server}/demo/oauth2/token", data=form, headers=headers, timeout=TIMEOUT)
        if answer.status_code != 200:
            self.faults.append(answer.text)
            return
        note_fields(answer.json())
        self.token = answer.json()["refresh_token"]
        kids = {jwt.get_unverified_header(answer.json()[name])["kid"] for name in ("id_token", "access_token")}
        self.seen.append(kids)
        self.faults.extend(kids - published(other))

    def sees(self, kid):
        """Waits for a token by this key."""
        wait_until(lambda: self.faults or any(kid in kids for kids in self.seen), what="a token by the key")

    def stop(self):
        self.done.set()
        wait_for_end(self.thread)
        assert not self.faults, self.faults


def published(server):
    """The ids of the keys that the server at this address publishes."""
    return {key["kid"] for key in requests.get(f"{server}/demo/oauth2/jwks", timeout=TIMEOUT).json()["keys"]}


def restart(site, index):
    """The server reads the keys anew, which a running one does every minute."""
    former = site.servers[index]
    assert former.stop() == 0
    server = site.serve(former.port)
    site.servers.remove(server)
    site.servers[index] = server


def test_no_token_has_a_key_that_is_not_published():
    """The keys change while two servers give tokens."""
    site = OpenIDSite()
    try:
        site.serve()
        site.serve(free_port())
        rp = RelyingParty(site.issuer, BASIC)
        watch = Watch(site, rp, rp.sign_in(site.person(), scope="openid offline_access").tokens["refresh_token"])
        wait_until(lambda: watch.seen, what="the first tokens")
        (old,) = watch.seen[0]
        new = site.run("keys", "rotate", check=True).stdout.strip().split()[-1]
        for index in (0, 1):
            restart(site, index)
        assert all({old, new} <= published(server) for server in watch.urls)
        count = len(watch.seen)
        wait_until(lambda: watch.faults or len(watch.seen) > count + 4, what="more tokens")
        assert not [kids for kids in watch.seen if new in kids], "it is published before it signs"
        site.rows("UPDATE signing_keys SET signs_from = now() WHERE kid = %s", new)
        restart(site, 0)
        watch.sees(new)
        restart(site, 1)
        watch.stop()
        assert all({old, new} <= published(server) for server in watch.urls), "the former key stays for the tokens that it signed"
    finally:
        site.close()


def test_keys_do_not_change_at_a_restart():
    site = OpenIDSite()
    try:
        server = site.serve()
        rp = RelyingParty(site.issuer, BASIC)
        token = rp.sign_in(site.person()).tokens["id_token"]
        before = requests.get(rp.metadata["jwks_uri"], timeout=TIMEOUT)
        server.stop()
        site.servers.clear()
        site.serve()
        after = requests.get(rp.metadata["jwks_uri"], timeout=TIMEOUT)
        assert after.content == before.content and after.headers["etag"] == before.headers["etag"]
        assert rp.claims(token, claims(token)["nonce"])
        assert rp.authorize().pages == [], "nor does the person's session"
    finally:
        site.close()
