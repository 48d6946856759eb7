"""P6: how many sign-ins by password the cores allow, and what everybody else feels of a flood of them."""

import http.client
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import processes
from load import SCRIPTS, Load
from processes import CORES, Failed

PROJECT = "bench-es256"
PEOPLE = 32
# Below what the server takes in at a time (threads and queue), so that the flood is made of hashes and not of refusals.
FLOOD = 48
# Requests a second of the caller who only wants an answer: too few to take the cores from the flood.
PACE = 200


def sign_up(house):
    """People with passwords, as `sign-in.lua` knows them."""
    for number in range(1, PEOPLE + 1):
        house.post("/v1/accounts:signUp", PROJECT, {"email": f"person{number}@example.com", "password": f"correct horse {number}"})


def raw_rate(seconds):
    """Hashes a second of as many processes as there are cores, which do nothing else."""
    command = [sys.executable, SCRIPTS / "raw_scrypt.py", seconds]
    with ThreadPoolExecutor(len(CORES)) as pool:
        return sum(float(out) for out in pool.map(lambda _: processes.run(command), CORES))


def _options(house):
    return house.address + "/v1/accounts:signInWithPassword", {"BENCH_PEOPLE": str(PEOPLE), "BENCH_QUERY": f"key={PROJECT}"}


def sign_in(house, seconds):
    """Sign-ins a second, with as many people waiting as keeps the threads at work."""
    url, environment = _options(house)
    return Load(url, seconds, house.process.pid, script="sign-in.lua", environment=environment, connections=4 * len(CORES))


def hashes(house):
    """How many hashes the server has made."""
    status, text = house.get("/metrics")
    found = re.search(r"^gatehouse_hashing_seconds_count (\d+)$", text.decode(), re.M)
    if status != 200 or not found:
        raise Failed("/metrics does not tell of password hashes")
    return int(found[1])


def paced(house, method, path, body, seconds):
    """The 99th percentile, in ms, of requests that come at a fixed pace over one connection, each from the moment it was due."""
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    content = None if body is None else json.dumps(body)
    headers = {} if body is None else {"content-type": "application/json"}
    times = []
    try:
        begin = time.monotonic()
        for number in range(int(seconds * PACE)):
            due = begin + number / PACE
            time.sleep(max(0, due - time.monotonic()))
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
    """What a lookup and a GET take while nobody signs in."""

    def __init__(self, house, token, key_set, seconds):
        self.lookup = paced(house, "POST", "/v1/accounts:lookup?key=bench-rs256", {"idToken": token}, seconds)
        self.get = paced(house, "GET", key_set, None, seconds)


class Flood(Calm):
    """The same while people sign in as fast as they can, and how many hashes were made meanwhile."""

    def __init__(self, house, token, key_set, seconds):
        url, environment = _options(house)
        flood = processes.start(
            ["wrk", "-t1", f"-c{FLOOD}", f"-d{2 * seconds + 5}s", "-s", SCRIPTS / "sign-in.lua", url], env=environment)
        try:
            before = hashes(house)
            processes.wait_until(lambda: hashes(house) > before + 2 * len(CORES), "the flood of sign-ins")
            first, begin = hashes(house), time.monotonic()
            super().__init__(house, token, key_set, seconds)
            self.rate = (hashes(house) - first) / (time.monotonic() - begin)
        finally:
            processes.stop(flood)
