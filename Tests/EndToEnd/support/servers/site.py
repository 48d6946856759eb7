"""A `Site` is one configuration and one database; `site.serve()` runs one server of it, and several may run on the same database."""

import base64
import contextlib
import functools
import json
import os
import pathlib
import secrets
import signal
import subprocess
import tempfile
from urllib.parse import urlsplit

import psycopg2

from support.harness import BINARY, counter, free_port, home, wait_until
from support.leaks import logs, note
from support.names import API_KEY, APPS, CLIENT_SECRET, NUMBER, PROJECT, TIMEOUT
from support.servers.partitions import partition
from support.servers.postgres import cluster
from support.servers.server import Server

# Of all sites of this process: their databases are copies of one whose signing keys it seals.
MASTER_KEY = note(base64.b64encode(secrets.token_bytes(32)).decode())


def environment(**more):
    return {**os.environ, "CLIENT_SECRET": CLIENT_SECRET, **more}


# What mails are limited by, besides account, address and project.
MAILS = {
    "sendEmailCode": "perAccountAndAddress",
    "sendPasswordReset": "perAccountAndAddress",
    "sendSignInLink": "perAccountAndAddress",
    "sendVerification": "perMailbox",
}
# Far above the needs of any test; tests of limits set their own: `project={"limits": limits(password={"perAccount": "3 per 1h"})}`.
GENEROUS = {
    **{action: {"perAddress": "1000000 per 1h"} for action in ("actionCode", "deleteAccount", "identify")},
    **{
        action: {"perAddress": "1000000 per 1h", "perProject": "1000000 per 1h"}
        for action in ("signUp", "startSignIn", "federatedSignIn", "customToken", "migrateSession")
    },
    **{
        action: {scope: "1000000 per 1h" for scope in (second, "perAccount", "perAddress", "perProject")}
        for action, second in MAILS.items()
    },
    "update": {"perAccount": "1000000 per 1h", "perAddress": "1000000 per 1h"},
    "migratePassword": {"perAccount": "1000000 per 1h", "perAddress": "1000000 per 1h"},
    "migrateAccount": {"perAccount": "1000000 per 1h", "perProject": "1000000 per 1h"},
    "changeSignInMethods": {"perMailbox": "1000000 per 1h"},
    "emailCode": {scope: "1000000 per 1h" for scope in ("perAccount", "perAccountAndAddress", "perAddress")},
    "password": {scope: "1000000 per 1h" for scope in ("perAccount", "perAccountAndAddress", "perAddress")},
}


def limits(**changes):
    """A project's `limits`: generous, except for these."""
    return {**GENEROUS, **{action: {**GENEROUS[action], **rates} for action, rates in changes.items()}}


# For a site whose files are read, and no more: making a database takes longer than the reading.
FILES_ALONE = {"database": "postgresql:///none", "migrate": False}


def write_secret(file, text):
    """A file that only its owner can read."""
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_text(text + "\n")


