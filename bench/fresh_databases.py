"""What fresh databases cost a round of the application.

    python -m bench.fresh_databases [--write]      # on a quiet machine

A PostgreSQL is started and each contender's database is made on it, as a round of workloads that go side by
side has them, 11 times; the first, in which `initdb` runs, is left out. `--write` puts the table into
docs/app.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bench.load import page
from deadheat import plan as planning
from deadheat.hosts.local import LocalHost
from deadheat.kinds import alone
from deadheat.kinds.registry import KINDS
from deadheat.kinds.services import databases
from deadheat.kinds.services import start as services
from deadheat.plan import Asked
from deadheat.run.rounds import Rounds
from deadheat.suite.suite import load
from deadheat.util import clock
from deadheat.util.interrupt import Stop

ROOT = Path(__file__).resolve().parents[1]
WORKLOAD = "app-db"
ROUNDS = 11
GOAL_S = 0.3


@dataclass(frozen=True)
class Made:
    """Seconds until a PostgreSQL answered, until all databases were on it, and until it had stopped."""

    started_s: float
    filled_s: float
    stopped_s: float
    databases: int


def measure() -> Iterator[Made]:
    """Round after round, all but the first."""
    suite = load(ROOT / "suite")
    races = planning.plan(Asked(workloads=("app",)), suite, tuple(KINDS)).workloads
    races = tuple(race for race in races if race.family is not None)
    with LocalHost() as host, tempfile.TemporaryDirectory(prefix="deadheat-bench-") as logs:
        rounds = Rounds("fresh", suite.workloads, {race.workload: {} for race in races})
        stage = alone.stage(suite, WORKLOAD, host=host, stop=Stop(), logs=Path(logs))
        stage = replace(stage, rounds=rounds)
        for number in range(ROUNDS):
            began = time.perf_counter()
            with rounds.begin(number, races) as round_, ExitStack() as stack:
                there, running = services.beside(stage, stack, round_.entries)
                started = time.perf_counter()
                databases.beside(there, running, stack, round_.entries, f"fresh:{number}")
                filled, count = time.perf_counter(), len(round_.entries)
            stopped = time.perf_counter()
            if number:
                yield Made(started - began, filled - started, stopped - filled, count)


def table(made: list[Made]) -> list[str]:
    """Medians and the slowest, and what a database of them is."""
    rows = ["| of a round | median, s | slowest, s |", "| --- | --: | --: |"]
    for what, seconds in (
        ("PostgreSQL starts, until it answers", [one.started_s for one in made]),
        (f"{made[0].databases} databases are made", [one.filled_s for one in made]),
        ("it stops", [one.stopped_s for one in made]),
        (
            "all of it, for each database",
            [(one.started_s + one.filled_s + one.stopped_s) / one.databases for one in made],
        ),
    ):
        rows.append(f"| {what} | {statistics.median(seconds):.3f} | {max(seconds):.3f} |")
    return [*rows, "", f"Of {len(made)} rounds, {clock.stamp()[:10]}; the goal is {GOAL_S} s for each."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/app.md")
    write = parser.parse_args().write
    lines = table(list(measure()))
    print("\n".join(lines))
    if write:
        page.put("python -m bench.fresh_databases", lines, ROOT / "docs" / "app.md")


if __name__ == "__main__":
    main()
