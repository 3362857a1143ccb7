"""Null pairs of real races put together: how often identical starts are told apart by their 95% intervals.

    python -m bench.null_pairs RUN...      # folders of runs: what is new of them becomes lines, and the table
    python -m bench.null_pairs --write     # the table of docs/method.md, from the lines so far

Every race by our method enters its reference twice. Of each such pair, in a race of as many blocks as any
verdict needs, bench/null_pairs.jsonl gets one line, whatever its gates say; of a pair that is there already
none. An older run's pair is derived anew from its journal, by the statistics of today.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat import stats
from deadheat.calibration import store
from deadheat.model.calibration import CalibrationRace
from deadheat.results import figures, judging
from deadheat.results.tally import tallied
from deadheat.storage.journal import whole_blocks

from . import one_a_line, run_folders
from .load import page

PAIRS = Path("bench/null_pairs.jsonl")
CALIBRATION = Path("bench/calibration.jsonl")
PROGRAM = "python -m bench.null_pairs"
# Of false winners wanted: the exact upper limit of their share, where intervals promise PROMISED.
WANTED, PROMISED = 0.10, 0.05


@dataclass(frozen=True)
class Pair(run_folders.Kept):
    """A reference against itself in one race: a' is `ratio` times as fast as a, with its plain 95% interval,
    by the method's `method_version`; that of the race itself was `raced_by`."""

    workload: str
    kind: str
    version: str
    commit: str | None
    machine: str
    blocks: int
    ratio: float
    low: float
    high: float
    method_version: int
    raced_by: int

    @property
    def excludes(self) -> bool:
        """Whether two identical starts were told apart."""
        return not self.low <= 1 <= self.high


def read() -> list[Pair]:
    """Every pair so far."""
    lines = PAIRS.read_text().splitlines() if PAIRS.exists() else []
    return [Pair(**json.loads(line)) for line in lines]


def of_run(folder: Path) -> list[Pair]:
    """Those of a run's races with blocks enough. Raises UserError where the folder cannot be read."""
    pairs = (_pair(one) for one in run_folders.races(folder))
    return [pair for pair in pairs if pair is not None]


def _pair(one: run_folders.OnDisk) -> Pair | None:
    race = one.race.replaced(method_version=stats.METHOD.version, judged_by="throughput")
    tally = tallied(race, list(whole_blocks(list(one.observed))))
    found = judging.null_pair_of(tally, figures.compared(tally)) if race.null_entry else None
    blocks = tally.common_blocks(race.reference_entry, race.null_entry) if race.null_entry else []
    if found is None or found.ci is None or len(blocks) < tally.method.fewest_blocks:
        return None
    return Pair(
        run=one.plan.run,
        started=one.plan.started,
        seed=one.plan.seed,
        race=race.key,
        workload=race.workload,
        kind=race.kind,
        version=one.plan.version,
        commit=one.plan.commit,
        machine=one.machine,
        blocks=len(blocks),
        ratio=round(found.ratio, 6),
        low=round(found.ci[0], 6),
        high=round(found.ci[1], 6),
        method_version=race.method_version,
        raced_by=one.race.method_version,
    )


def add(folders: Iterable[Path]) -> list[Pair]:
    """Keep what is new of these runs; the lines that were added."""
    found = (one for folder in folders for one in of_run(folder))
    return run_folders.keep(PAIRS, read(), found)


def needed(told_apart: int, pairs: int) -> int:
    """How many more pairs bring the upper limit below WANTED, if as many of them are told apart as intervals
    promise; 0 where it is below already."""
    more = 0
    while stats.share(told_apart + round(PROMISED * more), pairs + more)[1] >= WANTED:
        more += 1
    return more


def table(pairs: Sequence[Pair], calibrated: Sequence[CalibrationRace] = ()) -> list[str]:
    """Of each workload, of all, and with the identical servers of the calibration that raced alone."""
    if not pairs:
        return ["No null pair was kept yet."]
    lines = ["| null pairs of | races | told apart | exact interval | median half-width |",
             "| --- | --: | --: | --: | --: |"]  # fmt: skip
    for workload in sorted({pair.workload for pair in pairs}):
        of = [pair for pair in pairs if pair.workload == workload]
        widths = [math.log(pair.high / pair.low) / 2 for pair in of]
        lines.append(f"| {workload} | {_row([p.excludes for p in of])} | ±{statistics.median(widths):.1%} |")
    every = [pair.excludes for pair in pairs]
    lines.append(f"| **all of the suite** | {_row(every)} | |")
    alone = [race for race in calibrated if race.kind == "identical" and not race.neighbour and race.ci]
    if alone:
        identical = [not race.ci[0] <= 1 <= race.ci[1] for race in alone if race.ci]
        every += identical
        lines.append(f"| identical servers of the calibration, alone | {_row(identical)} | |")
        lines.append(f"| **all** | {_row(every)} | |")
    more = needed(sum(every), len(every))
    wanted = "is reached" if not more else f"wants about {more} more, if 5% of them are told apart"
    again = sum(pair.raced_by != pair.method_version for pair in pairs)
    days = sorted({pair.started[:10] for pair in pairs})
    lines += ["", f"An upper limit below {WANTED:.0%} {wanted}. Of {len({p.run for p in pairs})} runs, "
              f"{days[0]} to {days[-1]}, {again} pairs derived anew from journals of before."]  # fmt: skip
    return lines


def _row(told_apart: Sequence[bool]) -> str:
    low, high = stats.share(sum(told_apart), len(told_apart))
    return f"{len(told_apart)} | {sum(told_apart)} | {low:.1%} to {high:.1%}"


def kept_table() -> list[str]:
    """The table of what is kept."""
    return table(read(), store.read_races(CALIBRATION))


def write() -> None:
    """Put it between its marks in docs/method.md."""
    page.put(PROGRAM, kept_table(), one_a_line.METHOD)


def main() -> None:
    run_folders.command(__doc__, "pairs", add, write, kept_table)


if __name__ == "__main__":
    main()
