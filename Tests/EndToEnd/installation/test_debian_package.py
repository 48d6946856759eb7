"""The Debian package: what is in it, and a machine on which it is installed, started, upgraded and purged."""

import contextlib
import hashlib
import json
import os
import secrets
import signal
import subprocess

import pytest
import requests

from support.clients.api import API
from support.harness import BINARY, ROOT, free_port, wait_until
from support.leaks import note
from support.names import API_KEY, GUESTS, TIMEOUT
from support.servers.chroot import ENVIRONMENT, Chroot, needs_own_libraries
from support.servers.site import Site

pytestmark = pytest.mark.long
MAINTAINER = "Ada Lovelace <ada@example.org>"


def make(folder):
    made = subprocess.run(
        [ROOT / "scripts/deb"],
        env={**os.environ, "GATEHOUSE_BINARY": str(BINARY), "OUTPUT": str(folder), "MAINTAINER": MAINTAINER},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    needs_own_libraries()
    return make(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def newer(package, tmp_path_factory):
    """The same package with a higher version."""
    folder = tmp_path_factory.mktemp("newer")
    subprocess.run(["dpkg-deb", "-R", package, folder / "root"], check=True)
    control = folder / "root/DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 9."))
    target = folder / "newer.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder / "root", target], check=True, capture_output=True)
    return target


def test_lintian_finds_nothing(package):
    result = subprocess.run(["lintian", "--allow-root", "--fail-on=error,warning", package], capture_output=True, text=True)
    assert result.returncode == 0 and "E:" not in result.stdout and "W:" not in result.stdout, result.stdout + result.stderr


def test_the_same_binary_gives_the_same_package(package, tmp_path):
    digests = {hashlib.sha256(open(file, "rb").read()).hexdigest() for file in (package, make(tmp_path))}
    assert len(digests) == 1


def test_the_manual_page_has_every_command(package, tmp_path):
    subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    text = subprocess.run(["zcat", tmp_path / "usr/share/man/man1/gatehouse.1.gz"], capture_output=True, text=True, check=True).stdout

    def paths(command, before=""):
        children = [child for child in command.get("subcommands", []) if child["commandName"] != "help"]
        for child in children:
            yield from paths(child, f"{before} {child['commandName']}")
        if not children:
            yield before.strip()

    described = json.loads(subprocess.run([BINARY, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)
    names = list(paths(described["command"]))
    assert len(names) > 40 and {"serve", "users list"} <= set(names)
    for name in names:
        assert ".SS \\fB" + name.replace("-", "\\-") + "\\fR\n" in text, name


class Installed:
    """A Debian with the package, configured for a database of this machine, and its server."""

    def __init__(self, package):
        self.debian = Chroot()
        self.site = Site(project=GUESTS, database=None, migrate=False)
        self.debian.share_socket_of(self.site.database)
        self.port = free_port()
        helpers = self.debian.root / "root/helpers"
        helpers.mkdir()
        os.chmod(helpers, 0o777)
        names = ["systemd-standalone-sysusers", "systemd-standalone-tmpfiles"]
        subprocess.run(["apt-get", "-qq", "download", *names], cwd=helpers, check=True, capture_output=True, timeout=TIMEOUT * 4)
        self.said = self.debian.install(*helpers.glob("*.deb"), package)

    def configure(self):
        file = self.debian.path("etc/gatehouse/gatehouse.yaml")
        text = file.read_text().replace("127.0.0.1:8080", f"127.0.0.1:{self.port}").replace("operations:", "# operations:")
        file.write_text(text)
        for name, secret in (("database.url", self.site.database), ("master.key", note(secrets.token_hex(32)))):
            self.debian.path(f"etc/gatehouse/{name}").write_text(secret + "\n")
            self.debian.run(
                "install", "-m", "600", "-o", "gatehouse", "-g", "gatehouse", f"/etc/gatehouse/{name}", f"/etc/gatehouse/{name}.new"
            )
            self.debian.run("mv", f"/etc/gatehouse/{name}.new", f"/etc/gatehouse/{name}")
        project = {**self.site.project, "authorizedDomains": ["app.example.com"], "redirectURLs": [], "apps": []}
        self.debian.path("etc/gatehouse/projects/demo.yaml").write_text(json.dumps(project))

    def gatehouse(self, *arguments):
        return self.debian.run("gatehouse", *arguments).stdout

    @contextlib.contextmanager
    def server(self):
        """The server as systemd starts it: its socket is open before."""
        run_as = ["setpriv", "--reuid=gatehouse", "--regid=gatehouse", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
        serve = self.debian.command(*run_as, "/usr/bin/gatehouse", "serve", "--config", "/etc/gatehouse/gatehouse.yaml")
        activate = ["systemd-socket-activate", f"--listen=127.0.0.1:{self.port}", "--fdname=api", f"--setenv=PATH={ENVIRONMENT['PATH']}"]
        with subprocess.Popen([*activate, *serve], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                url = f"http://127.0.0.1:{self.port}"

                def ready():
                    assert process.poll() is None, process.stderr.read()
                    with contextlib.suppress(requests.ConnectionError):
                        return requests.get(f"{url}/health/ready", timeout=TIMEOUT).ok

                wait_until(ready, what="readiness")
                yield API(url, API_KEY)
            finally:
                process.send_signal(signal.SIGTERM)
            assert process.wait(TIMEOUT) == 0

    def close(self):
        self.debian.close()
        self.site.close()


@pytest.fixture(scope="module")
def installed(package):
    installed = Installed(package)
    yield installed
    installed.close()


def test_it_installs_starts_upgrades_and_leaves_the_secrets(installed, newer):
    debian = installed.debian
    assert "gatehouse migrate" in installed.said, installed.said
    assert debian.run("id", "-un", "gatehouse").stdout.strip() == "gatehouse"
    status = debian.path("etc/gatehouse").stat()
    assert (status.st_uid, status.st_mode & 0o7777) == (0, 0o750)
    assert installed.site.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0, "the package migrates nothing"

    installed.configure()
    assert "The configuration is sound" in installed.gatehouse("check")
    assert "The schema is current" in installed.gatehouse("migrate")
    with installed.server() as api:
        kept = api.succeed("signUp", {"returnSecureToken": True})

    configuration = debian.path("etc/gatehouse/gatehouse.yaml").read_text()
    assert "gatehouse migrate" in debian.install(newer)
    assert debian.run("dpkg-query", "-W", "-f=${Version}", "gatehouse").stdout.startswith("9.")
    assert debian.path("etc/gatehouse/gatehouse.yaml").read_text() == configuration
    with installed.server() as api:
        assert api.succeed("lookup", {"idToken": kept["idToken"]})["users"][0]["localId"] == kept["localId"]

    debian.path("var/log/gatehouse").mkdir()
    assert "master key" in debian.run("dpkg", "--purge", "gatehouse").stdout
    gone = [
        "usr/bin/gatehouse",
        "usr/sbin/gatehouse",
        "lib/systemd/system/gatehouse.service",
        "etc/gatehouse/gatehouse.yaml",
        "var/log/gatehouse",
    ]
    assert [name for name in gone if debian.path(name).exists()] == []
    assert debian.path("etc/gatehouse/master.key").exists() and debian.path("etc/gatehouse/projects/demo.yaml").exists()
