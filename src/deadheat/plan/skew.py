"""Contenders whose starts were skewed in earlier races, and how many blocks a pair is planned for it."""

from __future__ import annotations

from collections.abc import Collection

from deadheat import stats
from deadheat.model.plan import RacePlan


def skewed(race: RacePlan) -> list[str]:
    """The contenders whose last starts are skewed, so that few blocks miss the rare slow one."""
    return [] if race.past is None else [id_ for id_, of in race.past.starts.items() if stats.skewed(of)]


def any_skewed(race: RacePlan, entries: Collection[str]) -> bool:
    """Whether one of these is: then a verdict on them needs more blocks."""
    return not {*entries}.isdisjoint(skewed(race))


def end_of(race: RacePlan, entries: Collection[str] | None = None) -> int:
    """After how many blocks these end by plan, before anybody asks them to go on; the race without any.

    Who is skewed needs more blocks than others. Each contender is tested at 5%, so of a dozen in a race one
    is often found by chance: that makes its own pairs longer, and nobody else's.
    """
    if entries is not None and race.unskewed_blocks is not None and not any_skewed(race, entries):
        return race.unskewed_blocks
    return race.blocks if race.going_on is None else race.going_on.end


def most_of(race: RacePlan, entries: Collection[str] | None = None) -> int:
    """Up to how many blocks these may be made to go on: as many times their planned end as the race's."""
    end, going_on = end_of(race, entries), race.going_on
    return end if going_on is None else going_on.most * end // going_on.end


def blocks_of(race: RacePlan, entries: Collection[str]) -> int:
    """How many blocks these have at most by now: what was planned, or what they went on to."""
    gone_on = race.going_on is not None and race.blocks > race.going_on.end
    return min(race.blocks, (most_of if gone_on else end_of)(race, entries))


def in_all(race: RacePlan, behind: int = 0) -> float:
    """How many blocks of everybody take as long as the race's do, some of which may be of the skewed alone;
    as those do that come behind its first so many."""
    others = max(0, blocks_of(race, ()) - behind)
    apart = {*skewed(race), race.reference}
    stay = sum(entry.contender in apart for entry in race.entries)
    return others + (max(0, race.blocks - behind) - others) * stay / len(race.entries)


def block_s(race: RacePlan) -> float:
    """About how long a block of everybody takes, seconds; 0 where no time was planned."""
    return (race.estimated_s or 0.0) / in_all(race)
