"""The end of a command: it waits for no thread, so nothing may be taken away under the threads that still run."""

import contextlib
import shutil
import socket
import subprocess
import threading

import pytest

from support.harness import BINARY
from support.names import TIMEOUT
from support.servers.site import a_site

# Loaded into the binary: its destructor runs in the exit handlers, where OpenSSL, too, frees what threads may still be using.
WITNESS = """
#include <unistd.h>
__attribute__((destructor)) static void witness(void) { if (write(2, "exit handlers ran\\n", 18)) {} }
"""


@pytest.fixture(scope="module")
def witness(tmp_path_factory):
    folder = tmp_path_factory.mktemp("witness")
    (folder / "witness.c").write_text(WITNESS)
    compiler = next(filter(None, map(shutil.which, ("cc", "clang"))))
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "witness.so", folder / "witness.c"], check=True)
    ran = subprocess.run(["true"], env={"LD_PRELOAD": str(folder / "witness.so"), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert ran.stderr == "exit handlers ran\n"
    return str(folder / "witness.so")


@contextlib.contextmanager
def a_database_that_hangs_in_the_handshake():
    """Accepts TLS, and never answers the client's first message of the handshake. Yields its URL and what was begun."""
    handshakes = []

    def hang(connection):
        with contextlib.suppress(OSError):
            connection.recv(8)
            connection.sendall(b"S")
            handshakes.append(connection.recv(4096))

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=hang, args=listener.accept()[:1], daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"postgresql://gatehouse:none@127.0.0.1:{listener.getsockname()[1]}/gatehouse?sslmode=require", handshakes
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("words", [["check", "--live"], ["doctor"], ["migrate"], ["users", "list", "demo"]])
def test_a_command_that_leaves_a_handshake_behind_runs_no_exit_handlers(witness, words):
    # On a busy machine, a second may end before the handshake begins.
    for wait in ("1s", "10s", "60s"):
        pool = {"databasePool": {"wait": wait}}
        with a_site(settings=pool) as site, a_database_that_hangs_in_the_handshake() as (site.database, handshakes):
            ended = subprocess.run(
                [BINARY, *words, "--config", site.config],
                env=site.environment() | {"LD_PRELOAD": witness},
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
            )
        if handshakes:
            break
    assert handshakes and handshakes[0][:1] == b"\x16", "no handshake of TLS has begun"
    assert ended.returncode in (1, 2) and ended.stdout + ended.stderr
    assert "exit handlers ran" not in ended.stderr


@pytest.mark.parametrize(("words", "status"), [(["--version"], 0), (["help"], 0), (["check"], 1), (["nonsense"], 64)])
def test_every_end_of_a_command_prints_all_of_its_text_and_runs_no_exit_handlers(witness, words, status, tmp_path):
    ended = subprocess.run([BINARY, *words], cwd=tmp_path, env={"LD_PRELOAD": witness}, capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == status and ended.stdout + ended.stderr
    assert "exit handlers ran" not in ended.stderr
