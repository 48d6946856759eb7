"""A primary with a synchronous standby, under one connection string of libpq's: what was acknowledged survives the change."""

import threading

import pytest
import requests

from support.accounts import anonymous
from support.harness import wait_for_end, wait_until
from support.names import GUESTS, TIMEOUT
from support.servers.postgres import a_cluster, a_silent_host, a_standby, ask, both, frozen, promote
from support.servers.site import a_site

pytestmark = pytest.mark.long


@pytest.mark.parametrize("attributes", ["read-write", "primary"])
def test_a_failover_loses_nothing_that_was_acknowledged(attributes):
    with a_cluster() as primary:
        database = primary.create()
        with a_standby(primary) as standby:
            url = both(primary, standby, database, target_session_attrs=attributes)
            with a_site(project=GUESTS, database=url, settings={"databasePool": {}}) as site:
                server = site.serve()
                told, stop = [], threading.Event()

                def sign_up():
                    while not stop.is_set():
                        answer = anonymous(server.api())
                        assert answer.status_code in (200, 503), answer.text
                        if answer.status_code == 200:
                            told.append(answer.json())

                threads = [threading.Thread(target=sign_up) for _ in range(4)]
                for thread in threads:
                    thread.start()
                try:
                    wait_until(lambda: len(told) >= 30, what="thirty sign-ups")
                    primary.crash()
                    before = len(told)
                    promote(standby)
                    wait_until(lambda: len(told) >= before + 30, what="thirty more on the other server")
                finally:
                    stop.set()
                    wait_for_end(*threads)
                wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 200, what="readiness")
                stored = {row[0] for row in site.rows("SELECT account_id FROM accounts")}
                assert {answer["localId"] for answer in told} <= stored
                assert all(server.api().refresh(answer["refreshToken"]).status_code == 200 for answer in told[:: len(told) // 10])


def test_writes_find_the_primary_wherever_the_reads_go():
    with a_cluster() as primary:
        databases = {attributes: primary.create() for attributes in ("any", "prefer-standby", None)}
        with a_standby(primary) as standby:
            for attributes, database in databases.items():
                # The standby comes first, and has what the primary has acknowledged.
                more = {"target_session_attrs": attributes} if attributes else {}
                url = both(standby, primary, database, options="-c%20synchronous_commit%3Dremote_apply", **more)
                with a_site(project=GUESTS, database=url, migrate=False) as site:
                    site.run("migrate", check=True)
                    api = site.serve().api()
                    for _ in range(20):
                        made = anonymous(api).json()
                        assert api.lookup(made["idToken"])["localId"] == made["localId"], attributes


def moves(site, server, told):
    """Everything continues at the other server: earlier data is there, and so is new data."""

    def sign_up():
        answer = anonymous(server.api())
        return answer.json() if answer.status_code == 200 else None

    # Each loop of the server moves by itself.
    told = [*told, *(wait_until(sign_up, what="a sign-up on the other server") for _ in range(20))]
    ready = site.url + "/health/ready"
    wait_until(lambda: requests.get(ready, timeout=TIMEOUT).status_code == 200, what="readiness")

    def found(account):
        return server.api().call("lookup", {"idToken": account["idToken"]}).status_code == 200

    for account in told:
        wait_until(lambda: found(account), what="the account on the other server")


def test_a_primary_that_freezes_is_left_for_its_standby():
    with a_cluster() as primary:
        database = primary.create()
        with a_standby(primary) as standby:
            url = both(primary, standby, database, target_session_attrs="read-write")
            # No statement ends by itself here.
            with a_site(project=GUESTS, database=url, settings={"databasePool": {"statementTimeout": "600s"}}) as site:
                server = site.serve()
                told = [anonymous(server.api()).json() for _ in range(10)]
                with frozen(primary):
                    promote(standby)
                    moves(site, server, told)


def test_a_primary_that_is_demoted_is_left_for_the_new_one():
    with a_cluster() as primary:
        database = primary.create()
        with a_standby(primary) as standby:
            url = both(primary, standby, database, target_session_attrs="read-write")
            with a_site(project=GUESTS, database=url, settings={"databasePool": {}}) as site:
                server = site.serve()
                told = [anonymous(server.api()).json() for _ in range(10)]
                read_only(primary, "on")
                promote(standby)
                # The former primary continues to answer reads, and does not get the new data.
                moves(site, server, told)


def test_a_host_that_never_answers_is_passed_over():
    with a_silent_host() as silent:
        with a_site(project=GUESTS) as site:
            site.database = site.database.replace("host=", f"host={silent},")
            site.run("migrate", check=True)
            server = site.serve()
            made = [anonymous(server.api()).json() for _ in range(10)]
            assert all(server.api().lookup(account["idToken"])["localId"] == account["localId"] for account in made)


def test_a_read_only_database_answers_503_and_is_not_ready():
    with a_cluster() as cluster, a_site(project=GUESTS, database=cluster.create(), settings={"databasePool": {}}) as site:
        server = site.serve()
        made = anonymous(server.api()).json()
        read_only(cluster, "on")
        wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 503, what="503")
        for _ in range(12):
            answer = anonymous(server.api())
            assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        assert server.api().lookup(made["idToken"])["localId"] == made["localId"], "reads go on"
        read_only(cluster, "off")
        wait_until(lambda: anonymous(server.api()).status_code == 200, what="a sign-up")
        wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 200, what="readiness")


def read_only(cluster, value):
    ask(cluster, f"ALTER SYSTEM SET default_transaction_read_only = {value}")
    ask(cluster, "SELECT pg_reload_conf()")
