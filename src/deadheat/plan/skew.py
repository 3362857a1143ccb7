"""Contenders whose starts were skewed in earlier races, and how many blocks a pair is planned for it."""

from __future__ import annotations

from collections.abc import Collection

from deadheat import stats
from deadheat.model.plan import RacePlan


def skewed(race: RacePlan) -> list[str]:
    """The contenders whose last starts are skewed, so that few blocks miss the rare slow one."""
    return [] if race.past is None else [id_ for id_, of in race.past.starts.items() if stats.skewed(of)]


def end_of(race: RacePlan, entries: Collection[str] | None = None) -> int:
    """After how many blocks these end by plan, before anybody asks them to go on; the race without any.

    Who is skewed needs more blocks than others. Each contender is tested at 5%, so of a dozen in a race one
    is often found by chance: that makes its own pairs longer, and nobody else's.
    """
    if entries is not None and race.unskewed_blocks is not None and not {*entries} & {*skewed(race)}:
        return race.unskewed_blocks
    return race.blocks if race.going_on is None else race.going_on.end


def blocks_of(race: RacePlan, entries: Collection[str]) -> int:
    """How many blocks these have at most by now: what was planned, or what they went on to."""
    end, going_on = end_of(race, entries), race.going_on
    if going_on is None or race.blocks <= going_on.end:
        return min(end, race.blocks)
    return min(race.blocks, going_on.most * end // going_on.end)


def in_all(race: RacePlan) -> float:
    """How many blocks of everybody take as long as the race's, some of which may be of the skewed alone."""
    if race.unskewed_blocks is None:
        return race.blocks
    apart = {*skewed(race)}
    stay = sum(entry.contender in apart or entry.contender == race.reference for entry in race.entries)
    return race.unskewed_blocks + (race.blocks - race.unskewed_blocks) * stay / len(race.entries)
