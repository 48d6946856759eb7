"""The whole sign-in through a provider: start, the provider's token endpoint, the way back, and the redemption."""

import hashlib
import re
import urllib.parse

import processes
from gatehouse import PEOPLE
from load import SCRIPTS
from p256 import base64url
from processes import Failed

PROJECT = "bench-es256"
PAGE = "http://127.0.0.1/app/"
# Each sign-in has three requests to the server, and the server has one to the provider.
CONNECTIONS = 64
VERIFIER = "a-verifier-that-every-app-of-this-measurement-has"


class BrokeredSignIns:
    """The sign-ins per second, and what each of them costs the server and the provider, in microseconds of CPU time."""

    def __init__(self, house, issuer, seconds):
        challenge = base64url(hashlib.sha256(VERIFIER.encode()).digest())
        start = {
            "apiKey": PROJECT,
            "providerId": "oidc.bench",
            "redirectUrl": PAGE,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": "a-state-of-the-app",
        }
        environment = {
            "BENCH_PEOPLE": str(PEOPLE),
            "BENCH_QUERY": f"key={PROJECT}",
            "BENCH_VERIFIER": VERIFIER,
            "BENCH_START": urllib.parse.urlencode(start),
        }
        house.forget_log()
        pids = house.process.pid, issuer.process.pid
        before = [processes.cpu_seconds(pid) for pid in pids]
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", SCRIPTS / "brokered.lua", house.address]
        out = processes.run(command, env=environment).decode()
        after = [processes.cpu_seconds(pid) for pid in pids]
        found = re.search(r"Sign-ins: (\d+) in (\d+) us, failed: (\d+) (.*)", out)
        count, duration, failed = int(found[1]), int(found[2]) / 1e6, int(found[3])
        if failed or not count:
            raise Failed(f"{failed} requests of sign-ins failed, {count} succeeded: {found[4]}")
        ours, theirs = (later - earlier for earlier, later in zip(before, after))
        if theirs > 0.8 * duration:
            raise Failed("the provider's double had no time left, so it was measured and not the server")
        self.rate = count / duration
        self.cpu, self.provider_cpu = ours / count * 1e6, theirs / count * 1e6
