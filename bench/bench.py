"""Runs the measurements in order. `bench/run` builds the binary and calls this with its path."""

import argparse
import os
import pathlib
import sys

import code_flow
import load
import passwords
import processes
from administrator import Administrator
from brokered import BrokeredSignIns
from database import Database, Statement, seed
from development import DevelopmentMode
from gatehouse import PEOPLE, Gatehouse, live
from glewlwyd import Glewlwyd
from imports import Imports
from issuer import Issuer
from load import Load
from nginx import Nginx
from openssl import left_by_rsa, signatures
from processes import LOAD_CORE, SERVER_CORE, Failed
from report import Table, interleaved, median
from searches import Searches
from sign_ups import SignUps
from tenants import ManyTenants
from workspace import workspace

KEY_SET = "/bench-rs256/oauth2/jwks"
IDLE_CONNECTIONS = 10_000
# P3 and P6 have this many times the rounds of the others: they vary more, and are nearer to their targets.
MORE = 3


class Bench:
    def __init__(self, options, folder):
        self.options, self.rounds, self.seconds, self.only = options, options.rounds, options.seconds, options.only
        self.folder = folder
        self.table = Table()
        self.issuer = Issuer()
        self.database = Database(folder / "postgres", os.getpid())
        self.house = Gatehouse(options.binary, folder, self.database.url, self.issuer, code_flow.PROVIDER)

    def wants(self, *ids):
        return not self.only or any(id in self.only for id in ids)

    def run(self):
        self.house.migrate()
        self.prepare()
        if self.wants("P8"):
            self.start_up()
        if self.wants("P13"):
            self.measure_binary()
        if self.wants("P1", "P2", "P7"):
            self.one_core()
        if self.wants("P3", "P4", "P11", "P12"):
            self.all_cores()
        if self.wants("P15"):
            DevelopmentMode(self).measure()
        if self.wants("P16", "P17"):
            self.measure_live()
        if self.wants("P6"):
            self.measure_passwords()
        if self.wants("P10"):
            Imports(self).measure()
        if self.wants("P9"):
            ManyTenants(self).measure()
        if self.wants("C2"):
            Searches(self).measure()
        self.table.print()

    # People, their tokens, and the statements that the server sends for them.

    def prepare(self):
        self.database.log_statements(True)
        self.house.start()
        house, es, rs = self.house, "bench-es256", "bench-rs256"
        first = house.sign_in(self.issuer, es, 1)[0]
        house.post("/v1/accounts:lookup", es, {"idToken": first["idToken"]})
        house.post("/v1/token", es, {"grant_type": "refresh_token", "refresh_token": first["refreshToken"]}, form=True)
        house.stop()
        self.database.log_statements(False)
        session = self.database.query(f"SELECT encode(session_id, 'hex') FROM sessions WHERE account_id = '{first['localId']}'")
        self.refresh = Statement([self.database.logged("WITH session AS")], first["localId"], session)
        self.lookup = Statement([self.database.logged("SELECT a.account_id")], first["localId"])
        house.start()
        self.tokens = {}
        for project in (es, rs):
            people = house.sign_in(self.issuer, project, PEOPLE)
            self.tokens[project] = self.folder / f"{project}.refresh"
            self.tokens[project].write_text("".join(f"{p['localId']} {p['refreshToken']}\n" for p in people))
            if project == rs:
                (self.folder / "id-tokens").write_text("".join(p["idToken"] + "\n" for p in people))
        house.stop()
        seed(self.database, es, first["localId"], session)

    # The start of the server: its time and its size.

    def start_up(self):
        times, sizes = [], []
        for _ in range(5):
            times.append(self.house.start() * 1e3)
            sizes.append(processes.memory(self.house.process.pid) / 1e6)
            self.house.stop()
        self.table.bound("P8", "from exec to ready", median(times), 100, "ms")
        self.table.bound("P8", "memory when ready, RSS", median(sizes), 40, "MB")

    # The binary as the image has it.

    def measure_binary(self):
        stripped = self.folder / "stripped"
        processes.run(["strip", "--strip-debug", "-o", stripped, self.options.binary])
        self.table.bound("P13", "binary without debug information", stripped.stat().st_size / 1e6, 60, "MB")

    # The key set, with one core for the server and one for the load.

    def one_core(self):
        house = self.house
        house.start(loops=1, core=SERVER_CORE)
        headers, body = self.key_set()
        nginx = Nginx(self.folder, headers, body)
        servers = {"gatehouse": house, "nginx": nginx}

        for id, name, close in (("P1", "key set, 64 keep-alive", False), ("P2", "key set, Connection: close", True)):
            if not self.wants(id):
                continue
            results = interleaved(self.rounds, {name: lambda s=server: self.load_key_set(s, close) for name, server in servers.items()})
            values = {field: [median([getattr(run, field) for run in results[s]]) for s in servers] for field in ("rate", "cpu", "p99")}
            self.table.ratio(id, name, *values["rate"], 0.95, "/s", "nginx")
            self.table.ratio(id, "  CPU a request", *values["cpu"], None if close else 1, "µs", "nginx", at_most=True)
            self.table.ratio(id, "  p99", *values["p99"], None if close else 1.3, "ms", "nginx", at_most=True)
        if self.wants("P7"):
            # New processes: memory that an earlier load has left would hide what a connection needs.
            house.stop(), nginx.stop()
            house.start(loops=1, core=SERVER_CORE)
            nginx = Nginx(self.folder, headers, body)
            sizes = [load.idle_memory(s.port, s.process.pid, KEY_SET, IDLE_CONNECTIONS) for s in (house, nginx)]
            self.table.ratio("P7", f"idle connection, of {IDLE_CONNECTIONS:,}", *sizes, 0.3, "B", "nginx", at_most=True)
        house.stop(), nginx.stop()

    def key_set(self):
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", self.house.port, timeout=10)
        connection.request("GET", KEY_SET)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise Failed(f"{KEY_SET} answered {answer.status}")
        return answer.getheaders(), body

    # Requests that use the database, with all cores for all processes.

    def all_cores(self):
        self.house.start()
        if self.wants("P3"):
            self.measure_lookup()
        if self.wants("P4"):
            self.measure_refresh()
        if self.wants("P11"):
            self.measure_code_flow()
        if self.wants("P12"):
            self.measure_brokered()
        self.table.bound("P8", "memory after load, RSS", processes.memory(self.house.process.pid) / 1e6, 100, "MB")
        self.house.stop()

    # A server as in production: sign-ups, and what administrators do.

    def measure_live(self):
        house = live(self)
        if self.wants("P16"):
            SignUps(self, house).measure()
        if self.wants("P17"):
            Administrator(self, house).measure()

    # Passwords: sign-ins against scrypt alone, and other requests while people sign in.

    def measure_passwords(self):
        house, seconds = self.house, self.seconds
        house.start(service=True)
        house.give_way()
        passwords.sign_up(house)
        token = (self.folder / "id-tokens").read_text().splitlines()[0]
        results = interleaved(
            MORE * self.rounds,
            {
                "scrypt alone": lambda: passwords.raw_rate(seconds),
                "sign-in": lambda: passwords.sign_in(house, seconds),
                "calm": lambda: passwords.Calm(house, token, KEY_SET, seconds),
                "flood": lambda: passwords.Flood(house, token, KEY_SET, seconds),
            },
        )
        house.stop()

        def middle(part, field):
            return median([getattr(run, field) for run in results[part]])

        raw = median(results["scrypt alone"])
        self.table.ratio("P6", "sign-in by password", median(results["sign-in"]), raw, 0.95, "/s", "scrypt alone, all cores")
        self.table.ratio("P6", "  hashes in a flood, beside 200 requests/s", middle("flood", "rate"), raw, 0.75, "/s", "scrypt alone")
        lookups = middle("flood", "lookup"), middle("calm", "lookup")
        self.table.ratio("P6", "  lookup in the flood, p99", *lookups, 2, "ms", "without", at_most=True)
        self.table.bound("P6", "  key set in the flood, p99", middle("flood", "get"), 10, "ms")

    def wrk(self, path, project, script, tokens):
        self.house.forget_log()
        environment = {"BENCH_TOKENS": str(tokens), "BENCH_QUERY": f"key={project}"}
        return Load(self.house.address + path, self.seconds, self.house.process.pid, script=script, environment=environment)

    def load_key_set(self, server, close=False):
        server.forget_log()
        return Load(server.address + KEY_SET, self.seconds, server.process.pid, LOAD_CORE, close)

    def load_lookup(self):
        return self.wrk("/v1/accounts:lookup", "bench-rs256", "lookup.lua", self.folder / "id-tokens")

    def load_refresh(self, project="bench-es256"):
        return self.wrk("/v1/token", project, "refresh.lua", self.tokens[project])

    def load_brokered(self):
        return BrokeredSignIns(self.house, self.issuer, self.seconds)

    def pgbench(self, statement, clients, before="", after="", times=1):
        """The rate of the statement; `times` of them are between the two lines."""
        script = statement.script(clients, before, after, times)
        return lambda: times * self.database.pgbench(script, statement.variables(), clients, self.seconds)

    def measure_lookup(self):
        by_key = Statement([("SELECT * FROM accounts WHERE project_id = $1 AND account_id = $2", {1: "bench-es256", 2: "x"})], "x")
        results = interleaved(
            MORE * self.rounds,
            {
                "lookup": self.load_lookup,
                "SELECT by key": self.pgbench(by_key, 8),
                "same SELECT": self.pgbench(self.lookup, 8),
            },
        )
        by_key, same = median(results["SELECT by key"]), median(results["same SELECT"])
        rate = median([run.rate for run in results["lookup"]])
        self.table.ratio("P3", "accounts:lookup", rate, by_key, 0.45, "/s", "pgbench ×8, by key")
        self.table.ratio("P3", "  of its own SELECT", rate, same, None, "/s", "pgbench ×8")
        self.table.fact("P3", "  CPU a request", median([run.cpu for run in results["lookup"]]), "µs")

    def measure_refresh(self):
        results = interleaved(
            self.rounds,
            {
                "refresh": self.load_refresh,
                "pipeline": self.pgbench(self.refresh, 16, r"\startpipeline", r"\endpipeline"),
                "four together": self.pgbench(self.refresh, 16, r"\startpipeline", r"\endpipeline", 4),
                "BEGIN…COMMIT": self.pgbench(self.refresh, 8, "BEGIN;", "COMMIT;"),
            },
        )
        rate = median([run.rate for run in results["refresh"]])
        self.table.ratio("P4", "refresh, ES256", rate, median(results["pipeline"]), 0.95, "/s", "pgbench ×16, pipeline")
        self.table.ratio("P4", "  of four a commit", rate, median(results["four together"]), 0.55, "/s", "pgbench ×16, pipeline")
        self.table.ratio("P4", "  of transactions", rate, median(results["BEGIN…COMMIT"]), 0.90, "/s", "pgbench ×8, BEGIN…COMMIT")
        self.table.fact("P4", "  CPU a request", median([run.cpu for run in results["refresh"]]), "µs")
        self.table.fact("P4", "  p99", median([run.p99 for run in results["refresh"]]), "ms")
        speed = interleaved(
            3,
            {
                "refresh, ES256": self.load_refresh,
                "refresh, RS256": lambda: self.load_refresh("bench-rs256"),
                "rsa2048": lambda: signatures("rsa2048", self.seconds),
                "ecdsap256": lambda: signatures("ecdsap256", self.seconds),
            },
        )
        ours = median([run.rate for run in speed["refresh, RS256"]])
        beside = median([run.rate for run in speed["refresh, ES256"]])
        rsa, ecdsa = median(speed["rsa2048"]), median(speed["ecdsap256"])
        left = left_by_rsa(beside, ecdsa, rsa)
        self.table.ratio("P4", "refresh, RS256", ours, left, 0.85, "/s", "what openssl rsa2048 leaves room for")
        self.table.ratio("P4", "  of signatures alone", ours, rsa, None, "/s", "openssl rsa2048, all cores")

    def measure_code_flow(self):
        peer = Glewlwyd(self.folder, self.database)
        peer.register(code_flow.CLIENT, code_flow.REDIRECT)
        providers = {"code flow": code_flow.GatehouseProvider(self.house, "bench-rs256"), "glewlwyd": peer}
        cookies = {name: code_flow.browsers(provider, self.folder) for name, provider in providers.items()}
        runs = interleaved(
            self.rounds,
            {name: lambda n=name, p=provider: code_flow.CodeFlows(p, cookies[n], self.seconds) for name, provider in providers.items()},
        )
        peer.stop()
        ours, theirs = ([median([getattr(run, field) for run in runs[name]]) for field in ("rate", "cpu")] for name in providers)
        self.table.ratio("P11", "code flow, authorize to token", ours[0], theirs[0], 10, "/s", "glewlwyd, same database")
        self.table.ratio("P11", "  CPU a flow", ours[1], theirs[1], None, "µs", "glewlwyd", at_most=True)

    def measure_brokered(self):
        runs = interleaved(self.rounds, {"sign-in through a provider": self.load_brokered})["sign-in through a provider"]
        cpu, provider_cpu = (median([getattr(run, field) for run in runs]) / 1e3 for field in ("cpu", "provider_cpu"))
        self.table.bound("P12", "sign-in through a provider", median([run.rate for run in runs]), 300, "/s", at_least=True)
        self.table.bound("P12", "  CPU a sign-in", cpu, 1.5, "ms")
        self.table.fact("P12", "  of the provider's double", provider_cpu, "ms")


def main():
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each measurement in a round")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], help="such as P1,P4")
    options = parser.parse_args()

    with workspace() as folder:
        print(
            f"{len(processes.CORES)} cores; medians of {options.rounds} rounds of {options.seconds} s, of P3 and P6 {MORE * options.rounds}.",
            file=sys.stderr,
        )
        Bench(options, folder).run()


if __name__ == "__main__":
    main()
