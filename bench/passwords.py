"""P6: how many sign-ins by password the cores allow, and how a flood of them affects other requests."""

import http.client
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import processes
from load import SCRIPTS
from processes import CORES, Failed

PROJECT = "bench-es256"
PEOPLE = 32
# Less than the server accepts at a time (threads and queue), so that the flood consists of hashes and not of refusals.
FLOOD = 48
# The requests per second of the caller who only wants an answer: too few to take the cores from the flood.
PACE = 200


def sign_up(house):
    """Creates people with passwords, as `sign-in.lua` expects them."""
    for number in range(1, PEOPLE + 1):
        house.post("/v1/accounts:signUp", PROJECT, {"email": f"somebody{number}@example.com", "password": f"correct horse {number}"})


def raw_rate(seconds):
    """The hashes per second of as many processes as there are cores, which do nothing else, at the niceness of the server's own threads."""
    command = ["nice", "-n", "19", sys.executable, SCRIPTS / "raw_scrypt.py", seconds]
    with ThreadPoolExecutor(len(CORES)) as pool:
        return sum(float(out) for out in pool.map(lambda _: processes.run(command), CORES))


def metric(text, name):
    found = re.search(rf"^{name} (\d+)$", text, re.M)
    if not found:
        raise Failed(f"/metrics does not tell {name}")
    return int(found[1])


def waiting(house):
    """The number of passwords that wait to be hashed."""
    return metric(house.get("/metrics")[1].decode(), "gatehouse_hashing_queue")


def answered(house):
    """The number of sign-ins by password that were answered (all must be 200), and the number of hashes."""
    text = house.get("/metrics")[1].decode()
    answers = re.findall(r'^http_requests_total\{([^}]*route="/v1/accounts:signInWithPassword"[^}]*)\} (\d+)$', text, re.M)
    if any('status="200"' not in labels for labels, _ in answers):
        raise Failed("a sign-in was not answered 200")
    return sum(int(count) for _, count in answers), metric(text, "gatehouse_hashing_seconds_count")


class Crowd:
    """People who sign in one after the other, from the time when the threads have enough to do until the end of a `with`."""

    def __init__(self, house, connections, seconds):
        self._house = house
        self._wrk = processes.start(
            [
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds + 15}s",
                "-s",
                SCRIPTS / "sign-in.lua",
                house.address + "/v1/accounts:signInWithPassword",
            ],
            env={"BENCH_PEOPLE": str(PEOPLE), "BENCH_QUERY": f"key={PROJECT}"},
        )

    def __enter__(self):
        before = answered(self._house)[0]
        processes.wait_until(lambda: answered(self._house)[0] > before + 2 * len(CORES), "the sign-ins")
        self._first, self._begin = answered(self._house), time.monotonic()
        return self

    def rates(self):
        """The sign-ins and hashes per second since the beginning."""
        last, passed = answered(self._house), time.monotonic() - self._begin
        return [(after - before) / passed for before, after in zip(self._first, last)]

    def __exit__(self, *_):
        processes.stop(self._wrk)
        # The server hashes everything that it has accepted, even if no client waits for it any more. That work belongs to this
        # measurement, not to the next.
        processes.wait_until(lambda: waiting(self._house) == 0, "the end of the hashes")
        time.sleep(0.2)


def sign_in(house, seconds):
    """The sign-ins per second, with enough people waiting to keep the threads busy."""
    with Crowd(house, 4 * len(CORES), seconds) as crowd:
        time.sleep(seconds)
        return crowd.rates()[0]


def paced(house, method, path, body, seconds):
    """The 99th percentile, in ms, of requests that come at a fixed pace over one connection.
    Each counts from the time it was due, so that a slow answer also delays those behind it. When this process itself is woken late, the
    following requests are delayed by the same time, since that is not the server's fault.
    """
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    content = None if body is None else json.dumps(body)
    headers = {} if body is None else {"content-type": "application/json"}
    times = []
    try:
        due = time.monotonic()
        for _ in range(int(seconds * PACE)):
            due += 1 / PACE
            early = due - time.monotonic()
            if early > 0:
                time.sleep(early)
                due = time.monotonic()
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise Failed(f"{path} answered {answer.status}")
            times.append(time.monotonic() - due)
    finally:
        connection.close()
    times.sort()
    return times[int(len(times) * 0.99)] * 1e3


class Calm:
    """The times of a lookup and of a GET without sign-ins."""

    def __init__(self, house, token, key_set, seconds):
        self.lookup = paced(house, "POST", "/v1/accounts:lookup?key=bench-rs256", {"idToken": token}, seconds)
        self.get = paced(house, "GET", key_set, None, seconds)


class Flood(Calm):
    """The same while people sign in as fast as they can, and the number of hashes meanwhile."""

    def __init__(self, house, token, key_set, seconds):
        with Crowd(house, FLOOD, 2 * seconds) as crowd:
            super().__init__(house, token, key_set, seconds)
            self.rate = crowd.rates()[1]
