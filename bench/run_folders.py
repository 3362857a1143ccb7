"""Races of runs on disk, as tables of docs/method.md take them: by our method, of servers or programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from deadheat.errors import UserError
from deadheat.model.observation import Observation
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import RaceResult
from deadheat.plan import OURS, going_on, reference
from deadheat.results import derive
from deadheat.results.tally import Tally, tallied
from deadheat.storage.journal import whole_blocks
from deadheat.storage.run_folder import RunFolder


@dataclass(frozen=True)
class OnDisk:
    """One race of a run, with the statistics that its plan names. `observed`: all lines of its journal."""

    plan: Plan
    machine: str
    race: RacePlan
    observed: Sequence[Observation]

    @property
    def tally(self) -> Tally:
        """Of the blocks that count."""
        return tallied(self.race, self.counting)

    @property
    def counting(self) -> list[Observation]:
        """What counts of its journal."""
        return list(whole_blocks(list(self.observed)))

    @property
    def result(self) -> RaceResult:
        """Derived from its journal."""
        return derive.race_of(self.race, self.plan.facts, self.plan.margin, self.counting).result


@dataclass(frozen=True)
class Kept:
    """What a line of a file says of one race of a run."""

    run: str
    started: str
    seed: int
    race: str

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What names it among those of all machines."""
        return self.run, self.started, self.seed, self.race


Line = TypeVar("Line", bound=Kept)


def races(folder: Path) -> Iterator[OnDisk]:
    """Those of a run's folder that were begun. Raises UserError where it cannot be read."""
    run = RunFolder(folder)
    plan, known = run.plan(), run.machine()
    observed, _ = run.observations()
    begun = {one.race for one in observed if one.type == "block-ended"}
    machine = f"{known.get('cpu_model', 'unknown CPU')}, {known.get('cores', '?')} cores"
    for race in plan.workloads:
        if race.method == OURS and race.key in begun:
            yield OnDisk(plan, machine, going_on.so_far(reference.so_far(race, observed), observed), observed)


def keep(file: Path, before: Iterable[Kept], found: Iterable[Line]) -> list[Line]:
    """Append to `file`, a line each as it is found, what is not of a race that it held `before`; the lines
    that were added."""
    known = {one.key for one in before}
    added = []
    for one in found:
        if one.key not in known:
            known.add(one.key)
            added.append(one)
            with file.open("a") as out:
                print(json.dumps(asdict(one)), file=out)
    return added


def command(
    about: str | None,
    what: str,
    add: Callable[[Sequence[Path]], Sequence[Kept]],
    write: Callable[[], None],
    table: Callable[[], Sequence[str]],
) -> None:
    """`[RUN...] [--write]`: keep what is new of runs (so many of `what`), then print the table or write it.

    Ends with status 2 where a run's folder cannot be read: why, and what to do.
    """
    parser = argparse.ArgumentParser(description=(about or "").split("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="folders of runs")
    parser.add_argument("--write", action="store_true", help="put the table into docs/method.md")
    asked = parser.parse_args()
    try:
        added = add(asked.runs)
    except UserError as error:
        parser.error("; ".join(filter(None, (error.message, error.hint))))
    if asked.write:
        write()
        return
    if asked.runs:
        print(f"{len(added)} {what} are new", flush=True)
    print("\n".join(table()))
