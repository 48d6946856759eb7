"""Makes load: wrk, and a crowd of idle connections."""

import pathlib
import re
import socket
import time

import processes
from processes import Failed

SCRIPTS = pathlib.Path(__file__).resolve().parent
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}


class Load:
    """The results of one run of wrk."""

    def __init__(self, url, seconds, server, core=None, close=False, script=None, environment=None, connections=64):
        """`server` is the process whose CPU time is measured."""
        options = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
        if close:
            options += ["-H", "Connection: close"]
        if script:
            options += ["-s", SCRIPTS / script]
        before = processes.cpu_seconds(server)
        out = processes.run(["wrk", *options, url], core, environment).decode()
        cpu = processes.cpu_seconds(server) - before
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
        if bad:
            raise Failed(f"{url}: {bad[1]} answers were not 200")
        requests = int(re.search(r"(\d+) requests in", out)[1])
        if requests == 0:
            raise Failed(f"{url}: no answer at all")
        self.rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
        self.cpu = cpu / requests * 1e6
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", out).groups()
        self.p99 = float(number) * _UNITS[unit]


def idle_memory(port, pid, path, count):
    """The bytes by which the process grows for each of `count` connections that were used once and are now idle."""
    crowd = []
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()

    def join(number):
        for _ in range(number):
            client = socket.create_connection(("127.0.0.1", port), 10)
            crowd.append(client)
            client.sendall(request)
            if not client.recv(65536).startswith(b"HTTP/1.1 200"):
                raise Failed("an idle connection was not answered 200")

    try:
        # The first connections, and the work that a server does after its start, pay for what is allocated once.
        join(100)
        time.sleep(1)
        before = processes.memory(pid, "RssAnon")
        join(count - 100)
        return (processes.memory(pid, "RssAnon") - before) / (count - 100)
    finally:
        for client in crowd:
            client.close()
