"""What a race leaves for later ones on this machine: its null pair, and how its starts differed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deadheat.model.observation import Observation
from deadheat.model.past import PastRace
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import NullPair, Results
from deadheat.plan.asked import OURS
from deadheat.results.tally import VALUES, Tally, tally
from deadheat.storage.journal import whole_blocks


def of_run(plan: Plan, results: Results, observations: Sequence[Observation], machine: str) -> list[PastRace]:
    """A line for each race by our own method that was begun."""
    counting = list(whole_blocks(list(observations)))
    null_pairs = {(one.name, one.setting, one.method): one.null_pair for one in results.workloads}
    begun = {one.race for one in observations if one.type == "block-started"}
    return [
        _of_race(plan, race, null_pairs.get((race.workload, race.setting, race.method)), counting, machine)
        for race in plan.workloads
        if race.method == OURS and race.key in begun
    ]


def _of_race(
    plan: Plan,
    race: RacePlan,
    null_pair: NullPair | None,
    counting: Sequence[Observation],
    machine: str,
) -> PastRace:
    found = tally(race, counting)
    ci = null_pair.ci if null_pair is not None else None
    enough = len(found.blocks) >= found.method.fewest_blocks
    return PastRace(
        run=plan.run,
        started=plan.started,
        machine=machine,
        workload=race.workload,
        setting=race.setting,
        kind=race.kind,
        method_version=race.method_version,
        excludes=not ci[0] <= 1 <= ci[1] if ci is not None and enough else None,
        starts=starts(found),
    )


def starts(found: Tally) -> dict[str, tuple[float, ...]]:
    """Of each contender the log level of its starts, block by block, less the mean of all in the block and
    less its own over the race. Only blocks that everybody was in can be compared, two or more."""
    entries = [entry for entry in found.race.entries if found.turns.get(entry.id)]
    blocks = found.common_blocks(*(entry.id for entry in entries)) if entries else []
    if len(blocks) < 2 or len(entries) < 2:
        return {}
    value = VALUES[found.race.metric]
    levels = np.array(
        [[rounds.log_value() for rounds in found.rounds(entry.id, value, blocks)] for entry in entries]
    )
    levels -= levels.mean(axis=0)
    levels -= levels.mean(axis=1, keepdims=True)
    of: dict[str, tuple[float, ...]] = {}
    for entry, row in zip(entries, levels, strict=True):
        known = tuple(round(float(level), 6) for level in row if np.isfinite(level))
        of[entry.contender] = of.get(entry.contender, ()) + known
    return of
