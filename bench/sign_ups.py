"""P16: how many anonymous accounts a server makes as in production, beside pgbench with the same statements and openssl's signatures."""

from database import Statement
from load import Load
from openssl import left_by_rsa, signatures
from report import interleaved, median


class SignUps:
    def __init__(self, bench, house):
        self._bench, self._house = bench, house

    def measure(self):
        house, table, bench = self._house, self._bench.table, self._bench
        statements = self._statements()
        house.start()
        parts = {
            "sign-up, RS256": lambda: self.load("live-rs256"),
            "sign-up, ES256": lambda: self.load("live-es256"),
            "same statements": bench.pgbench(statements, 16, r"\startpipeline", r"\endpipeline"),
            "rsa2048": lambda: signatures("rsa2048", bench.seconds),
            "ecdsap256": lambda: signatures("ecdsap256", bench.seconds),
        }
        runs = interleaved(bench.rounds, parts)
        house.stop()
        ours = {part: median([run.rate for run in runs[part]]) for part in list(parts)[:2]}
        peer, rsa, ecdsa = (median(runs[part]) for part in list(parts)[2:])
        left = left_by_rsa(ours["sign-up, ES256"], ecdsa, rsa)
        peers = [(peer, "pgbench ×16, same statements in a pipeline"), (left, "what openssl rsa2048 leaves room for")]
        for number, (rate, name) in enumerate(sorted(peers)):
            title = "  the same" if number else "anonymous sign-up, RS256"
            table.ratio("P16", title, ours["sign-up, RS256"], rate, None if number else 0.80, "/s", name)
        table.ratio("P16", "  ES256", ours["sign-up, ES256"], peer, None, "/s", "pgbench ×16")
        table.fact("P16", "  CPU a request, RS256", median([run.cpu for run in runs["sign-up, RS256"]]), "µs")

    def load(self, project):
        house = self._house
        house.forget_log()
        url = house.address + "/v1/accounts:signUp"
        return Load(url, self._bench.seconds, house.process.pid, script="sign-up.lua", environment={"BENCH_QUERY": f"key={project}"})

    def _statements(self):
        """What the server sends for a sign-up, in one pipeline: the charge, the account and the session."""
        database, house = self._bench.database, self._house
        database.log_statements(True)
        house.start()
        person = house.post("/v1/accounts:signUp", "live-rs256", {"returnSecureToken": True})
        house.stop()
        database.log_statements(False)
        seen = [database.logged(beginning) for beginning in ("WITH asked", "INSERT INTO accounts", "INSERT INTO sessions")]
        session = database.query(f"SELECT encode(session_id, 'hex') FROM sessions WHERE account_id = '{person['localId']}'")
        return Statement(seen, person["localId"], session, new=True)
