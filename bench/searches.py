"""C2: an operator's searches in a project of a million accounts: their plans and times, and what their indexes cost sign-ups and sign-ins."""

import re
import time

from load import Load
from processes import Failed
from report import interleaved, median

PROJECT = "bench-es256"
USERS = 1_000_000
SEARCHES = {
    "an id": ["c2user777777"],
    "an address": ["person777777@d7.example.com"],
    "the beginning of an address": ["person77"],
    "the beginning of a name": ["Somebody 77"],
    "a domain": ["@d7.example.com"],
    "a phone number": ["+12025777700"],
    "a provider's subject": ["oidc.bench:subject777770"],
    "everyone": [],
    "everyone, only disabled": ["--disabled"],
    "everyone of a provider": ["--provider", "oidc.bench"],
    "a domain, only disabled": ["@d7.example.com", "--disabled"],
}
SUBSTRING = {"a text in the middle": ["*body 7777*"]}
# Those of migration 0041.
INDEXES = {
    "accounts_by_creation": "(project_id, created_at, account_id) WHERE created_at >= '-infinity'",
    "accounts_disabled": "(project_id, created_at, account_id) WHERE disabled",
    "accounts_email_start": '(project_id, email COLLATE "C") WHERE email IS NOT NULL',
    "accounts_name_start": '(project_id, lower(display_name) COLLATE "C", account_id) WHERE display_name IS NOT NULL',
    "accounts_domain": "(project_id, split_part(email, '@', 2) COLLATE \"C\", created_at, account_id) WHERE email IS NOT NULL",
}


class Searches:
    def __init__(self, bench):
        self._bench, self._house, self._database = bench, bench.house, bench.database

    def measure(self):
        self._make_people()
        self._explain(SEARCHES)
        self._sign_ups_with_indexes()

    def _make_people(self):
        query, step = self._database.query, 100_000
        for first in range(1, USERS + 1, step):
            last = first + step - 1
            query(
                "INSERT INTO accounts (project_id, account_id, email, email_verified, display_name, phone_number, disabled, valid_since, created_at) "
                f"SELECT '{PROJECT}', 'c2user' || n, 'person' || n || '@d' || n % 100 || '.example.com', true, 'Somebody ' || n, "
                "CASE WHEN n % 100 = 0 THEN '+1202' || 5000000 + n END, n % 1000 = 0, date_trunc('second', now()), "
                f"now() - n * interval '1 second' FROM generate_series({first}, {last}) n"
            )
            query(
                "INSERT INTO identities (project_id, provider_id, subject, account_id, linked_at, last_sign_in_at) "
                f"SELECT '{PROJECT}', 'oidc.bench', 'subject' || n, 'c2user' || n, now(), now() "
                f"FROM generate_series({first}, {last}) n WHERE n % 10 = 0"
            )
        query("VACUUM ANALYZE accounts")
        query("VACUUM ANALYZE identities")

    def _explain(self, searches):
        """Runs each search twice by the command, and reads the second one's plan and time from the server's log."""
        self._database.explain(True)
        for name, arguments in searches.items():
            for _ in range(2):
                start = len(self._database.log())
                self._house.command("users", "search", PROJECT, *arguments, "--json")
            plans = _plans(self._database.log()[start:])
            if not plans:
                raise Failed(f"no plan was logged for {name}")
            for plan in plans:
                if "Seq Scan on accounts" in plan["text"]:
                    raise Failed(f"the search for {name} reads all accounts:\n{plan['text']}")
            self._bench.table.bound("C2", f"search of {USERS:,} by {name}", max(plan["ms"] for plan in plans), 2000, "ms")
        self._database.explain(False)

    def _sign_ups_with_indexes(self):
        """Anonymous sign-ups without the indexes, with them, and with the index of substrings besides."""
        self._database.query(f"DROP INDEX {', '.join(INDEXES)}")
        without = self._rate()
        for name, columns in INDEXES.items():
            self._database.query(f"CREATE INDEX {name} ON accounts {columns}")
        with_indexes = self._rate()
        begin = time.monotonic()
        self._house.command("console", "index", "--substring")
        made = time.monotonic() - begin
        with_substrings = self._rate()
        table = self._bench.table
        table.ratio("C2", "anonymous sign-up with the indexes of searches", with_indexes, without, None, "/s", "without them")
        table.ratio("C2", "  and with that of substrings", with_substrings, without, None, "/s", "without them")
        table.fact("C2", "time to make the index of substrings", made, "s")
        self._explain(SUBSTRING)

    def _rate(self):
        house, bench = self._house, self._bench
        house.start()

        def load():
            house.forget_log()
            return Load(
                house.address + "/v1/accounts:signUp", bench.seconds, house.process.pid, script="sign-up.lua",
                environment={"BENCH_QUERY": f"key={PROJECT}", "BENCH_DIRECT": "1"},
            )  # fmt: skip

        rates = interleaved(bench.rounds, {"sign-up": load})["sign-up"]
        house.stop()
        return median([run.rate for run in rates])


def _plans(log):
    """The plans that auto_explain wrote of searches, each with its time in milliseconds."""
    plans = re.findall(r"duration: ([\d.]+) ms  plan:\n((?:\t.*\n)+)", log)
    return [{"ms": float(taken), "text": text} for taken, text in plans if "WITH found AS MATERIALIZED" in text]
