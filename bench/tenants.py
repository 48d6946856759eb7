"""P9: a project with ten thousand tenants: the start, a reload and sign-ups, beside the same with one tenant."""

import signal
import time

import processes
from gatehouse import LIMITS
from processes import Failed

PROJECT = "bench-es256"
TENANTS = 10_000
SIGN_UPS = 300
FILE = f"displayName: Customer\ninherit: [mail, branding, providers]\nsignIn: {{password: true, anonymous: true}}\n{LIMITS}"


class ManyTenants:
    def __init__(self, bench):
        self._bench, self._house = bench, bench.house
        self._folder = bench.folder / "projects" / PROJECT / "tenants"
        self._folder.mkdir(parents=True)

    def measure(self):
        table, house = self._bench.table, self._house
        values = {}
        for count in (1, TENANTS):
            for number in range(count):
                (self._folder / f"customer-{number:05}.yaml").write_text(FILE)
            # The first start remembers each tenant in the database; those that follow are what an operator sees.
            house.start(patience=120)
            house.stop()
            start = house.start(patience=60) * 1e3
            memory = processes.memory(house.process.pid) / 1e6
            unchanged = self._reload()
            (self._folder / "customer-00000.yaml").write_text(FILE.replace("Customer", "Customer Zero"))
            one = self._reload()
            values[count] = (start, memory, unchanged, one, self._sign_ups(count), processes.memory(house.process.pid) / 1e6)
            house.stop()
        names = (
            "from exec to ready",
            "memory when ready, RSS",
            "reload, nothing changed",
            "reload, one file changed",
            "anonymous sign-ups",
            "memory afterwards, RSS",
        )
        units = ("ms", "MB", "ms", "ms", "/s", "MB")
        for name, unit, few, many in zip(names, units, values[1], values[TENANTS]):
            table.ratio("P9", f"{TENANTS:,} tenants: {name}", many, few, None, unit, "one tenant", at_most=unit != "/s")

    def _reload(self):
        """Milliseconds until the server has taken the files."""
        seen = self._reloads()
        begin = time.monotonic()
        self._house.process.send_signal(signal.SIGHUP)
        while self._reloads() == seen:
            if time.monotonic() - begin > 60:
                raise Failed("the server does not take its files")
            time.sleep(0.001)
        return (time.monotonic() - begin) * 1e3

    def _reloads(self):
        return self._house.log.read_bytes().count(b'"reloaded"')

    def _sign_ups(self, tenants):
        """Sign-ups a second by one client, each in another tenant."""
        begin = time.monotonic()
        for number in range(SIGN_UPS):
            tenant = f"customer-{number * 7919 % tenants:05}"
            answer = self._house.post("/v1/accounts:signUp", PROJECT, {"tenantId": tenant, "returnSecureToken": True})
            if "idToken" not in answer:
                raise Failed(f"no sign-up in {tenant}: {answer}")
        return SIGN_UPS / (time.monotonic() - begin)
