"""Computes medians of interleaved rounds, and prints the table."""

import statistics
import sys


def interleaved(rounds, parts):
    """Runs every part once in each round, in turn, so that other work of the machine affects all of them. `parts`: name → function."""
    results = {name: [] for name in parts}
    for number in range(rounds):
        print(f"\r  {', '.join(parts)}: round {number + 1} of {rounds} ", end="", file=sys.stderr, flush=True)
        for name, part in parts.items():
            results[name].append(part())
    print(file=sys.stderr)
    return results


def median(values):
    return statistics.median(values)


class Table:
    """The measure, our figure, that of the peer, the ratio, the target, and whether it is met."""

    COLUMNS = ("", "measure", "ours", "peer", "ratio", "target", "")

    def __init__(self):
        self._rows = []

    def ratio(self, id, measure, ours, peer, target=None, unit="/s", peer_name="", at_most=False):
        ratio = ours / peer if peer else float("nan")
        bound = f"{'≤' if at_most else '≥'} {target:.2f}" if target is not None else "–"
        self._add(
            id,
            measure,
            self._text(ours, unit),
            f"{self._text(peer, unit)} {peer_name}".strip(),
            f"{ratio:.2f}",
            bound,
            None if target is None else (ratio <= target if at_most else ratio >= target),
        )

    def bound(self, id, measure, ours, bound, unit, at_least=False):
        met = ours >= bound if at_least else ours <= bound
        self._add(id, measure, self._text(ours, unit), "–", "–", f"{'≥' if at_least else '≤'} {self._text(bound, unit)}", met)

    def fact(self, id, measure, ours, unit):
        self._add(id, measure, self._text(ours, unit), "–", "–", "–", None)

    def _add(self, *row):
        *texts, met = row
        self._rows.append((*texts, "" if met is None else "met" if met else "MISSED"))

    @staticmethod
    def _text(value, unit):
        return (
            (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}")
            + (" " if unit[:1].isalpha() or unit[:1] == "µ" else "")
            + unit
        )

    def print(self):
        rows = [self.COLUMNS, *self._rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.COLUMNS))]
        for row in rows:
            cells = [cell.rjust(width) if column in (2, 4) else cell.ljust(width) for column, (cell, width) in enumerate(zip(row, widths))]
            print("  ".join(cells).rstrip())
