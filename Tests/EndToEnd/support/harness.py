"""What the end-to-end tests stand on: a private PostgreSQL, the real binary, and configurations.

A `Site` is one configuration and one database; `site.serve()` runs one server of it, and several may run on the same database.
"""

import base64
import contextlib
import itertools
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import tempfile
import time

import psycopg2
import requests

from support.clients import API
from support.common import API_KEY, APPS, CLIENT_SECRET, NUMBER, PROJECT, TIMEOUT, logs, note

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("GATEHOUSE_BINARY") or ROOT / ".build/debug/gatehouse").absolute()


# ---------------------------------------------------------------------------------------------------------------------------------
# PostgreSQL


class Cluster:
    """A PostgreSQL server of our own, or the one that the test run made (`GATEHOUSE_TEST_DATABASE`)."""

    def __init__(self, folder, private=False):
        self.folder = None
        self.url = None if private else os.environ.get("GATEHOUSE_TEST_DATABASE")
        if not self.url:
            self.folder = pathlib.Path(folder)
            self.start()
        self.names = []
        self.migrated = None

    def start(self):
        script = [ROOT / "scripts/test-database", "start", self.folder, "--while", str(os.getpid())]
        self.url = subprocess.run(script, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout.strip()

    def stop(self):
        subprocess.run([ROOT / "scripts/test-database", "stop", self.folder], check=True, capture_output=True, timeout=TIMEOUT)

    def crash(self):
        """Ends it without a shutdown, so that the next start recovers."""
        pid = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        wait_until(lambda: not (self.folder / "data/postmaster.pid").exists(), what="the database's crash")

    def create(self, template="template1"):
        """A new database, like another one of this cluster; gives its URL."""
        name = f"e2e_{os.getpid()}_{next(counter)}"
        with contextlib.closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            connection.cursor().execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        self.names.append(name)
        address, mark, query = self.url.partition("?")
        return address.rpartition("/")[0] + "/" + name + mark + query

    def remove(self):
        if self.folder:
            subprocess.run([ROOT / "scripts/test-database", "remove", self.folder], capture_output=True, timeout=TIMEOUT)
            return
        with contextlib.closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            for name in self.names:
                connection.cursor().execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


counter = itertools.count(1)
home = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
_cluster = None


def cluster():
    """The shared one, made when it is first asked for."""
    global _cluster
    if _cluster is None:
        _cluster = Cluster(tempfile.mkdtemp(prefix="gatehouse-e2e-pg-"))
    return _cluster


# Ports that no outgoing connection is given by Linux, a share for each process that runs tests beside others.
PORTS_OF_A_WORKER = 2000
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
_ports = itertools.cycle(range(11000 + _worker * PORTS_OF_A_WORKER, 11000 + (_worker + 1) * PORTS_OF_A_WORKER))
for _ in range(os.getpid() * 7 % PORTS_OF_A_WORKER):
    next(_ports)


def free_port():
    """A port that nothing listens on. No two calls of a test run get the same one."""
    for port in itertools.islice(_ports, PORTS_OF_A_WORKER):
        with contextlib.closing(socket.socket()) as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("every port of this test run is taken")


def wait_until(condition, timeout=TIMEOUT, every=0.02, what="it"):
    """Waits for the event; the timeout only ends a test that hangs."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(every)
    raise AssertionError(f"{what} did not happen within {timeout} s")


# ---------------------------------------------------------------------------------------------------------------------------------
# Configurations and servers


def environment(**more):
    return {**os.environ, "CLIENT_SECRET": CLIENT_SECRET, **more}


# What mails are limited by, besides account, address and project.
MAILS = {"sendPasswordReset": "perAccountAndAddress", "sendSignInLink": "perAccountAndAddress", "sendVerification": "perMailbox"}
# Far above what any test does; tests of limits give their own: `project={"limits": limits(password={"perAccount": "3 per 1h"})}`.
GENEROUS = {
    **{action: {"perAddress": "1000000 per 1h"} for action in ("actionCode", "deleteAccount", "identify")},
    **{
        action: {"perAddress": "1000000 per 1h", "perProject": "1000000 per 1h"}
        for action in ("signUp", "startSignIn", "federatedSignIn", "customToken")
    },
    **{
        action: {scope: "1000000 per 1h" for scope in (second, "perAccount", "perAddress", "perProject")}
        for action, second in MAILS.items()
    },
    "update": {"perAccount": "1000000 per 1h", "perAddress": "1000000 per 1h"},
    "changeSignInMethods": {"perMailbox": "1000000 per 1h"},
    "password": {scope: "1000000 per 1h" for scope in ("perAccount", "perAccountAndAddress", "perAddress")},
}


def limits(**changes):
    """A project's `limits`: generous, but for these."""
    return {**GENEROUS, **{action: {**GENEROUS[action], **rates} for action, rates in changes.items()}}


def write_secret(file, text):
    """A file that only its owner can read."""
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_text(text + "\n")


class Site:
    """One configuration and one database. Files are JSON, which is YAML."""

    def __init__(self, providers=None, *, settings=None, project=None, others=None, database=None, migrate=True):
        note(CLIENT_SECRET)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=home))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        fresh = migrate and not database and cluster().migrated
        self.database = database or cluster().create(fresh or "template1")
        self.master_key = note(base64.b64encode(secrets.token_bytes(32)).decode())
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
            # Not the log, where development shows links that work: no log of these tests may hold a code.
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
        self.others = others or {}
        self.servers = []
        self.connection = None
        self.write()
        if migrate and not fresh:
            self.run("migrate", check=True)
            if not database:
                cluster().migrated, self.database = cluster().names[-1], cluster().create(cluster().names[-1])

    def write(self):
        (self.folder / "projects").mkdir(exist_ok=True)
        write_secret(self.folder / "master.key", self.master_key)
        self.config.write_text(json.dumps(self.settings, indent=1))
        (self.folder / "projects/demo.yaml").write_text(json.dumps(self.project, indent=1))
        for name, project in self.others.items():
            (self.folder / f"projects/{name}.yaml").write_text(json.dumps({"limits": GENEROUS, **project}, indent=1))

    @property
    def config(self):
        return self.folder / "gatehouse.yaml"

    @property
    def issuer(self):
        return f"{self.url}/{PROJECT}"

    def environment(self):
        return environment(DATABASE_URL=self.database)

    def run(self, *arguments, check=False, timeout=TIMEOUT):
        """A command to its end; its output goes among the logs."""
        command = [BINARY, *arguments, "--config", self.config]
        result = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=timeout)
        log = self.folder / f"command-{next(counter)}.log"
        log.write_text(result.stdout + result.stderr)
        logs.append(log)
        if check and result.returncode != 0:
            raise AssertionError(f"{arguments} failed: {result.stdout}{result.stderr}")
        return result

    def serve(self, port=None, wait=True, **options):
        """A server of this site: the public one, or another on a port of its own. Options are those of `Server`."""
        config = self.config
        if port and port != self.port:
            config = self.folder / f"gatehouse-{port}.yaml"
            config.write_text(json.dumps({**self.settings, "listen": f"127.0.0.1:{port}"}))
        operations = self.settings.get("operations", {}).get("listen")
        server = Server(config, port or self.port, self.environment(), self.folder, operations=operations, **options)
        self.servers.append(server)
        if wait:
            server.wait_ready()
        return server

    def rows(self, query, *values):
        """What a query answers; for a statement without an answer, how many rows it touched."""
        if self.connection is None or self.connection.closed:
            self.connection = psycopg2.connect(self.database)
            self.connection.autocommit = True
        with self.connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    def value(self, query, *values):
        return self.rows(query, *values)[0][0]

    def counts(self):
        """How much of everything is stored: what a refused sign-in must leave as it was."""
        tables = ("accounts", "identities", "sessions")
        return dict(zip(tables, self.rows("SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables))[0]))

    def close(self):
        for server in self.servers:
            server.kill()
        if self.connection is not None:
            self.connection.close()


class Server:
    """One running process."""

    def __init__(self, config, port, environment, folder, *, operations=None, through=(), stderr=subprocess.STDOUT):
        """`operations`: the address of its operations listener. `through`: a command that starts it. `stderr`: where its log goes."""
        self.url = f"http://127.0.0.1:{port}"
        self.operations = f"http://{operations}" if operations else self.url
        self.port = port
        self.log_path = folder / f"server-{port}-{next(counter)}.log"
        logs.append(self.log_path)
        with open(self.log_path, "wb") as log:
            # The server dies with the tests, however they end.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *through, BINARY, "serve", "--config", config],
                env=environment,
                stdout=log,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
            )

    def wait_ready(self, timeout=TIMEOUT):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
            with contextlib.suppress(requests.ConnectionError):
                return requests.get(self.operations + "/health/ready", timeout=TIMEOUT).status_code == 200

        wait_until(ready, timeout, what="readiness")
        return self

    def log(self):
        return self.log_path.read_text(errors="replace")

    def log_lines(self):
        """The whole lines, as JSON objects; one that is none is an error."""
        return [json.loads(line) for line in self.log().splitlines(keepends=True) if line.endswith("\n")]

    def logged(self, text, timeout=TIMEOUT):
        """Waits for a line that holds `text`, and gives it."""
        return wait_until(lambda: next((l for l in self.log().splitlines() if text in l), None), timeout, what=f"a log line with {text!r}")

    def metric(self, series):
        """The value of one series, which may be a second old; `None` when there is no such series."""
        text = requests.get(self.operations + "/metrics", timeout=10).text
        return next((float(line.split()[-1]) for line in text.splitlines() if line.startswith(series + " ")), None)

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, timeout=TIMEOUT):
        self.signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT)

    def api(self, key=API_KEY):
        return API(self.url, key)


@contextlib.contextmanager
def a_site(*arguments, **options):
    site = Site(*arguments, **options)
    try:
        yield site
    finally:
        site.close()
