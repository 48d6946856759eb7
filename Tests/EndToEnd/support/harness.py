"""The base of all end-to-end tests: the binary, ports of their own, and waiting for events."""

import contextlib
import itertools
import os
import pathlib
import socket
import tempfile
import threading
import time

from support.names import TIMEOUT

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("GATEHOUSE_BINARY") or ROOT / ".build/debug/gatehouse").absolute()
counter = itertools.count(1)
home = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
# Ports that Linux does not give to outgoing connections; each process that runs tests beside others has a share of them.
PORTS_OF_A_WORKER = 2000
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
_ports = itertools.cycle(range(11000 + _worker * PORTS_OF_A_WORKER, 11000 + (_worker + 1) * PORTS_OF_A_WORKER))
for _ in range(os.getpid() * 7 % PORTS_OF_A_WORKER):
    next(_ports)


def free_port():
    """A free port. No two calls of a test run get the same one."""
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
    wait_for_end(*threads)
    return results


def wait_for_end(*threads):
    """Waits until the threads have ended; the timeout only ends a test that hangs."""
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive(), f"a thread did not end within {TIMEOUT} s"
