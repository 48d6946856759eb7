"""Compares two binaries: each measure runs a second on each of them, in random order, as often as asked.

`bench/compare` calls this with two paths. On a noisy machine the best round says more than the median, since other work only
slows a round."""

import argparse
import pathlib
import random
import statistics

import processes
from bench import Bench
from workspace import workspace

# Each measure, and the options that its server starts with.
MEASURES = {
    "P1 key set": (lambda bench: bench.load_key_set(bench.house), {"loops": 1, "core": processes.SERVER_CORE}),
    "P3 lookup": (Bench.load_lookup, {}),
    "P4 refresh": (Bench.load_refresh, {}),
    "P12 brokered": (Bench.load_brokered, {}),
}


def prepared(binary, folder, seconds):
    """A bench of one binary, with its own database and people."""
    folder.mkdir()
    folder.chmod(0o755)
    bench = Bench(argparse.Namespace(binary=binary, rounds=1, seconds=seconds, only=[]), folder)
    bench.house.migrate()
    bench.prepare()
    return bench


def main():
    parser = argparse.ArgumentParser(prog="bench/compare")
    parser.add_argument("binaries", type=pathlib.Path, nargs=2, metavar="BINARY")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=1, help="of each measurement in a round")
    options = parser.parse_args()
    with workspace() as folder:
        benches = [prepared(binary, folder / str(number), options.seconds) for number, binary in enumerate(options.binaries)]
        print(f"{'':16}{'':8}{'rate, best':>12}{'median':>10}{'µs CPU, best':>14}{'median':>8}")
        for name, (measure, start) in MEASURES.items():
            for bench in benches:
                bench.house.start(**start)
                measure(bench)
            runs = {bench: [] for bench in benches}
            for _ in range(options.rounds):
                for bench in random.sample(benches, len(benches)):
                    runs[bench].append(measure(bench))
            for bench, title in zip(benches, ("first", "second")):
                rates, costs = [run.rate for run in runs[bench]], [run.cpu for run in runs[bench]]
                print(
                    f"{name:16}{title:8}{max(rates):12,.0f}{statistics.median(rates):10,.0f}{min(costs):14.2f}{statistics.median(costs):8.2f}"
                )
                bench.house.stop()


if __name__ == "__main__":
    main()
