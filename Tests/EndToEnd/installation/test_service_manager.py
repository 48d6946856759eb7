"""What the server tells its service manager, and the sockets that it takes over from it, without a systemd that runs."""

import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import threading

import pytest
import requests

from support.harness import BINARY, free_port, wait_until
from support.names import GUESTS, TIMEOUT
from support.servers.site import a_site

# The id of the process is known only to itself: what is meant for it is exported by the shell that it takes the place of.
OWN_PROCESS = ["bash", "-c", 'export LISTEN_PID=$$ WATCHDOG_PID=$$; if [ "$1" ]; then exec 3<&"$1"; fi; shift; exec "$@"', "bash"]


class Manager:
    """A service manager's end of `NOTIFY_SOCKET`."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace("@", "\0", 1))
        self.socket.settimeout(TIMEOUT)

    def next(self):
        """The lines of the next message that is not a sign of life alone."""
        while (message := self.socket.recv(4096).decode()) == "WATCHDOG=1":
            pass
        return dict(line.split("=", 1) for line in message.splitlines())

    def none_waits(self):
        self.socket.settimeout(0)
        try:
            return self.socket.recv(4096) == b"WATCHDOG=1"
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(TIMEOUT)


@contextlib.contextmanager
def a_manager(site, address=None, **variables):
    manager = Manager(address or str(site.folder / "notify"))
    site.variables = {"NOTIFY_SOCKET": manager.address, **variables}
    with contextlib.closing(manager.socket):
        yield manager


def through(descriptor=""):
    return [*OWN_PROCESS, str(descriptor)]


@pytest.mark.parametrize("address", ["path", "abstract"])
def test_the_manager_learns_of_the_start_of_reloads_and_of_the_stop(address):
    with a_site(project=GUESTS) as site:
        name = f"@gatehouse-test-{secrets.token_hex(8)}" if address == "abstract" else None
        with a_manager(site, name) as manager:
            server = site.serve(wait=False)
            assert manager.next() == {"READY": "1", "STATUS": f"serving 1 project on 127.0.0.1:{site.port}"}
            assert requests.get(f"{site.url}/health/ready", timeout=TIMEOUT).status_code == 200
            server.signal(signal.SIGHUP)
            begun, ended = manager.next(), manager.next()
            assert begun["RELOADING"] == "1" and int(begun["MONOTONIC_USEC"]) > 0
            assert ended["READY"] == "1" and "refused" not in ended["STATUS"]
            site.project["apiKeys"] = []
            site.write()
            server.signal(signal.SIGHUP)
            begun, ended = manager.next(), manager.next()
            assert "RELOADING" in begun and ended["READY"] == "1"
            assert ended["STATUS"].endswith("; the last reload was refused, see the log")
            assert manager.none_waits()
            assert server.stop() == 0
            assert manager.next()["STOPPING"] == "1"


def test_a_server_that_does_not_start_is_never_called_ready():
    with a_site(project=GUESTS) as site, a_manager(site) as manager:
        site.rows("DELETE FROM schema_migrations WHERE number = 1")
        assert site.run("serve").returncode == 1
        assert manager.none_waits()


def test_a_server_that_works_gives_signs_of_life():
    with a_site(project=GUESTS) as site, a_manager(site, WATCHDOG_USEC="400000") as manager:
        server = site.serve(wait=False, through=through())
        assert manager.next()["READY"] == "1"
        assert [manager.socket.recv(64) for _ in range(5)] == [b"WATCHDOG=1"] * 5
        assert server.stop() == 0


def test_a_watchdog_of_another_process_gets_no_sign():
    with a_site(project=GUESTS) as site, a_manager(site, WATCHDOG_USEC="1000", WATCHDOG_PID="1") as manager:
        server = site.serve()
        assert server.stop() == 0
        assert [set(message) for message in (manager.next(), manager.next())] == [{"READY", "STATUS"}, {"STOPPING", "STATUS"}]


# -- sockets


@contextlib.contextmanager
def a_socket(port, name="api"):
    """A listening socket, and the variables that hand it over."""
    with socket.create_server(("127.0.0.1", port), backlog=4096) as opened:
        os.set_inheritable(opened.fileno(), True)
        yield opened.fileno(), {"LISTEN_FDS": "1", "LISTEN_FDNAMES": name}


def serve(site, descriptor, **options):
    return site.serve(through=through(descriptor), descriptors=[descriptor], **options)


def test_a_restart_refuses_no_connection_while_the_manager_keeps_the_socket():
    # In development mode a stop closes idle connections at once, also one whose request is on its way.
    settings = {"loops": 2, "development": False, "publicURL": "https://auth.example.com", "outbound": {}}
    project = {**GUESTS, "authorizedDomains": ["auth.example.com"], "redirectURLs": []}
    with a_site(project=project, settings=settings) as site, a_socket(site.port) as (descriptor, variables):
        site.variables = variables
        server = serve(site, descriptor)
        told, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    told.append(requests.get(f"{site.url}/health/live", headers={"connection": "close"}, timeout=TIMEOUT).status_code)
                except requests.ConnectionError as error:
                    told.append(str(error))

        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        try:
            for _ in range(2):
                wanted = len(told) + 50
                wait_until(lambda wanted=wanted: len(told) > wanted, what="answers")
                assert server.stop() == 0
                server = serve(site, descriptor, wait=False)
            wanted = len(told) + 50
            wait_until(lambda: len(told) > wanted, what="answers of the last process")
        finally:
            stop.set()
            for client in clients:
                client.join(TIMEOUT)
        assert set(told) == {200}, set(told)


def test_every_loop_accepts_from_the_one_socket():
    with a_site(project=GUESTS, settings={"loops": 2}) as site, a_socket(site.port) as (descriptor, variables):
        site.variables = variables
        server = serve(site, descriptor)
        descriptors = f"/proc/{server.process.pid}/fd"
        inode = os.readlink(f"{descriptors}/3")
        assert [os.readlink(f"{descriptors}/{name}") for name in os.listdir(descriptors)].count(inode) >= 3
        assert [requests.get(f"{site.url}/health/live", timeout=TIMEOUT).status_code for _ in range(20)] == [200] * 20


def test_the_operations_listener_is_handed_over_as_well():
    operations = free_port()
    settings = {"operations": {"listen": f"127.0.0.1:{operations}"}}
    with a_site(project=GUESTS, settings=settings) as site, a_socket(operations, "operations") as (descriptor, variables):
        site.variables = variables
        server = serve(site, descriptor)
        assert "http_requests_total" in requests.get(f"{server.operations}/metrics", timeout=TIMEOUT).text
        assert site.run("reload").stdout == "reloaded\n"


@pytest.mark.parametrize(
    "name, settings, reason",
    [
        ("web", {}, "one has the name web; write FileDescriptorName=api, operations or console into its unit"),
        ("operations", {}, "and operations.listen is not configured"),
        ("api", {"listen": "127.0.0.1:1"}, "and listen says 127.0.0.1:1; write the same address into both"),
        ("api:api", {}, "LISTEN_FDNAMES does not name each socket"),
    ],
)
def test_sockets_that_do_not_fit_are_refused_with_the_remedy(name, settings, reason):
    with a_site(project=GUESTS, settings=settings) as site, a_socket(free_port(), name) as (descriptor, variables):
        site.variables = variables
        server = serve(site, descriptor, wait=False)
        assert server.process.wait(TIMEOUT) == 1
        assert reason in server.log(), server.log()


def test_systemd_starts_the_server_at_the_first_connection():
    assert shutil.which("systemd-socket-activate"), "the package systemd has it"
    with a_site(project=GUESTS) as site:
        command = ["systemd-socket-activate", f"--listen=127.0.0.1:{site.port}", "--fdname=api"]
        command += [f"--setenv={name}={value}" for name, value in site.environment().items() if name in ("DATABASE_URL", "CLIENT_SECRET")]
        log = open(site.folder / "activated.log", "wb")
        with log, subprocess.Popen([*command, BINARY, "serve", "--config", site.config], stdout=log, stderr=log) as process:
            try:
                wait_until(lambda: "Listening on" in (site.folder / "activated.log").read_text(), what="the open port")
                assert not re.search('"serving"', (site.folder / "activated.log").read_text())
                assert requests.get(f"{site.url}/health/ready", timeout=TIMEOUT).status_code == 200
            finally:
                process.send_signal(signal.SIGTERM)
            assert process.wait(TIMEOUT) == 0
