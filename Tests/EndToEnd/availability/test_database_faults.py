"""A database that is full, frozen or stingy with connections, and poolers before it."""

import re

import psycopg2
import pytest
import requests

from support.accounts import anonymous
from support.harness import free_port, wait_until
from support.names import GUESTS, TIMEOUT
from support.servers.postgres import a_cluster, a_pooler, cluster, frozen
from support.servers.site import a_site


def test_a_full_disk_answers_503_until_there_is_room():
    with a_site(project=GUESTS) as site:
        api = site.serve().api()
        site.rows(
            """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"""
        )
        site.rows("CREATE TRIGGER full_disk BEFORE INSERT ON accounts EXECUTE FUNCTION full_disk()")
        for _ in range(3):
            answer = anonymous(api)
            assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        site.rows("DROP TRIGGER full_disk ON accounts")
        assert anonymous(api).status_code == 200


def test_a_frozen_database_answers_503_long_before_a_statement_may_end():
    with a_cluster() as cluster:
        settings = {"databasePool": {"statementTimeout": "600s"}}
        with a_site(project=GUESTS, database=cluster.create(), settings=settings) as site:
            server = site.serve()
            assert anonymous(server.api()).status_code == 200
            with frozen(cluster):
                answers = [anonymous(server.api()) for _ in range(3)]
                ready = requests.get(site.url + "/health/ready", timeout=TIMEOUT)
            assert [answer.status_code for answer in answers] == [503] * 3
            assert all(int(answer.headers["retry-after"]) > 0 for answer in answers)
            assert ready.status_code == 503
            wait_until(lambda: anonymous(server.api()).status_code == 200, what="a sign-up")
            wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 200, what="readiness")


def test_every_loop_serves_where_the_role_may_have_few_connections():
    with a_site(project=GUESTS, settings={"loops": 2, "databasePool": {"wait": "60s"}}) as site:
        role = f"narrow_{site.port}"
        site.rows(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 5")
        site.rows(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
        site.rows(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}")
        site.database = site.database.replace("user=postgres", f"user={role}")
        server = site.serve()
        server.logged("the role's connection limit allows 5")
        made = [anonymous(server.api()).json() for _ in range(8)]
        # Each call on a connection of its own, so both loops get some.
        for account in made * 5:
            assert server.api().lookup(account["idToken"])["localId"] == account["localId"]
        server.stop()
        site.rows(f"DROP OWNED BY {role}")
        site.rows(f"DROP ROLE {role}")


@pytest.mark.parametrize("seconds, said", [(60, "ahead of"), (-60, "behind")])
def test_a_clock_that_differs_is_said_at_start_and_by_check(seconds, said):
    with a_site(project=GUESTS) as site:
        # The database's functions come before the server's own.
        name = site.value("SELECT current_database()")
        site.rows(
            f"CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.now() + interval '{seconds} s' $$"
        )
        site.rows(f"ALTER DATABASE {name} SET search_path = public, pg_catalog")
        told = re.compile(rf"The database's clock is (\d+) s {said} this machine's; synchronize both \(NTP\)\.")
        told_by_start = told.search(site.serve().logged("The database's clock"))
        told_by_check = told.search(site.run("check", "--live").stdout)
        for found in (told_by_start, told_by_check):
            assert 50 <= int(found[1]) <= 70
        site.rows("DROP FUNCTION public.clock_timestamp()")
        assert "clock is" not in site.serve(free_port()).log()


def test_a_pooler_by_session_works_and_keeps_the_guards():
    with a_pooler(cluster(), "session") as by_way_of:
        with a_site(project=GUESTS, settings={"databasePool": {"statementTimeout": "1s"}}) as site:
            direct, site.database = site.database, by_way_of(site.database)
            site.run("migrate", check=True)
            server = site.serve()
            made = [anonymous(server.api()).json() for _ in range(10)]
            assert all(server.api().lookup(account["idToken"])["localId"] == account["localId"] for account in made)
            holder = psycopg2.connect(direct)
            try:
                holder.cursor().execute("LOCK TABLE accounts")
                answer = server.api().call("lookup", {"idToken": made[0]["idToken"]})
                assert answer.status_code == 503, "the server ended the statement after a second"
            finally:
                holder.close()
            assert server.api().lookup(made[0]["idToken"])["localId"] == made[0]["localId"]


def test_a_pooler_by_transaction_is_refused_with_the_reason():
    with a_pooler(cluster(), "transaction") as by_way_of:
        with a_site(project=GUESTS, settings={"databasePool": {}}) as site:
            site.database = by_way_of(site.database)
            for command in ("migrate", "serve"):
                refused = site.run(command)
                assert refused.returncode != 0
                assert "pool_mode = session" in refused.stdout + refused.stderr
