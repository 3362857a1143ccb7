"""What an export is made of: a run's plan, its results and its observations, sorted by race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deadheat.model.observation import Observation, OutsideRun
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import RaceResult, Results
from deadheat.plan import going_on, reference
from deadheat.results import derive
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import Turn
from deadheat.storage.journal import whole_blocks
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.derive import best, runs_of
from deadheat.studies.registry import DERIVERS


@dataclass(frozen=True)
class Race:
    """One race of a run. `unfinished` says in a clause what is missing of it, None where it is whole."""

    plan: RacePlan
    result: RaceResult
    tally: Tally
    unfinished: str | None = None
    outside: Mapping[str, Sequence[OutsideRun]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.plan.key

    def turns(self, entry: str) -> Mapping[int, Sequence[Turn | OutsideRun]]:
        """What counts of an entry by block: by a study's own method its best run."""
        if entry in self.outside:
            run = best(self.outside[entry])
            return {run.block: [run]}
        return self.tally.turns.get(entry, {})


@dataclass(frozen=True)
class Source:
    """A run, read. `warnings` are of what was not whole in its folder."""

    plan: Plan
    results: Results
    races: tuple[Race, ...]
    observations: tuple[Observation, ...]
    warnings: tuple[str, ...] = ()

    @property
    def unfinished(self) -> str | None:
        """What is missing of the run, in a clause; None where it is whole."""
        clauses = [f"{race.key}: {race.unfinished}" for race in self.races if race.unfinished]
        if self.results.stopped:
            clauses.insert(0, f"stopped: {self.results.stopped}")
        return "; ".join(clauses) or None


def read(folder: RunFolder) -> Source:
    """A run as its folder has it. Raises UserError.

    Results are those on disk; where there are none (a run cut off) they are derived from the journal, and
    nothing is written.
    """
    plan = folder.plan()
    observations, warnings = _observations(folder)
    if folder.results_file.exists():
        results = folder.results()
    else:
        warnings.append("no results.json: derived again from the journal")
        results = derive.results(plan, folder.machine(), observations, DERIVERS)
    return assemble(plan, results, observations, warnings)


def assemble(
    plan: Plan, results: Results, observations: Sequence[Observation], warnings: Sequence[str] = ()
) -> Source:
    """A source from its parts."""
    counting = list(whole_blocks(list(observations)))
    by_race: Mapping[tuple[str, str | None, str], RaceResult] = {
        (result.name, result.setting, result.method): result for result in results.workloads
    }
    races = []
    for planned in plan.workloads:
        race = going_on.so_far(reference.so_far(planned, counting), counting)
        result = by_race.get((race.workload, race.setting, race.method))
        if result is not None:
            missing = None if going_on.ended(race, counting) else _missing(result)
            races.append(Race(race, result, tallied(race, counting), missing, runs_of(race, counting)))
    return Source(plan, results, tuple(races), tuple(observations), tuple(warnings))


def _missing(result: RaceResult) -> str | None:
    """Blocks that were planned and are not there, unless no contender could be raced at all."""
    raced = any(row.status in ("measured", "not run") for row in result.contenders)
    if result.blocks >= result.blocks_planned or not raced or result.method != "deadheat":
        return None
    return f"{result.blocks} of {result.blocks_planned} blocks"


def _observations(folder: RunFolder) -> tuple[list[Observation], list[str]]:
    if not folder.journal.exists():
        return [], [f"{folder.journal}: is not there: slices, blocks and histograms are missing"]
    observations, torn = folder.observations()
    return observations, [torn] if torn else []