class Site:
    """One configuration and one database. Files are JSON, which is YAML.

    `through`: a command that starts the site's processes. `variables`: more of their environment.
    """

    through = ()
    variables = {}

    def __init__(self, providers=None, *, settings=None, project=None, tenants=None, others=None, database=None, migrate=True):
        note(CLIENT_SECRET)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=home))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = database or (cluster().create_watched(prepared()) if migrate else cluster().create())
        self.master_key = MASTER_KEY
        self.page = f"http://127.0.0.1:{self.port}/app/"
        self.settings = {
            "listen": f"127.0.0.1:{self.port}",
            "publicURL": self.url,
            "database": {"env": "DATABASE_URL"},
            "masterKey": {"file": "master.key"},
            "projects": "projects",
            # A slow machine takes its time to open connections.
            "databasePool": {"wait": "60s"},
            "development": True,
            "outbound": {"allow": ["127.0.0.0/8"]},
            # Not into the log, which shows working links in development mode: no log of these tests may contain a code.
            "mail": {"transport": "file", "from": "Gatehouse <no-reply@gatehouse.example>", "folder": "mails"},
            "logLevel": "trace",
            **(settings or {}),
        }
        self.project = {
            "project": PROJECT,
            "number": int(NUMBER),
            "apiKeys": [API_KEY],
            "authorizedDomains": ["localhost", "127.0.0.1", "app.example.com"],
            "redirectURLs": [self.page, "https://app.example.com/signed-in?kept=1"],
            "tokens": {"issuer": "gatehouse"},
            "limits": GENEROUS,
            "apps": APPS,
            "providers": providers or {},
            **(project or {}),
        }
        # The tenants of the project, by their ids.
        self.tenants = tenants or {}
        self.others = others or {}
        self.servers = []
        self.connection = None
        self.write()
        if migrate and database:
            self.run("migrate", check=True)

    def write(self):
        (self.folder / "projects").mkdir(exist_ok=True)
        write_secret(self.folder / "master.key", self.master_key)
        self.config.write_text(json.dumps(self.settings, indent=1))
        (self.folder / "projects/demo.yaml").write_text(json.dumps(self.project, indent=1))
        if self.tenants:
            (self.folder / "projects/demo/tenants").mkdir(parents=True, exist_ok=True)
        for name, tenant in self.tenants.items():
            (self.folder / f"projects/demo/tenants/{name}.yaml").write_text(json.dumps({"limits": GENEROUS, **tenant}, indent=1))
        for name, project in self.others.items():
            (self.folder / f"projects/{name}.yaml").write_text(json.dumps({"limits": GENEROUS, **project}, indent=1))

    @contextlib.contextmanager
    def reloaded_with(self, **entries):
        """Gives the running server other entries of providers, and the present ones again afterwards."""
        before = dict(self.project["providers"])
        try:
            self.reload({**before, **entries})
            yield
        finally:
            self.reload(before)

    def reload(self, providers):
        """Gives the running servers these entries of providers."""
        self.project["providers"] = providers
        self.write()
        for server in self.servers:
            seen = server.log().count('"reloaded"')
            server.signal(signal.SIGHUP)
            wait_until(lambda: server.log().count('"reloaded"') > seen, what="the reload")

    @property
    def config(self):
        return self.folder / "gatehouse.yaml"

    @property
    def issuer(self):
        return f"{self.url}/{PROJECT}"

    def environment(self):
        return environment(DATABASE_URL=self.database, **self.variables)

    def run(self, *arguments, check=False, timeout=TIMEOUT, prints_secret=False):
        """Runs a command to its end; its output is kept with the logs, where it must not hold a secret that the tests saw."""
        command = [*self.through, BINARY, *arguments, "--config", self.config]
        result = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=timeout)
        log = self.folder / f"command-{next(counter)}.log"
        log.write_text(("" if prints_secret else result.stdout) + result.stderr)
        logs.append(log)
        if check and result.returncode != 0:
            raise AssertionError(f"{arguments} failed: {result.stdout}{result.stderr}")
        return result

    def serve(self, port=None, wait=True, **options):
        """A server of this site: the public one, or another one on a different port. Options are those of `Server`."""
        config = self.config
        if port and port != self.port:
            config = self.folder / f"gatehouse-{port}.yaml"
            config.write_text(json.dumps({**self.settings, "listen": f"127.0.0.1:{port}"}))
        operations = self.settings.get("operations", {}).get("listen")
        options.setdefault("through", self.through)
        server = Server(config, port or self.port, self.environment(), self.folder, operations=operations, **options)
        self.servers.append(server)
        if wait:
            server.wait_ready()
        return server

    def rows(self, query, *values):
        """The answer of a query; for a statement without an answer, the number of rows that it touched."""
        if self.connection is None or self.connection.closed:
            self.connection = psycopg2.connect(self.database)
            self.connection.autocommit = True
        with self.connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    def value(self, query, *values):
        return self.rows(query, *values)[0][0]

    def counts(self):
        """The number of stored rows of each kind, which a refused sign-in must not change."""
        tables = ("accounts", "identities", "sessions")
        return dict(zip(tables, self.rows("SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables))[0]))

    def close(self):
        for server in self.servers:
            server.kill()
        if self.connection is not None:
            self.connection.close()


@functools.cache
def prepared():
    """The name of the database that sites copy. It has the schema and signing keys: making those takes a server a third of a second. Its tables
    are split by project. `GATEHOUSE_NEWER_BINARY` names a later version, whose migrations it then has too (`scripts/test-previous`)."""
    site = Site(database=cluster().create())
    if newer := os.environ.get("GATEHOUSE_NEWER_BINARY"):
        subprocess.run([newer, "migrate", "--config", site.config], env=site.environment(), check=True, timeout=TIMEOUT)
    site.serve().stop()
    site.close()
    partition(site.database)
    return urlsplit(site.database).path[1:]


@contextlib.contextmanager
def a_site(*arguments, **options):
    site = Site(*arguments, **options)
    try:
        yield site
    finally:
        site.close()
