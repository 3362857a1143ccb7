"""Blocks and rounds of servers for a time, by how their starts vary, else by this machine's calibration."""

from __future__ import annotations

from deadheat import stats
from deadheat.model.plan import RacePlan
from deadheat.plan import learnt
from deadheat.plan.asked import Asked

# One more than any verdict needs: a block may be lost.
LEAST_BLOCKS = 6


def sized(
    race: RacePlan, seconds: float, costs: stats.Costs, asked: Asked, least_rounds: int
) -> RacePlan | None:
    """The race with the blocks and rounds whose interval is expected to be the shortest (Kalibera and Jones).

    `costs` are those of a block of this race. The variances are those of its own contenders, where enough of
    their starts are known; else those of a pair of the calibration's servers, whose slices are as long. None
    where neither is known, or where so few blocks do not fit.
    """
    known = spread(race, asked)
    if known is None:
        return None
    try:
        chosen = stats.allocate(
            seconds,
            costs,
            known.starts,
            known.rounds,
            fewest_blocks=LEAST_BLOCKS,
            fewest_rounds=least_rounds,
        )
    except stats.BudgetTooShortError:
        return None
    return race.replaced(blocks=chosen.blocks, rounds=chosen.rounds)


def spread(race: RacePlan, asked: Asked) -> learnt.Spread | None:
    """By which a race of servers gets its blocks and rounds: a JVM's starts differ otherwise than those of
    the calibration's servers."""
    own = learnt.spread(race, learnt.variances(race, asked.past))
    if own is not None or asked.calibration is None:
        return own
    return learnt.Spread(asked.calibration.start_variance, asked.calibration.slice_variance)
