"""What the end-to-end tests stand on: a private PostgreSQL, the real binary, issuers to sign in with, and clients.

A `Site` is one configuration and one database; `site.serve()` runs one server of it, and several may run on the same database. A `WebFlow`
and a `ClientFlow` do what a plain browser app and a client with a session id do. Everything secret that passes through here is noted,
so that in the end a test can look for it in every log that was written (SEC-21).
"""

import base64
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import time
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import psycopg2
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("GATEHOUSE_BINARY") or ROOT / ".build/debug/gatehouse").absolute()
MIGRATIONS = ROOT / "Migrations"
API_KEY = "demo-api-key"
PROJECT = "demo"
NUMBER = "100000000001"
CLIENT_SECRET = "a-client-secret-" + secrets.token_hex(8)
TIMEOUT = 30

# ---------------------------------------------------------------------------------------------------------------------------------
# What may never be logged

issued: set[str] = set()
logs: list[pathlib.Path] = []
SECRET_FIELDS = {
    "idToken",
    "refreshToken",
    "pendingToken",
    "oauthIdToken",
    "oauthAccessToken",
    "oauthRefreshToken",
    "access_token",
    "id_token",
    "refresh_token",
    "code",
    "state",
    "code_verifier",
    "client_secret",
    "nonce",
    "sessionId",
}


def note(value):
    """Remembers a secret that the server gave out or was given; gives it back."""
    if isinstance(value, str) and len(value) >= 12 and not re.fullmatch("[0-9a-f]{64}", value):  # hashes are public
        issued.add(value)
    return value


def note_fields(fields):
    for name, value in fields.items() if isinstance(fields, dict) else fields:
        if name in SECRET_FIELDS:
            note(value)


def note_url(url):
    parts = urlsplit(url)
    note_fields(parse_qsl(parts.query))
    note_fields(parse_qsl(parts.fragment))
    return url


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
        self.url = subprocess.run(script, check=True, capture_output=True, text=True, timeout=120).stdout.strip()

    def stop(self):
        subprocess.run([ROOT / "scripts/test-database", "stop", self.folder], check=True, capture_output=True, timeout=60)

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
            subprocess.run([ROOT / "scripts/test-database", "remove", self.folder], capture_output=True, timeout=60)
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


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, timeout=15, every=0.02, what="it"):
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
            "migrations": str(MIGRATIONS),
            "development": True,
            "outbound": {"allow": ["127.0.0.0/8"]},
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
        (self.folder / "master.key").write_text(self.master_key + "\n")
        self.config.write_text(json.dumps(self.settings, indent=1))
        (self.folder / "projects/demo.yaml").write_text(json.dumps(self.project, indent=1))
        for name, project in self.others.items():
            (self.folder / f"projects/{name}.yaml").write_text(json.dumps(project, indent=1))

    @property
    def config(self):
        return self.folder / "gatehouse.yaml"

    @property
    def issuer(self):
        return f"{self.url}/{PROJECT}"

    def environment(self):
        return environment(DATABASE_URL=self.database)

    def run(self, *arguments, check=False, timeout=60):
        """A command to its end; its output goes among the logs."""
        command = [BINARY, *arguments, "--config", self.config]
        result = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=timeout)
        log = self.folder / f"command-{next(counter)}.log"
        log.write_text(result.stdout + result.stderr)
        logs.append(log)
        if check and result.returncode != 0:
            raise AssertionError(f"{arguments} failed: {result.stdout}{result.stderr}")
        return result

    def serve(self, port=None, wait=True):
        """A server of this site: the public one, or another on a port of its own."""
        config = self.config
        if port and port != self.port:
            config = self.folder / f"gatehouse-{port}.yaml"
            config.write_text(json.dumps({**self.settings, "listen": f"127.0.0.1:{port}"}))
        server = Server(config, port or self.port, self.environment(), self.folder)
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

    def __init__(self, config, port, environment, folder):
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.log_path = folder / f"server-{port}-{next(counter)}.log"
        logs.append(self.log_path)
        with open(self.log_path, "wb") as log:
            # The server dies with the tests, however they end.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", BINARY, "serve", "--config", config],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )

    def wait_ready(self, timeout=20):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
            with contextlib.suppress(requests.ConnectionError):
                return requests.get(self.url + "/health/ready", timeout=5).status_code == 200

        wait_until(ready, timeout, what="readiness")
        return self

    def log(self):
        return self.log_path.read_text(errors="replace")

    def log_lines(self):
        """The whole lines, as JSON objects; one that is none is an error."""
        return [json.loads(line) for line in self.log().splitlines(keepends=True) if line.endswith("\n")]

    def logged(self, text, timeout=5):
        """Waits for a line that holds `text`, and gives it."""
        return wait_until(lambda: next((l for l in self.log().splitlines() if text in l), None), timeout, what=f"a log line with {text!r}")

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, timeout=20):
        self.signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)

    def api(self, key=API_KEY):
        return API(self.url, key)


# ---------------------------------------------------------------------------------------------------------------------------------
# Clients


class API:
    """The JSON calls, as a client with an API key makes them."""

    def __init__(self, url, key=API_KEY):
        self.url = url
        self.key = key

    def post(self, path, body=None, *, key=..., session=requests, **options):
        key = self.key if key is ... else key
        params = {"key": key} if key is not None else {}
        if isinstance(body, dict):
            note_fields(body)
            options["json"] = body
        elif body is not None:
            options["data"] = body
        response = session.post(self.url + path, params=params, timeout=TIMEOUT, **options)
        with contextlib.suppress(ValueError):
            answer = response.json()
            if isinstance(answer, dict):
                note_fields(answer)
        return response

    def call(self, method, body):
        return self.post(f"/v1/accounts:{method}", body)

    def succeed(self, method, body):
        response = self.call(method, body)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("application/json")
        return response.json()

    def refresh(self, token, **options):
        return self.post("/v1/token", {"grantType": "refresh_token", "refreshToken": token}, **options)

    def lookup(self, id_token):
        users = self.succeed("lookup", {"idToken": id_token})["users"]
        assert len(users) == 1
        return users[0]


