"""Measures two binaries against each other: every measure a second on each of them, in random order, as often as asked.

`bench/compare` calls this with two paths. On a noisy machine the best round says more than the median: what else runs only slows a round down."""

import argparse
import pathlib
import random
import statistics

import processes
from bench import KEY_SET, Bench
from load import Load
from workspace import workspace


class Side:
    """One of the two servers, with its own database and people."""

    def __init__(self, binary, folder, seconds):
        folder.mkdir()
        folder.chmod(0o755)
        options = argparse.Namespace(binary=binary, rounds=1, seconds=seconds, only=[])
        self.bench = Bench(options, folder)
        self.seconds = seconds
        self.bench.house.migrate()
        self.bench.prepare()

    def key_set(self):
        house = self.bench.house
        house.forget_log()
        return Load(house.address + KEY_SET, self.seconds, house.process.pid, processes.LOAD_CORE)

    def lookup(self):
        return self.bench.wrk("/v1/accounts:lookup", "bench-rs256", "lookup.lua", self.bench.folder / "id-tokens")

    def refresh(self):
        return self.bench.wrk("/v1/token", "bench-es256", "refresh.lua", self.bench.tokens["bench-es256"])


def main():
    parser = argparse.ArgumentParser(prog="bench/compare")
    parser.add_argument("binaries", type=pathlib.Path, nargs=2, metavar="BINARY")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=1, help="of each measurement in a round")
    options = parser.parse_args()
    with workspace() as folder:
        sides = [Side(binary, folder / str(number), options.seconds) for number, binary in enumerate(options.binaries)]
        print(f"{'':16}{'':8}{'rate, best':>12}{'median':>10}{'µs CPU, best':>14}{'median':>8}")
        for name, measure, one_core in (("P1 key set", Side.key_set, True), ("P3 lookup", Side.lookup, False), ("P4 refresh", Side.refresh, False)):
            for side in sides:
                side.bench.house.start(**({"loops": 1, "core": processes.SERVER_CORE} if one_core else {}))
                measure(side)
            runs = {side: [] for side in sides}
            for _ in range(options.rounds):
                for side in random.sample(sides, len(sides)):
                    runs[side].append(measure(side))
            for side, title in zip(sides, ("first", "second")):
                rates, costs = [run.rate for run in runs[side]], [run.cpu for run in runs[side]]
                print(f"{name:16}{title:8}{max(rates):12,.0f}{statistics.median(rates):10,.0f}{min(costs):14.2f}{statistics.median(costs):8.2f}")
                side.bench.house.stop()


if __name__ == "__main__":
    main()
