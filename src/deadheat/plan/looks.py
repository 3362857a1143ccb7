"""When a race is looked at, as its plan says."""

from __future__ import annotations

from collections.abc import Collection

from deadheat import stats
from deadheat.model.plan import RacePlan
from deadheat.plan import skew


def looks_of(race: RacePlan, pair: Collection[str] | None = None) -> stats.Looks:
    """The looks that the race's plan fixes, or those of a pair of it, which may end before others: one alone,
    where nothing ends it before its last block."""
    if race.to_the_end:
        return stats.Looks((race.blocks,))
    end = skew.end_of(race, pair)
    if race.going_on is None:
        return looks_at(end, race.method_version)
    first, most = stats.METHODS[race.method_version].first_look, skew.most_of(race, pair)
    return stats.plan_looks(end, most=most, first=first, reserve=race.going_on.reserve)


def looks_at(blocks: int, method_version: int) -> stats.Looks:
    """Those of so many blocks by a version of the method: from a quarter of them on, after each."""
    return stats.plan_looks(blocks, first=stats.METHODS[method_version].first_look)
