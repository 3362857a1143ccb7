"""The runs of a site, by what its pages are about. Pure: results in, views out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deadheat.history import store, trend
from deadheat.history.tables import ContenderRow
from deadheat.history.trend import Series
from deadheat.model.result import RaceResult, Results


@dataclass(frozen=True)
class Raced:
    """A race of a run, on a machine in words."""

    run: Results
    race: RaceResult

    @property
    def machine(self) -> str:
        return store.machine_words(self.run.machine)


@dataclass(frozen=True)
class Gathered:
    """`runs`: the newest first, none twice."""

    runs: tuple[Results, ...]

    @cached_property
    def workloads(self) -> dict[str, tuple[Raced, ...]]:
        """The races of each workload in which something was measured, the newest first; workloads by name."""
        found: dict[str, list[Raced]] = {}
        for run in self.runs:
            for race in run.workloads:
                if any(row.status == "measured" for row in race.contenders):
                    found.setdefault(race.name, []).append(Raced(run, race))
        return {name: tuple(found[name]) for name in sorted(found)}

    @cached_property
    def contenders(self) -> dict[str, tuple[str, ...]]:
        """The workloads of each contender that was measured; both by name."""
        found: dict[str, set[str]] = {}
        for row in self.rows:
            found.setdefault(row.contender, set()).add(row.workload)
        return {name: tuple(sorted(found[name])) for name in sorted(found)}

    @cached_property
    def rows(self) -> tuple[ContenderRow, ...]:
        """A row for each contender measured in a race, the oldest first."""
        return tuple(
            row for run in reversed(self.runs) for row in store.run_row(run, Path(run.run), run.stopped).rows
        )

    def newest(self, workload: str) -> tuple[Raced, ...]:
        """Of each machine, setting and method the newest race; our method and no setting first."""
        found: dict[tuple[str, str | None, str], Raced] = {}
        for raced in self.workloads[workload]:
            found.setdefault((raced.machine, raced.race.setting, raced.race.method), raced)
        return tuple(sorted(found.values(), key=_plain))

    def trends(self, contender: str) -> Iterator[Series]:
        """Its ratio in each of its workloads, on each machine."""
        for workload in self.contenders[contender]:
            of_it = [row for row in self.rows if (row.workload, row.contender) == (workload, contender)]
            for machine in dict.fromkeys(row.run.machine for row in of_it):
                yield from trend.series([row for row in of_it if row.run.machine == machine])


def gathered(runs: Sequence[Results]) -> Gathered:
    """Of these runs, in any order."""
    by_id = {run.run: run for run in runs}
    return Gathered(tuple(sorted(by_id.values(), key=lambda run: (run.started, run.run), reverse=True)))


def _plain(raced: Raced) -> tuple[bool, bool]:
    # Sorting keeps the order of what is alike: the newest first.
    return raced.race.method != "deadheat", raced.race.setting is not None