def assert_error(response, code, status=400):
    """The contract's error envelope, with this code; gives the whole message."""
    assert response.status_code == status, f"{response.status_code} {response.text}"
    assert response.headers["content-type"].startswith("application/json"), response.headers
    error = response.json()["error"]
    assert set(response.json()) == {"error"}
    assert error["code"] == status
    message = error["message"]
    assert message == code or message.startswith(code + " : ") or code.endswith("*") and message.startswith(code[:-1]), message
    assert error["errors"], "errors must not be empty"
    for item in error["errors"]:
        assert all(isinstance(value, str) for value in item.values()), "iOS casts every item to strings"
        assert item["message"] == message
        assert {"domain", "reason"} <= set(item)
    return message


def pkce():
    """A verifier and its S256 challenge."""
    verifier = note(secrets.token_urlsafe(32))
    return verifier, base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def query_of(url):
    note_url(url)
    fields = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    assert len(dict(fields)) == len(fields), f"a parameter twice: {url}"
    return dict(fields)


def rebased(url, server):
    """The same address at another server of the site, as a load balancer would have it."""
    parts = urlsplit(server.url)
    return urlunsplit(urlsplit(url)._replace(scheme=parts.scheme, netloc=parts.netloc))


class WebFlow:
    """A plain browser app: PKCE at the start, a redirect back with a one-time code, redemption with the verifier."""

    def __init__(self, site, provider, *, page=None, parameters=None):
        self.site = site
        self.provider = provider
        self.page = page or site.page
        self.verifier, self.challenge = pkce()
        self.state = note(secrets.token_urlsafe(16))
        self.browser = requests.Session()
        self.parameters = parameters or {}

    def start_query(self, **changes):
        query = {
            "apiKey": API_KEY,
            "providerId": self.provider,
            "redirectUrl": self.page,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": self.state,
        }
        if self.parameters:
            query["customParameters"] = json.dumps(self.parameters)
        return {name: value for name, value in {**query, **changes}.items() if value is not None}

    def start(self, server=None, headers=None, **changes):
        url = (server or self.site).url + "/__/auth/start"
        response = self.browser.get(url, params=self.start_query(**changes), allow_redirects=False, timeout=TIMEOUT, headers=headers)
        for cookie in self.browser.cookies:
            note(cookie.value)
        return response

    def authorization_url(self, server=None, **changes):
        response = self.start(server, **changes)
        assert response.status_code == 302, response.text
        return note_url(response.headers["location"])

    def callback(self, url, server=None, browser=None):
        return (browser or self.browser).get(rebased(url, server) if server else url, allow_redirects=False, timeout=TIMEOUT)

    def returned(self, url, server=None):
        """The address in the app that the callback ends at."""
        response = self.callback(url, server)
        assert response.status_code == 303, response.text
        return note_url(response.headers["location"])

    def body(self, url, **more):
        return {"requestUri": url, "sessionId": self.verifier, "returnSecureToken": True, **more}

    def redeem(self, url, server=None, **more):
        return (server or self.site.servers[0]).api().call("signInWithIdp", self.body(url, **more))

    def to_app(self, login, servers=(None, None)):
        """Start, provider's login by `login(url)`, callback; gives the address in the app."""
        return self.returned(login(self.authorization_url(servers[0])), servers[1])

    def run(self, login, **more):
        response = self.redeem(self.to_app(login), **more)
        assert response.status_code == 200, response.text
        return response.json()


class ClientFlow:
    """A client that starts by createAuthUri with a session id, and posts where the provider sent its browser."""

    def __init__(self, site, provider, *, continue_uri=None, session=None, parameters=None):
        self.site = site
        self.provider = provider
        self.continue_uri = continue_uri or site.url + "/__/auth/handler"
        self.session = session or note(secrets.token_urlsafe(24))
        self.parameters = parameters

    def start(self, **changes):
        body = {"providerId": self.provider, "continueUri": self.continue_uri, "sessionId": self.session, **changes}
        if self.parameters:
            body["customParameter"] = self.parameters
        return self.site.servers[0].api().call("createAuthUri", {name: value for name, value in body.items() if value is not None})

    def authorization_url(self):
        response = self.start()
        assert response.status_code == 200, response.text
        answer = response.json()
        assert answer["providerId"] == self.provider
        assert answer["sessionId"] == self.session
        return note_url(answer["authUri"])

    def redeem(self, url, server=None, **more):
        body = {"requestUri": note_url(url), "sessionId": self.session, "returnSecureToken": True, **more}
        return (
            (server or self.site.servers[0]).api().call("signInWithIdp", {name: value for name, value in body.items() if value is not None})
        )

    def run(self, login, **more):
        response = self.redeem(login(self.authorization_url()), **more)
        assert response.status_code == 200, response.text
        return response.json()


def flow_id(text):
    """A flow's number in the database, from the `flow` or `state` in an address."""
    encoded = text.rpartition(".")[2]
    return psycopg2.Binary(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))[:16])


def together(count, work):
    """Runs `work(index)` in threads that begin at the same moment; gives what each returned, or the exception it raised."""
    barrier = threading.Barrier(count)
    results = [None] * count

    def one(index):
        barrier.wait()
        try:
            results[index] = work(index)
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results
