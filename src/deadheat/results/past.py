"""What a race leaves for later ones on this machine: its null pair, and how its starts differed."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from deadheat import stats
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import Observation
from deadheat.model.past import Outcome, Past, PastRace, Variances
from deadheat.model.plan import Plan
from deadheat.model.result import RaceResult, Results
from deadheat.plan import past, skew
from deadheat.plan.asked import OURS
from deadheat.plan.duration import longer_warm_ups_s
from deadheat.plan.learnt import medians
from deadheat.results.tally import Tally, tallied
from deadheat.storage.journal import whole_blocks

# Broken, these gates say that somebody was not warm, or never is.
NO_LEVEL = ("steady", "drift")


def of_run(plan: Plan, results: Results, observations: Sequence[Observation], machine: str) -> list[PastRace]:
    """A line for each race by our own method that was begun."""
    counting = list(whole_blocks(list(observations)))
    by_race = {(one.name, one.setting, one.method): one for one in results.workloads}
    began = {one.race for one in observations if one.type == "block-started"}
    return [
        past.begun(race, plan.run, plan.started, machine).replaced(
            outcome="stopped" if results.stopped else _outcome(result),
            **_left(tallied(race, counting), result),
        )
        for race in plan.workloads
        if race.method == OURS and race.key in began
        for result in (by_race[race.workload, race.setting, race.method],)
    ]


def _outcome(result: RaceResult) -> Outcome:
    settled = [verdict.verdict in ("faster", "dead heat") for verdict in result.verdicts]
    return "settled" if settled and all(settled) else "open"


def _left(tally: Tally, result: RaceResult) -> dict[str, object]:
    """For the pools of later races."""
    ci = result.null_pair.ci if result.null_pair is not None else None
    enough = len(tally.blocks) >= tally.method.fewest_blocks
    own = result.judged_by == "throughput"  # the pool is of null pairs by a race's own figure
    needed_s, no_level = watched_s(tally), unsteady(result)
    excludes = not ci[0] <= 1 <= ci[1] if ci is not None and enough and own else None
    return {
        "excludes": excludes,
        "starts": starts(tally),
        "spread": spread(result),
        "needed_s": {id_: seconds for id_, seconds in needed_s.items() if id_ not in no_level},
        "overrun": overrun(tally, needed_s),
    }


def unsteady(result: RaceResult) -> set[str]:
    """Who was at no level when its slices began: what it was loaded for was not what it needs."""
    return {row.id for row in result.contenders for gate in row.broken if gate.name in NO_LEVEL}


def spread(result: RaceResult) -> dict[str, Variances]:
    """Of each contender its own variances, where it has any."""
    return {
        row.id: Variances(starts=round(own.starts_sd**2, 9), rounds=round(own.rounds_sd**2, 9))
        for row in result.contenders
        if (own := row.variance) is not None
    }


def watched_s(tally: Tally) -> dict[str, tuple[float, ...]]:
    """Of each contender for how long its watched starts were loaded until they were at their level, of both
    entries of one that has two."""
    found: dict[str, tuple[float, ...]] = {}
    for entry in tally.race.entries:
        took = tuple(round(one.needed_s, 3) for one in tally.warmed_up.get(entry.id, ()) if one.watched)
        if took:
            found[entry.contender] = found.get(entry.contender, ()) + took
    return found


def overrun(tally: Tally, needed_s: Mapping[str, Sequence[float]]) -> float | None:
    """How many times as long as planned a block of everybody took, had the plan known these watched
    warm-ups; None of what is no race of slices, and where no such block counts."""
    race = tally.race
    if not isinstance(race.measured, SlicePlan) or not race.estimated_s:
        return None
    everybody = [entry.id for entry in race.entries if tally.turns.get(entry.id)]
    walls = tally.walls_s()
    took = [walls[block] for block in tally.common_blocks(*everybody) if block in walls]
    if not took:
        return None
    known = race.past if race.past is not None else Past()
    watched = medians(needed_s)
    planned_s = skew.block_s(race) / known.overrun
    planned_s += longer_warm_ups_s(race, {**known.warm_up_s, **watched})
    planned_s -= longer_warm_ups_s(race, known.warm_up_s)
    return round(statistics.median(took) / planned_s, 3)


def starts(tally: Tally) -> dict[str, tuple[float, ...]]:
    """Of each contender the log level of its starts by the judged figure, block by block, less its own over
    the race and less what the block did to all. Only blocks that more than half were in are compared, and
    whoever was in two or more of them."""
    entries = [entry for entry in tally.race.entries if tally.turns.get(entry.id)]
    raced = [tally.common_blocks(entry.id) for entry in entries]
    there = Counter(block for own in raced for block in own)
    blocks = [block for block in tally.blocks if 2 * there[block] > len(entries) > 1]
    levels = np.full((len(entries), len(blocks)), np.nan)
    for row, entry, own in zip(levels, entries, raced, strict=True):
        compared = [block for block in own if block in blocks]
        rounds = tally.rounds(entry.id, tally.judged_value, compared)
        row[np.isin(blocks, compared)] = [one.log_value() for one in rounds]
    levels[~np.isfinite(levels)] = np.nan
    levels[np.isfinite(levels).sum(axis=1) < 2] = np.nan
    of: dict[str, tuple[float, ...]] = {}
    for entry, row in zip(entries, stats.by_themselves(levels), strict=True):
        if known := tuple(round(float(level), 6) for level in row if np.isfinite(level)):
            of[entry.contender] = of.get(entry.contender, ()) + known
    return of
