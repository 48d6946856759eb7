"""P15: how many calls of a test suite `gatehouse dev` answers a second, beside what Firebase's Auth emulator made of them.

The emulator's figures are of its own operations behind a bare router, in memory and without cryptography, measured once on a machine like that
of docs/performance.md: 64 connections, two cores for server and load together. It cannot be part of this run, since it needs Node.js and
packages of its own."""

import time

import processes
from gatehouse import PEOPLE, Gatehouse
from load import Load
from processes import Failed, free_port
from report import interleaved, median

# Requests a second: the better end of what the emulator made.
EMULATOR = {"sign-up": 6_100, "refresh": 7_200, "lookup": 8_400, "sign-in by password": 5_200}
PROJECT = "bench-development"


class Development(Gatehouse):
    """`gatehouse dev` with nothing but its defaults."""

    def __init__(self, binary, folder):
        self._binary = binary
        self._folder = folder
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.log = folder / "development.log"
        # PostgreSQL's socket is below it, and the path of a socket is short.
        self._temporary = folder / "t"
        self._temporary.mkdir()
        self._temporary.chmod(0o755)

    def start(self, patience=60):
        with open(self.log, "ab") as log:
            command = [self._binary, "dev", "--port", self.port, "--project", PROJECT]
            variables = {"TMPDIR": str(self._temporary)} if len(str(self._temporary)) <= 60 else {}
            self.process = processes.start(command, log=log, env=variables)
        end = time.monotonic() + patience
        while self._readiness() != 200:
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"gatehouse dev did not start: {self.log.read_text(errors='replace')[-1500:]}")
            time.sleep(0.01)

    def people(self):
        """Signs people up by the passwords that sign-in.lua sends; the answers."""
        return [
            self.post(
                "/v1/accounts:signUp",
                PROJECT,
                {"email": f"somebody{number}@example.com", "password": f"correct horse {number}", "returnSecureToken": True},
            )
            for number in range(1, PEOPLE + 1)
        ]


class DevelopmentMode:
    def __init__(self, bench):
        self._bench = bench
        self._house = Development(bench.options.binary, bench.folder)

    def measure(self):
        house, table = self._house, self._bench.table
        house.start()
        people = house.people()
        folder = self._bench.folder
        (folder / "development-id-tokens").write_text("".join(person["idToken"] + "\n" for person in people))
        (folder / "development-refresh").write_text("".join(f"{person['localId']} {person['refreshToken']}\n" for person in people))
        parts = {
            "sign-up": lambda: self._load("accounts:signUp", "sign-up.lua", BENCH_DIRECT="1"),
            "refresh": lambda: self._load("token", "refresh.lua", BENCH_TOKENS=str(folder / "development-refresh")),
            "lookup": lambda: self._load("accounts:lookup", "lookup.lua", BENCH_TOKENS=str(folder / "development-id-tokens")),
            "sign-in by password": lambda: self._load("accounts:signInWithPassword", "sign-in.lua", BENCH_PEOPLE=str(PEOPLE)),
        }
        runs = interleaved(self._bench.rounds, parts)
        house.stop()
        for name, figure in EMULATOR.items():
            rate = median([run.rate for run in runs[name]])
            table.ratio("P15", f"gatehouse dev, {name}", rate, figure, 1.00, "/s", "Firebase's emulator, once")

    def _load(self, call, script, **variables):
        url = f"{self._house.address}/v1/{call}"
        environment = {"BENCH_QUERY": f"key={PROJECT}", **variables}
        return Load(url, self._bench.seconds, self._house.process.pid, script=script, environment=environment)
