"""Faults of an installation, by what is wrong: each with what plants it, the codes that doctor finds, and words of the remedy."""

import contextlib
import signal
import stat

import psycopg2

from support import planted_passkeys
from support.browser.front import Front
from support.certificates import of_any_name
from support.harness import free_port, wait_until
from support.planted_deliveries import a_late_mail, a_mail_that_nothing_deleted, a_stopped_endpoint
from support.planted_proxies import a_proxy_before, an_outer_proxy_that_passes_on_what_it_gets
from support.servers.postgres import cluster
from support.web_server import WebServer


def of_cluster(statement):
    with contextlib.closing(psycopg2.connect(cluster().url)) as connection:
        connection.autocommit = True
        connection.cursor().execute(statement)


def database_name(installation):
    return installation.value("SELECT current_database()")


# Each plants something and gives what takes it away again; `None` when the configuration is written anew anyway.


def settings(**changes):
    def plant(installation):
        # The file alone; the server goes on with what it read.
        before = dict(installation.settings)
        installation.settings.update(changes)
        installation.write()
        installation.settings = before

    return plant


def no_mail(installation):
    before = installation.settings
    installation.settings = {name: value for name, value in before.items() if name != "mail"}
    installation.write()
    installation.settings = before


def project(**changes):
    def plant(installation):
        before = dict(installation.project)
        installation.project.update(changes)
        installation.write()
        installation.project = before

    return plant


def mode(name, planted, sound):
    def plant(installation):
        file = installation.folder / name
        file.chmod(planted)
        return lambda: file.chmod(sound)

    return plant


def a_folder_that_others_can_write(installation):
    before = stat.S_IMODE(installation.folder.stat().st_mode)
    installation.folder.chmod(0o777)
    return lambda: installation.folder.chmod(before)


def rows(planted, sound):
    def plant(installation):
        assert installation.rows(planted), "nothing was planted"
        return lambda: installation.rows(sound)

    return plant


def of_database(planted, sound):
    def plant(installation):
        name = database_name(installation)
        of_cluster(f"ALTER DATABASE {name} {planted}")
        return lambda: of_cluster(f"ALTER DATABASE {name} {sound}")

    return plant


def another_database(make):
    def plant(installation):
        before = installation.database
        installation.database = make(before)
        return lambda: setattr(installation, "database", before)

    return plant


def soon(plant):
    """For a database that never answers as it should: the other tests wait for one that is slow, a minute."""

    def planted(installation):
        undo, before = plant(installation), installation.settings["databasePool"]
        installation.settings["databasePool"] = {"wait": "3s"}
        installation.write()

        def mend():
            installation.settings["databasePool"] = before
            undo()

        return mend

    return planted


def latin(url):
    """A database that cannot store most names."""
    name = "latin_" + url.partition("?")[0].rpartition("/")[2]
    of_cluster(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'")
    address, mark, query = url.partition("?")
    return address.rpartition("/")[0] + "/" + name + mark + query


def an_old_master_key(installation):
    new = installation.folder / "new.key"
    new.touch(mode=0o600)
    new.write_text("q2LZ1sQHcO1Gq8n5cYt7Vd0m3k9Xw4Jr6uTfBhZpEaI=\n")
    settings(masterKey=[{"file": "new.key"}, {"file": "master.key"}])(installation)


def a_lost_master_key(installation):
    kid, sealed = installation.rows("SELECT kid, private_key FROM signing_keys LIMIT 1")[0]
    installation.rows("UPDATE signing_keys SET private_key = 'nonsense' WHERE kid = %s", kid)
    return lambda: installation.rows("UPDATE signing_keys SET private_key = %s WHERE kid = %s", bytes(sealed), kid)


def an_old_key_of_a_service_account(installation):
    installation.run("service-accounts", "create", "demo", "old", check=True, prints_secret=True)
    installation.rows("UPDATE service_account_keys SET created_at = now() - interval '500 days'")
    return lambda: installation.rows("DELETE FROM service_accounts")


def a_project_without_a_file(installation):
    installation.rows(
        "INSERT INTO accounts (project_id, account_id, valid_since, created_at) VALUES ('forgotten', 'ada', date_trunc('second', now()), now())"
    )
    # As a server did that had its file.
    installation.rows("INSERT INTO projects VALUES ('forgotten')")
    return lambda: installation.rows("DELETE FROM accounts WHERE project_id = 'forgotten'")


def a_refused_reload(installation):
    file = installation.folder / "projects/broken.yaml"
    server = installation.servers[0]

    def reloaded(outcome):
        server.signal(signal.SIGHUP)
        wait_until(lambda: server.metric("gatehouse_config_last_reload_successful") == outcome, what="the reload")

    file.write_text("nonsense: [")
    reloaded(0)
    file.unlink()
    return lambda: reloaded(1)


def another_version(installation):
    """A server of another version at the operations listener."""
    metrics = b'gatehouse_build_info{version="0.0.1"} 1\n'

    def app(environment, start):
        start("200 OK", [("content-type", "text/plain")])
        return [metrics]

    web = WebServer(app)
    settings(operations={"listen": f"127.0.0.1:{web.server.port}"})(installation)
    return web.close


def a_certificate_of_a_day(installation):
    front = Front(installation.proxy.port, certificate=None)
    installation.certificate, before = of_any_name(), installation.certificate
    front.target = installation.port
    settings(publicURL=f"https://localhost:{front.port}")(installation)

    def sound():
        installation.certificate = before
        front.close()

    return sound


def a_proxy_that_writes_no_header(installation):
    front = Front(installation.port, certificate=installation.certificate)
    settings(publicURL=f"https://localhost:{front.port}")(installation)
    return front.close


def mail(**changes):
    return settings(mail={"from": "no-reply@example.com", **changes})


def mails_in_an_open_folder(installation):
    folder = installation.folder / "mails"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o757)
    mail(transport="file", folder="mails")(installation)


