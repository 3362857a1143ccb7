"""A race that goes on beyond its planned end, by blocks that were planned, and paid for, from the start."""

from __future__ import annotations

from collections.abc import Iterable

from deadheat import stats
from deadheat.model.observation import GoneOn, Observation, Settled
from deadheat.model.plan import GoingOn, RacePlan
from deadheat.plan import skew

# So many times as many blocks as planned a race may have in all.
TIMES = 2


def planned(race: RacePlan) -> RacePlan:
    """The race with what it keeps back to go on: to twice its blocks, or twice the fewest of a verdict."""
    # Fewer blocks than any verdict needs have no end at which anything could be judged.
    end = max(race.blocks, stats.METHODS[race.method_version].fewest_blocks)
    return race.replaced(going_on=GoingOn(end=end, most=TIMES * end, reserve=stats.RESERVE))


def so_far(race: RacePlan, observed: Iterable[Observation]) -> RacePlan:
    """The race with the blocks that it has been asked for by now, and the time that they take."""
    for o in observed:
        if isinstance(o, GoneOn) and o.race == race.key and o.blocks > race.blocks:
            longer = race.replaced(blocks=o.blocks)
            if race.estimated_s is not None:
                taking_s = skew.block_s(race) * skew.in_all(longer)
                longer = longer.replaced(estimated_s=round(taking_s, 1))
            race = longer
    return race


def ended(race: RacePlan, observed: Iterable[Observation]) -> bool:
    """Whether the race ended at a look, and has not been asked to go on since."""
    settled = False
    for o in observed:
        if isinstance(o, Settled | GoneOn) and o.race == race.key:
            settled = isinstance(o, Settled)
    return settled
