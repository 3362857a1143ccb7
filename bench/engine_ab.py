"""Two builds of deadheat-load in turn on every row of `make bench`: what each costs a request.

    python -m bench.engine_ab OLD NEW RESULTS.jsonl [--rounds 30] [--seconds 0.5] [--rows NAME,NAME]
                              [--for-seconds 240] [--write]

Each round runs both builds on one server, old first in even rounds and new first in odd ones; every
sample is appended to RESULTS.jsonl, and a call goes on where the last one ended, so it can be cut
into pieces. Printed is, for each row, the ratio of CPU seconds a request, new over old: the
geometric mean of the rounds' ratios with a 95% t interval of its logarithm; and the geometric mean
of the rows. The server of both is the old build's.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scipy.stats import t as student

from .load import generator, measure, page
from .load.generator import Generator
from .load.pair import Pair
from .load.pairs import pairs

SHARE = 0.95
# A row's interval may not lie wholly above the one, the rows' geometric mean not above the other.
ROW_LIMIT = 1.02
MEAN_LIMIT = 1.01


@dataclass(frozen=True)
class Row:
    """One way to call ours, on one server."""

    name: str
    pair: Pair
    generator: Generator

    def with_build(self, build: Path) -> Generator:
        """The same call of another build."""
        argv = self.generator.argv

        def called(address: str, seconds: float) -> list[str]:
            own, *options = argv(address, seconds)
            assert own == str(generator.LOAD)
            return [str(build), *options]

        return replace(self.generator, argv=called)


def rows(folder: Path) -> Iterator[Row]:
    """Every generator of the rows of `make bench` that is ours."""
    for pair in pairs(folder):
        ours = [g for g in pair.generators if g.name.startswith("deadheat-load")]
        for number, own in enumerate(ours):
            yield Row(pair.name if len(ours) == 1 else f"{pair.name}/{number + 1}", pair, own)


def race(row: Row, builds: tuple[Path, Path], first_round: int, rounds: int, seconds: float,
         until: float) -> Iterator[tuple[float, float]]:  # fmt: skip
    """CPU seconds a million requests of the old and the new build, a round after the other."""
    generators = [row.with_build(build) for build in builds]
    with row.pair.serve() as address:
        for number in range(first_round, rounds):
            if time.monotonic() > until:
                return
            order = (0, 1) if number % 2 == 0 else (1, 0)
            costs = {k: generators[k].sample(address, seconds).cpu_s_per_million for k in order}
            yield costs[0], costs[1]


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Geometric mean of ratios and its 95% interval."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    half = float(student.ppf((1 + SHARE) / 2, len(logs) - 1)) * error
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def read(results: Path) -> dict[str, list[float]]:
    """The ratios so far, by row."""
    ratios: dict[str, list[float]] = {}
    if results.exists():
        for line in results.read_text().splitlines():
            sample = json.loads(line)
            ratios.setdefault(sample["row"], []).append(sample["new"] / sample["old"])
    return ratios


@dataclass(frozen=True)
class Cost:
    """One row's ratio of CPU seconds a request, new over old, with the ends of its 95% interval."""

    row: str
    ratio: float
    low: float
    high: float
    rounds: int

    @property
    def slower(self) -> bool:
        """Whether the interval lies wholly above the limit of a row."""
        return self.low > ROW_LIMIT


def costs(ratios: dict[str, list[float]]) -> list[Cost]:
    """Of every row with an interval: two rounds or more."""
    return [Cost(name, *interval(of_row), len(of_row)) for name, of_row in ratios.items() if len(of_row) > 1]


def mean(rows_costs: Sequence[Cost]) -> float:
    """The geometric mean of the rows' ratios."""
    return math.exp(statistics.fmean(math.log(cost.ratio) for cost in rows_costs))


def table(rows_costs: Sequence[Cost]) -> list[str]:
    """The rows and their mean in Markdown, and what of the limits does not hold."""
    lines = ["| row | CPU a request, new / old | 95% interval | rounds |", "| --- | --: | --- | --: |"]
    lines += [f"| {c.row} | {c.ratio:.3f} | {c.low:.3f} to {c.high:.3f} | {c.rounds} |" for c in rows_costs]
    lines += [f"| geometric mean | {mean(rows_costs):.3f} | | |", ""]
    over = [c.row for c in rows_costs if c.slower]
    whole = "is" if mean(rows_costs) <= MEAN_LIMIT else "is not"
    return [*lines, f"Wholly above {ROW_LIMIT}: {', '.join(over) or 'no row'}. "
            f"The mean {whole} at most {MEAN_LIMIT}."]  # fmt: skip


def main() -> int:
    """0 where no row's interval lies wholly above ROW_LIMIT and the rows' mean is at most MEAN_LIMIT."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rows", default="")
    parser.add_argument("--for-seconds", type=float, default=math.inf)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    until = time.monotonic() + options.for_seconds
    builds = (options.old.resolve(), options.new.resolve())
    measure.LOAD = builds[0]
    wanted = set(filter(None, options.rows.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder)):
            if wanted and row.name not in wanted:
                continue
            done = len(read(options.results).get(row.name, []))
            if done >= options.rounds or time.monotonic() > until:
                continue
            try:
                for old, new in race(row, builds, done, options.rounds, options.seconds, until):
                    with options.results.open("a") as file:
                        print(json.dumps({"row": row.name, "old": old, "new": new}), file=file)
            except measure.Unavailable as error:
                print(f"{row.name}: {error}", file=sys.stderr)
    found = costs(read(options.results))
    if not found:
        print("engine_ab: no row has two rounds yet", file=sys.stderr)
        return 1
    print("\n".join(table(found)))
    if options.write:
        page.put("python -m bench.engine_ab", table(found))
    return 1 if mean(found) > MEAN_LIMIT or any(cost.slower for cost in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
