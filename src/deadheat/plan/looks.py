"""When a race is looked at, as its plan says."""

from __future__ import annotations

from deadheat import stats
from deadheat.model.plan import RacePlan


def looks_of(race: RacePlan) -> stats.Looks:
    """The looks that the race's plan fixes: one alone, where nothing ends it before its last block."""
    if race.to_the_end:
        return stats.Looks((race.blocks,))
    going_on = race.going_on
    if going_on is None:
        return looks_at(race.blocks, race.method_version)
    first = stats.METHODS[race.method_version].first_look
    return stats.plan_looks(going_on.end, most=going_on.most, first=first, reserve=going_on.reserve)


def looks_at(blocks: int, method_version: int) -> stats.Looks:
    """Those of so many blocks by a version of the method: from a quarter of them on, after each."""
    return stats.plan_looks(blocks, first=stats.METHODS[method_version].first_look)
