"""Counts the instructions that a request takes in the server, by callgrind. They are the same in every run, on however noisy a machine.

`bench/instructions` calls this with the path of one binary or of two; then the table also shows the difference."""

import argparse
import http.client
import json
import os
import pathlib
import re
import urllib.parse

import processes
from bench import KEY_SET
from database import Database
from gatehouse import Gatehouse
from issuer import Issuer
from processes import Failed
from workspace import workspace

PROJECT = "bench-es256"
# Calls before those that are counted.
WARM_UP = 50
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class Instructions:
    """The instructions of each call of one binary: name → (in the server's own code, in OpenSSL)."""

    def __init__(self, binary, folder, requests):
        folder.mkdir()
        folder.chmod(0o755)
        self.requests = requests
        self.profile = folder / "callgrind"
        # valgrind only needs the symbol table, and fails on other debug information.
        stripped = folder / "gatehouse"
        processes.run(["strip", "--strip-debug", "-o", stripped, binary])
        issuer = Issuer()
        self.house = Gatehouse(stripped, folder, Database(folder / "postgres", os.getpid()).url, issuer)
        self.house.migrate()
        self.house.start()
        person = self.house.sign_in(issuer, PROJECT, 1)[0]
        self.house.stop()
        self.refresh_token, self.id_token = person["refreshToken"], person["idToken"]
        # Without random seeds a dictionary has the same order in every process.
        self.house.environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        tool = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.profile}"]
        self.house.start(loops=1, under=tool, patience=120)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.house.port, timeout=60)
        self.unseen = [self.refresh() for _ in range(requests + WARM_UP)]
        calls = {"key set": self.key_set, "lookup": self.lookup, "  of a new token": self.lookup_unseen, "refresh": self.refresh}
        self.counts = {name: self.count(call, part) for part, (name, call) in enumerate(calls.items(), 1)}
        self.house.stop()

    def count(self, call, part):
        for _ in range(WARM_UP):
            call()
        self.control("--zero")
        self.control("--instr=on")
        for _ in range(self.requests):
            call()
        self.control("--instr=off")
        self.control("--dump")
        out = processes.run(["callgrind_annotate", "--threshold=100", "--show-percs=no", f"{self.profile}.{part}"]).decode()
        own = crypto = 0
        for count, library in re.findall(r"^\s*([\d,]+)\s+\S.*?(?:\[(.*)\])?$", out.split("file:function")[1], re.MULTILINE):
            if "libcrypto" in library:
                crypto += int(count.replace(",", ""))
            else:
                own += int(count.replace(",", ""))
        if own == 0:
            raise Failed("callgrind counted nothing")
        return own / self.requests, crypto / self.requests

    def control(self, option):
        processes.run(["callgrind_control", option, self.house.process.pid])

    def exchange(self, method, path, body=None, kind=JSON):
        self.connection.request(method, path, body, {"content-type": kind} if body else {})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise Failed(f"{path} answered {answer.status}: {text.decode(errors='replace')[:400]}")
        return text

    def key_set(self):
        self.exchange("GET", KEY_SET)

    def lookup(self):
        self.look_up(self.id_token)

    def lookup_unseen(self):
        """Looks up with a token that the server has not seen, so that it verifies the signature and reads the claims."""
        self.look_up(self.unseen.pop())

    def look_up(self, token):
        self.exchange("POST", f"/v1/accounts:lookup?key={PROJECT}", json.dumps({"idToken": token}))

    def refresh(self):
        """Returns the new ID token."""
        body = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": self.refresh_token})
        answer = json.loads(self.exchange("POST", f"/v1/token?key={PROJECT}", body, FORM))
        self.refresh_token = answer["refresh_token"]
        return answer["id_token"]


def main():
    parser = argparse.ArgumentParser(prog="bench/instructions")
    parser.add_argument("binaries", type=pathlib.Path, nargs="+", help="one, or two to compare")
    parser.add_argument("--requests", type=int, default=500, help="of each call")
    options = parser.parse_args()
    with workspace() as folder:
        counted = [Instructions(binary, folder / str(number), options.requests).counts for number, binary in enumerate(options.binaries)]
    for name in counted[0]:
        for part, title in enumerate(("", "  in OpenSSL")):
            values = [counts[name][part] for counts in counted]
            difference = f"{values[-1] / values[0] - 1:+8.1%}" if len(values) > 1 and values[0] else ""
            print(f"{name + title:22}" + "".join(f"{value:12,.0f}" for value in values) + difference)


if __name__ == "__main__":
    main()
