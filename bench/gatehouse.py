"""The server under test: its configuration, its start, and people who sign in."""

import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import processes
from processes import Failed, free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The variables that the server has in production. Others of systemd's forms (quotes, several in a line) are not read.
SERVICE = dict(re.findall(r"^Environment=(\w+)=(.*)$", (ROOT / "packaging/gatehouse.service").read_text(), re.MULTILINE))
assert "GLIBC_TUNABLES" in SERVICE
# One project for each algorithm; the id of a project is also the key of its apps.
PROJECTS = {"bench-es256": "ES256", "bench-rs256": "RS256"}
PEOPLE = 256
# The same two of the server in production mode.
LIVE_PROJECTS = {"live-es256": "ES256", "live-rs256": "RS256"}
# All clients have the same address here. The limits are counted as usual, but never reached.
LIMITS = """limits:
  signUp: {perAddress: 1000000 per 1s}
  password: {perAccountAndAddress: 1000000 per 1s, perAccount: 1000000 per 1s, perAddress: 1000000 per 1s}
  startSignIn: {perAddress: 1000000 per 1s, perProject: 1000000 per 1s}
  federatedSignIn: {perAddress: 1000000 per 1s, perProject: 1000000 per 1s}
"""


class Gatehouse:
    """A server in development mode, whose people sign in by the issuer, which speaks plain HTTP."""

    projects, mode = PROJECTS, "development: true\noutbound: {allow: [127.0.0.0/8]}\n"

    def __init__(self, binary, folder, database_url, issuer=None, more=""):
        """`more`: further lines of each project, such as older binaries do not know."""
        self._binary = binary
        self._folder = folder
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = {**SERVICE, "DATABASE_URL": database_url}
        (folder / "master.key").write_bytes(base64.b64encode(os.urandom(32)))
        (folder / "projects").mkdir()
        for number, (project, algorithm) in enumerate(self.projects.items(), 100_000_000_001):
            (folder / "projects" / f"{project}.yaml").write_text(
                f"project: {project}\nnumber: {number}\napiKeys: [{project}]\nauthorizedDomains: [127.0.0.1]\n"
                f"tokens: {{algorithm: {algorithm}}}\nsignIn: {{password: true, anonymous: true}}\n{LIMITS}"
                + (self._provider(issuer) if issuer else "")
                + more
            )
        self.environment["BENCH_CLIENT_SECRET"] = "unused"
        self.process = None
        self.log = folder / "server.log"

    @staticmethod
    def _provider(issuer):
        return (
            "redirectURLs: [http://127.0.0.1/app/]\n"
            f"providers:\n  oidc.bench:\n    name: Bench\n    issuer: {issuer.url}\n    clientId: {issuer.client_id}\n"
            "    clientSecret: {env: BENCH_CLIENT_SECRET}\n    userinfo: never\n"
        )

    def _public_url(self):
        return self.address

    def configuration(self, loops):
        path = self._folder / f"gatehouse-{loops}.yaml"
        path.write_text(
            f"listen: 127.0.0.1:{self.port}\npublicURL: {self._public_url()}\ndatabase: {{env: DATABASE_URL}}\n"
            f"masterKey: {{file: master.key}}\nprojects: projects\n"
            f"loops: {loops}\n{self.mode}accessLog: true\n"
            "limits: {connections: 20000, connectionsPerAddress: 20000}\n"
        )
        return path

    def migrate(self):
        self.command("migrate")

    def command(self, *words):
        """Runs a command of the server, and returns what it prints."""
        return processes.run([self._binary, *words, "--config", self.configuration(0)], env=self.environment)

    def start(self, loops=0, core=None, service=False, under=(), patience=20):
        """Seconds from the start of the process to the first 200 of /health/ready. `under` is a command that runs it, such as valgrind."""
        configuration = self.configuration(loops)
        with open(self.log, "ab") as log:
            begin = time.monotonic()
            command = [*under, self._binary, "serve", "--config", configuration]
            self.process = processes.start(command, core, log, self.environment, service)
        while self._readiness() != 200:
            if self.process.poll() is not None or time.monotonic() - begin > patience:
                raise Failed(f"the server did not start: {self.log.read_text(errors='replace')[-1500:]}")
            time.sleep(0.001)
        return time.monotonic() - begin

    def give_way(self):
        """Gives the server a tenth of the weight of any other service, as packaging/gatehouse.service does. On a kernel that does not group
        processes by session this changes nothing, and niceness is enough."""
        pathlib.Path(f"/proc/{self.process.pid}/autogroup").write_text("10")

    def stop(self):
        processes.stop(self.process)

    def forget_log(self):
        os.truncate(self.log, 0)

    def _readiness(self):
        try:
            return self.get("/health/ready")[0]
        except OSError:
            return None

    def get(self, path):
        return self._exchange(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10), "GET", path)

    def post(self, path, project, body, form=False):
        content = urllib.parse.urlencode(body) if form else json.dumps(body)
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        status, answer = self._exchange(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=10), "POST", f"{path}?key={project}", content, {"content-type": kind}
        )
        if status != 200:
            raise Failed(f"{path} answered {status}: {answer.decode(errors='replace')[:400]}")
        return json.loads(answer)

    @staticmethod
    def _exchange(connection, *request):
        try:
            connection.request(*request)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()

    def sign_in(self, issuer, project, count=PEOPLE):
        """Signs in this many people through the provider, and returns the answers."""

        def one(number):
            body = {
                "requestUri": "http://127.0.0.1",
                "returnSecureToken": True,
                "postBody": urllib.parse.urlencode({"id_token": issuer.id_token(f"person{number}"), "providerId": "oidc.bench"}),
            }
            return self.post("/v1/accounts:signInWithIdp", project, body)

        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(one, range(count)))


class LiveGatehouse(Gatehouse):
    """A server as in production, behind a proxy that says the addresses of its clients."""

    projects, mode = LIVE_PROJECTS, "trustedProxies: [127.0.0.1/32]\n"

    def _public_url(self):
        return "https://bench.example.com"


def live(bench):
    """Such a server on the database of `bench`."""
    folder = bench.folder / "live"
    folder.mkdir()
    house = LiveGatehouse(bench.options.binary, folder, bench.database.url)
    # The database has keys that the other server sealed.
    shutil.copy(bench.folder / "master.key", folder)
    return house
