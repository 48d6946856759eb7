"""`gatehouse check --live`: it asks the database and each provider, and names what is wrong there."""

import contextlib
import secrets

import psycopg2
import pytest

from support.harness import free_port
from support.leaks import note
from support.names import TIMEOUT
from support.servers.postgres import cluster
from support.servers.site import a_site, write_secret

# -- live: the database


def live(site):
    result = site.run("check", "--live")
    return result.returncode, [line for line in result.stdout.splitlines() if line.startswith("database  ")]


def test_live_asks_the_database(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, settings={"databasePool": {}}) as site:
        assert live(site) == (0, ["database  ok"])
        site.database = site.database.replace("/e2e_", "/gone_e2e_")
        status, (line,) = live(site)
        assert status == 1 and "does not exist" in line


def test_live_asks_whether_the_database_has_the_schema(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, settings={"databasePool": {}}) as site:
        site.rows("DROP SCHEMA public CASCADE")
        site.rows("CREATE SCHEMA public")
        status, (line,) = live(site)
        assert status == 0 and line.startswith("database  the database is behind by ") and line.endswith("run `gatehouse migrate`"), line


@pytest.mark.parametrize("is_behind", [False, True], ids=["current", "behind"])
def test_another_master_key_than_the_databases_is_found_before_anything_is_done(is_behind):
    """As when a backup is restored beside the key of another installation: nothing of it can be opened."""
    with a_site(settings={"databasePool": {}}) as site:
        if is_behind:
            site.rows("DELETE FROM schema_migrations WHERE number > 21")
        site.master_key = note(secrets.token_hex(32))
        site.write()
        kid = site.value("SELECT min(kid) FROM signing_keys")
        remedy = "list in masterKey the key that sealed them"
        status, lines = live(site)
        (told,) = [line for line in lines if "No listed master key opens the signing keys" in line]
        assert status == 1 and kid in told and remedy in told
        before = site.rows("SELECT number FROM schema_migrations")
        refused = site.run("migrate")
        assert refused.returncode == 1 and "nothing was migrated" in refused.stderr and remedy in refused.stderr
        assert site.rows("SELECT number FROM schema_migrations") == before
        if not is_behind:
            started = site.run("serve", timeout=TIMEOUT)
            assert started.returncode == 1 and "was sealed with another master key" in started.stderr and remedy in started.stderr


def test_live_compares_the_connections_with_the_limits(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, settings={"loops": 3}) as site:
        assert live(site) == (0, ["database  ok"])
        with contextlib.closing(psycopg2.connect(cluster().url)) as connection:
            connection.autocommit = True
            name = site.value("SELECT current_database()")
            connection.cursor().execute(f"ALTER DATABASE {name} CONNECTION LIMIT 20")
        status, (line,) = live(site)
        assert status == 1 and "may open 33 connections" in line and "the database's connection limit allows 20" in line


@pytest.mark.parametrize(
    "url, remedy",
    [
        ("postgresql://gatehouse@127.0.0.1:{port}/gatehouse", "start PostgreSQL, let it listen at this address"),
        ("postgresql://gatehouse@no-such-host.invalid/gatehouse", "correct the host in database"),
        ("postgresql:///gatehouse?host=/nowhere&user=gatehouse", "correct the folder of its socket"),
        ("{own}&user=no_such_role", "make the role with CREATE ROLE"),
    ],
)
def test_a_database_that_is_not_reached_has_the_remedy_for_its_cause(url, remedy):
    with a_site(settings={"databasePool": {}}) as site:
        site.database = url.format(port=free_port(), own=site.database.replace("&user=postgres", ""))
        status, (line,) = live(site)
        assert status == 1 and remedy in line, line
        started = site.run("serve", timeout=TIMEOUT)
        assert started.returncode == 1 and remedy in started.stderr, started.stderr


# -- live: providers


def told_of(provider, result):
    """The first line about a provider; one with its redirect URI follows."""
    return next(line for line in result.stdout.splitlines() if f"  {provider}  " in line)


def test_live_asks_whether_an_issuer_accepts_the_client(fake_issuer):
    endpoints = {
        name: f"{fake_issuer.url}/{path}" for name, path in {"authorization": "authorize", "token": "token", "jwks": "jwks"}.items()
    }
    entries = {
        "oidc.right": fake_issuer.entry(),
        "oidc.client": fake_issuer.entry(clientId="another"),
        "oidc.written": fake_issuer.entry(endpoints=endpoints, clientId="another"),
    }
    with a_site(entries) as site:
        secret = site.folder / "secret"
        write_secret(secret, "another secret")
        site.project["providers"]["oidc.secret"] = fake_issuer.entry(clientSecret={"file": str(secret)})
        site.write()
        result = site.run("check", "--live")
        told = {name: told_of(f"oidc.{name}", result) for name in ("right", "client", "written", "secret")}
        assert told["right"].endswith("  ok")
        assert "  -> make a new secret at the provider" in result.stdout
        for name in ("client", "written", "secret"):
            assert (
                f"oidc.{name}  The provider does not accept clientId and clientSecret." in told[name] and "invalid_client" in told[name]
            ), told
        first, *_, last = result.stdout.splitlines()
        assert result.returncode == 1 and first == "The configuration is sound in itself: 1 project." and last == "3 problems.", (
            result.stdout
        )


def test_live_names_who_does_not_answer(fake_issuer):
    endpoints = {name: f"{fake_issuer.url}/{name}" for name in ("authorization", "jwks")} | {
        "token": f"http://127.0.0.1:{free_port()}/token"
    }
    with a_site({"oidc.fake": fake_issuer.entry(endpoints=endpoints)}) as site:
        fake_issuer.answers["jwks"] = fake_issuer.jwks
        line = next(line for line in site.run("check", "--live").stdout.splitlines() if "token endpoint" in line)
        assert line.startswith(f"demo  oidc.fake  The token endpoint {endpoints['token']} cannot be reached: "), line


def test_live_notes_an_issuer_that_another_could_be_taken_for(fake_issuer):
    own = fake_issuer.entry(ownCallback=True)
    with a_site({"oidc.fake": fake_issuer.entry(), "oidc.own": own}) as site:
        result = site.run("check", "--live")
        notes = [line for line in result.stdout.splitlines() if line.startswith("note: ") and "ownCallback: true" in line]
        assert result.returncode == 0 and "demo  oidc.fake  ok" in result.stdout, "it is no problem"
        assert len(notes) == 1 and notes[0].startswith("note: demo  oidc.fake  ") and "RFC 9207" in notes[0], result.stdout
        fake_issuer.discovery_extra = {"authorization_response_iss_parameter_supported": True}
        assert "ownCallback" not in site.run("check", "--live").stdout
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        fake_issuer.discovery_extra = {}
        assert "ownCallback" not in site.run("check", "--live").stdout, "a provider that is alone"
