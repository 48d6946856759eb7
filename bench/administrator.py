"""P17: what a back end's calls cost: accounts by their ids, and the list of a million accounts, page by page."""

import base64
import http.client
import json
import pathlib
import time
import urllib.parse

import processes
from database import Statement
from gatehouse import PEOPLE
from load import Load
from processes import Failed
from report import interleaved, median

PROJECT = "live-rs256"
USERS = 1_000_000
PAGE = 1000
# The list is measured from here on: by then the process has what it needs to list at all.
FIRST_PAGES = 100


class Administrator:
    def __init__(self, bench, house):
        self._bench, self._house = bench, house

    def measure(self):
        bench, house, table = self._bench, self._house, self._bench.table
        self._make_people()
        house.start()
        self._token = self._access_token()
        by_key = Statement([("SELECT * FROM accounts WHERE project_id = $1 AND account_id = $2", {1: PROJECT, 2: "x"})], "x")
        runs = interleaved(bench.rounds, {"administrator's lookup": self._load_lookup, "SELECT by key": bench.pgbench(by_key, 8)})
        rate, peer = median([run.rate for run in runs["administrator's lookup"]]), median(runs["SELECT by key"])
        table.ratio("P17", "accounts:lookup of an administrator", rate, peer, None, "/s", "pgbench ×8, by key")
        table.fact("P17", "  CPU a request", median([run.cpu for run in runs["administrator's lookup"]]), "µs")
        self._list()
        house.stop()

    def _load_lookup(self):
        self._house.forget_log()
        environment = {"BENCH_PEOPLE": str(PEOPLE), "BENCH_BEARER": self._token}
        url = f"{self._house.address}/v1/projects/{PROJECT}/accounts:lookup"
        return Load(url, self._bench.seconds, self._house.process.pid, script="administrator.lua", environment=environment)

    def _list(self):
        pid = self._house.process.pid
        connection = http.client.HTTPConnection("127.0.0.1", self._house.port, timeout=30)
        sizes, users, next = [], 0, None
        cpu, begin = processes.cpu_seconds(pid), time.monotonic()
        while True:
            query = urllib.parse.urlencode({"maxResults": PAGE, **({"nextPageToken": next} if next else {})})
            headers = {"authorization": f"Bearer {self._token}"}
            connection.request("GET", f"/v1/projects/{PROJECT}/accounts:batchGet?{query}", headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise Failed(f"accounts:batchGet answered {answer.status}: {body[:400]}")
            page = json.loads(body)
            users += len(page.get("users", []))
            sizes.append(processes.memory(pid) / 1e6)
            next = page.get("nextPageToken")
            if not next:
                break
        passed, cpu = time.monotonic() - begin, processes.cpu_seconds(pid) - cpu
        connection.close()
        if users < USERS:
            raise Failed(f"accounts:batchGet listed {users} users of {USERS}")
        table = self._bench.table
        table.fact("P17", f"accounts:batchGet, pages of {PAGE:,}", len(sizes) / passed, "/s")
        table.fact("P17", "  CPU a page", cpu / len(sizes) * 1e3, "ms")
        table.bound("P17", f"  memory, RSS, at most in {users:,} users", max(sizes), 100, "MB")
        table.bound("P17", f"  growth after the first {FIRST_PAGES * PAGE:,}", max(sizes) - max(sizes[:FIRST_PAGES]), 5, "MB")

    def _make_people(self):
        """Accounts with an address and a name; the first of them are those that pgbench asks for."""
        database, step = self._bench.database, 100_000
        for first in range(1, USERS + 1, step):
            database.query(
                "INSERT INTO accounts (project_id, account_id, email, email_verified, display_name, valid_since, created_at) "
                f"SELECT '{PROJECT}', 'bench' || n, 'bench' || n || '@example.com', true, 'Somebody ' || n, "
                "date_trunc('second', now()), now() "
                f"FROM generate_series({first}, {first + step - 1}) n"
            )
        database.query("VACUUM ANALYZE accounts")
        database.query("CHECKPOINT")

    def _access_token(self):
        """An access token for a new service account, as Google's libraries get one."""
        key = json.loads(self._house.command("service-accounts", "create", PROJECT))
        now = int(time.time())
        claims = {"iss": key["client_email"], "aud": key["token_uri"], "iat": now, "exp": now + 3600, "scope": SCOPE}
        signed = f"{_encoded({'alg': 'RS256', 'typ': 'JWT', 'kid': key['private_key_id']})}.{_encoded(claims)}"
        pem = pathlib.Path(self._bench.folder, "service-account.pem")
        pem.write_text(key["private_key"])
        signature = processes.run(["openssl", "dgst", "-sha256", "-sign", pem], input=signed.encode())
        form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": f"{signed}.{_base64url(signature)}"}
        return self._house.post("/token", PROJECT, form, form=True)["access_token"]


SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def _base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _encoded(value):
    return _base64url(json.dumps(value).encode())