PLANTED = {
    **planted_passkeys.PLANTED,
    "a key that does not exist": (settings(lisen="127.0.0.1:1"), {"configuration.fault"}, "lisen"),
    "a secret that others can read": (mode("master.key", 0o644, 0o600), {"configuration.note"}, "chmod 600"),
    "a file that others can write": (mode("projects/demo.yaml", 0o666, 0o644), {"files.writable"}, "demo.yaml"),
    "a folder in which others can put files": (a_folder_that_others_can_write, {"files.writable"}, "chmod o-w "),
    "a folder of mails that is open": (mails_in_an_open_folder, {"files.mails", "mail.kept"}, "chmod 750"),
    "a log that cannot be written": (settings(log={"path": "nowhere/log"}), {"files.log"}, "nowhere/log"),
    "development mode": (
        settings(development=True, trustedProxies=[]),
        {"settings.development", "publicURL.proxy"},
        "developer's machine",
    ),
    "no trusted proxy": (settings(trustedProxies=[]), {"settings.proxies", "publicURL.proxy"}, "addresses of the proxy"),
    "metrics for everyone": (lambda i: settings(listen=f"0.0.0.0:{i.port}")(i), {"settings.operations"}, "operations.listen"),
    "hashes that need all memory": (
        settings(passwordHashing={"threads": 256, "scrypt": {"cost": 18}}),
        {"settings.hashing"},
        "passwordHashing.threads",
    ),
    "few connections": (settings(limits={"connections": 100}), {"settings.connections"}, "LimitNOFILE"),
    "a limit that is switched off": (
        project(limits={"password": {"perAccount": "none"}}),
        {"settings.limits"},
        "limits",
    ),
    "passwords without mail": (no_mail, {"settings.mail"}, "gatehouse.yaml"),
    "no database": (soon(another_database(lambda url: url.replace("/e2e_", "/gone_e2e_"))), {"database.unreachable"}, "CREATE DATABASE"),
    "a database without the schema": (
        another_database(lambda url: cluster().create()),
        {"database.schema"},
        "does not start",
    ),
    "a database of another encoding": (another_database(latin), {"database.encoding", "database.schema"}, "UTF8"),
    "a migration that was edited": (
        rows(
            "UPDATE schema_migrations SET sha256 = 'edited ' || sha256 WHERE number = 1",
            "UPDATE schema_migrations SET sha256 = substr(sha256, 8) WHERE number = 1",
        ),
        {"database.schema", "server.notReady"},
        "",
    ),
    "a migration of the future": (
        rows(
            "INSERT INTO schema_migrations (number, name, sha256) VALUES (9999, '9999_later.sql', 'x')",
            "DELETE FROM schema_migrations WHERE number = 9999",
        ),
        {"database.schema", "server.notReady"},
        "",
    ),
    "a database that takes no writes": (
        # For the doctor alone: a server that opens a connection meanwhile would find out, too, and not be ready.
        soon(another_database(lambda url: url + "&options=-c%20default_transaction_read_only%3Don")),
        {"database.readOnly"},
        "primary",
    ),
    "another isolation": (
        of_database("SET default_transaction_isolation = 'serializable'", "RESET default_transaction_isolation"),
        {"database.isolation"},
        "read committed",
    ),
    "commits that a crash undoes": (
        of_database("SET synchronous_commit = off", "RESET synchronous_commit"),
        {"database.commits"},
        "set it to on",
    ),
    "too few connections to the database": (
        of_database("CONNECTION LIMIT 20", "CONNECTION LIMIT -1"),
        {"database.connections"},
        "databasePool",
    ),
    "a table that is never cleaned": (
        rows("ALTER TABLE signing_keys SET (autovacuum_enabled = false)", "ALTER TABLE signing_keys RESET (autovacuum_enabled)"),
        {"database.vacuum"},
        "autovacuum_enabled",
    ),
    "a table that is not distributed": (
        rows(
            # As Citus has it.
            'CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", colocationid integer)',
            "DROP TABLE pg_dist_partition",
        ),
        {"database.distribution"},
        "docs/scaling.md",
    ),
    "an index whose build failed": (
        rows(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'accounts_email'::regclass",
            "UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'accounts_email'::regclass",
        ),
        {"database.indexes"},
        "REINDEX",
    ),
    "texts that are sorted in another way": (
        rows(
            "UPDATE pg_database SET datcollversion = '1' WHERE datname = current_database()",
            "UPDATE pg_database SET datcollversion = NULL WHERE datname = current_database()",
        ),
        {"database.collation"},
        "REINDEX",
    ),
    "a master key that is lost": (a_lost_master_key, {"data.masterKey"}, "If it is lost, docs/operations/keys.md"),
    "a master key that is being changed": (
        an_old_master_key,
        # The running server does not know the new key.
        {"settings.masterKey", "data.sealed", "publicURL.elsewhere"},
        "keys reseal",
    ),
    "an old signing key": (
        rows(
            "UPDATE signing_keys SET signs_from = signs_from - interval '500 days' WHERE algorithm = 'RS256'",
            "UPDATE signing_keys SET signs_from = signs_from + interval '500 days' WHERE algorithm = 'RS256'",
        ),
        {"data.signingKey"},
        "keys rotate --purpose idToken --algorithm RS256",
    ),
    "an old key of a service account": (an_old_key_of_a_service_account, {"data.serviceAccountKey"}, "revoke"),
    "a mail that waits": (a_late_mail, {"data.mails"}, "mails list"),
    "an endpoint that is gone": (a_stopped_endpoint, {"data.events"}, "gatehouse events test demo crm"),
    "no cleanup": (a_mail_that_nothing_deleted, {"data.leftovers"}, "could not clean up"),
    "a password hash of another system": (
        rows(
            "INSERT INTO accounts (project_id, account_id, email, valid_since, created_at, password_hash, password_updated_at)"
            " VALUES ('demo', 'imported', 'imported@example.com', '2020-01-01', '2020-01-01', '$2b$10$x', '2020-01-01')",
            "DELETE FROM accounts WHERE account_id = 'imported'",
        ),
        {"data.importedHashes"},
        "1 by bcrypt",
    ),
    "a project without a file": (a_project_without_a_file, {"data.project"}, "file"),
    "a provider that is away": (
        lambda i: project(
            providers={
                "oidc.away": {
                    "issuer": f"https://127.0.0.1:{free_port()}",
                    "clientId": "gatehouse",
                    "clientSecret": {"env": "CLIENT_SECRET"},
                }
            }
        )(i),
        {"provider.refused"},
        "oidc.away",
    ),
    "a mail server that is away": (
        lambda i: mail(smtp={"host": "127.0.0.1", "port": free_port(), "security": "none"})(i),
        {"mail.refused"},
        "mail.smtp",
    ),
    "mails that go nowhere": (mail(transport="log"), {"mail.kept"}, "smtp"),
    "no server": (lambda i: settings(listen=f"127.0.0.1:{free_port()}")(i), {"server.absent"}, "start it"),
    "a server of another version": (another_version, {"server.version"}, "restart"),
    "a reload that was refused": (a_refused_reload, {"server.reload"}, "gatehouse reload"),
    "a name that leads nowhere": (
        lambda i: settings(publicURL=f"https://localhost:{free_port()}")(i),
        {"publicURL.unreachable"},
        "firewall",
    ),
    "a proxy that leads elsewhere": (a_proxy_before("404 Not Found", b"Welcome to another server"), {"publicURL.elsewhere"}, "proxy"),
    "a proxy that leads to other keys": (
        a_proxy_before("200 OK", b'{"keys": [{"kid": "of another database"}]}'),
        {"publicURL.elsewhere", "publicURL.keys"},
        "this database",
    ),
    "a proxy that does not reach the server": (a_proxy_before("502 Bad Gateway", b""), {"publicURL.gateway"}, "start the server"),
    "a certificate that ends": (
        a_certificate_of_a_day,
        # This front passes the headers of clients on.
        {"publicURL.certificate", "publicURL.header", "publicURL.forged"},
        "renew",
    ),
    "a proxy that writes no header": (a_proxy_that_writes_no_header, {"publicURL.header", "publicURL.forged"}, "anew"),
    "an outer proxy that passes on what it gets": (an_outer_proxy_that_passes_on_what_it_gets, {"publicURL.forged"}, "outermost"),
}
