"""P10: accounts from a file of Firebase's and back to a file, beside psql's COPY of the same rows."""

import base64
import hashlib
import json
import os
import subprocess
import time

import processes
from database import tool
from processes import Failed

PROJECT = "bench-es256"
SIZES = (100_000, 1_000_000)
TABLES = ("accounts", "identities", "imported_accounts")
HASHES = {
    "algorithm": "SCRYPT",
    "base64_signer_key": base64.b64encode(b"s" * 64).decode(),
    "base64_salt_separator": "Bw==",
    "rounds": "8",
    "mem_cost": "14",
}


class Imports:
    def __init__(self, bench):
        self._bench, self._house, self._database = bench, bench.house, bench.database
        self._folder = bench.folder / "imports"
        self._folder.mkdir()
        self._hashes = self._folder / "hashes.txt"
        self._hashes.write_text("hash_config {\n" + "".join(f"  {name}: {value},\n" for name, value in HASHES.items()) + "}\n")

    def measure(self):
        table = self._bench.table
        for users in SIZES:
            source, written = self._users(users), self._folder / "export.jsonl"
            self._empty()
            ours, memory = self._timed("import", "firebase", PROJECT, source, "--hash-config", self._hashes, "--yes")
            found = int(self._database.query(f"SELECT count(*) FROM imported_accounts WHERE project_id = '{PROJECT}'"))
            if found != users:
                raise Failed(f"{found} of {users} accounts were imported")
            taken, exporting = self._timed("export", "json", PROJECT, written)
            if sum(1 for _ in written.open()) < users:
                raise Failed("the export lacks accounts")
            out, back = self._copy()
            name = f"{users:,} accounts"
            table.ratio("P10", f"import of {name}", users / ours, users / back, 0.5, "/s", "psql, COPY of the same rows")
            table.ratio("P10", f"export of {name}", users / taken, users / out, 0.5, "/s", "psql, COPY TO")
            table.fact("P10", "  memory of the import, RSS at most", memory, "MB")
            table.fact("P10", "  memory of the export, RSS at most", exporting, "MB")
            source.unlink(), written.unlink()

    def _users(self, count):
        """As `firebase auth:export` writes them: a password each, and Google for every second one."""
        path = self._folder / f"users-{count}.json"
        with path.open("w") as file:
            file.write('{"users": [\n')
            for number in range(count):
                digest = hashlib.sha512(str(number).encode()).digest()
                user = {
                    "localId": base64.b32encode(digest[:17]).decode()[:28],
                    "email": f"person{number}@example.com",
                    "emailVerified": number % 3 > 0,
                    "passwordHash": base64.b64encode(digest).decode(),
                    "salt": base64.b64encode(digest[:10]).decode(),
                    "displayName": f"Person {number}",
                    "lastSignedInAt": str(1_700_000_000_000 + number),
                    "createdAt": str(1_600_000_000_000 + number),
                    "providerUserInfo": [],
                }
                if number % 2:
                    user["providerUserInfo"] = [{"providerId": "google.com", "rawId": f"1{number:020}", "email": user["email"]}]
                file.write(json.dumps(user) + (",\n" if number + 1 < count else "\n"))
            file.write("]}\n")
        return path

    def _timed(self, *words):
        """Seconds of a command, and the most memory that it had, in MB."""
        log = self._folder / "log"
        command = [self._bench.options.binary, *map(str, words), "--config", self._house.configuration(0)]
        begin = time.monotonic()
        with log.open("wb") as output:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **self._house.environment}
            )
            _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            raise Failed(f"{' '.join(map(str, words[:2]))} failed: {log.read_text(errors='replace')[-800:]}")
        return time.monotonic() - begin, usage.ru_maxrss / 1e3

    def _empty(self):
        self._database.query(f"DELETE FROM accounts WHERE project_id = '{PROJECT}'")
        self._database.query("VACUUM ANALYZE accounts, identities, imported_accounts")

    def _copy(self):
        """Seconds in which psql copies the project's rows out, and in again."""
        query = f"SELECT * FROM {{}} WHERE project_id = '{PROJECT}' ORDER BY project_id, account_id"
        out = self._psql(*(f"\\copy ({query.format(table)}) TO '{self._folder}/{table}.copy' BINARY" for table in TABLES))
        self._empty()
        back = self._psql(*(f"\\copy {table} FROM '{self._folder}/{table}.copy' BINARY" for table in TABLES))
        return out, back

    def _psql(self, *commands):
        begin = time.monotonic()
        processes.run(
            [tool("psql"), self._database.url, "-Xq", "-v", "ON_ERROR_STOP=1", *(part for line in commands for part in ("-c", line))],
            timeout=600,
        )
        return time.monotonic() - begin
