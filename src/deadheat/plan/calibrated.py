"""Blocks and rounds of servers for a time, by what this machine's calibration says of its noise."""

from __future__ import annotations

from deadheat import stats
from deadheat.model.calibration import Calibration
from deadheat.model.plan import RacePlan

# One more than any verdict needs: a block may be lost.
LEAST_BLOCKS = 6


def sized(
    race: RacePlan, seconds: float, costs: stats.Costs, known: Calibration | None, least_rounds: int
) -> RacePlan | None:
    """The race with the blocks and rounds whose interval is expected to be the shortest (Kalibera and Jones).

    `costs` are those of a block of this race. The variances are those of a pair of the calibration's own
    servers, whose slices are as long. None without a calibration, or where so few blocks do not fit.
    """
    if known is None:
        return None
    try:
        chosen = stats.allocate(
            seconds,
            costs,
            known.start_variance,
            known.slice_variance,
            fewest_blocks=LEAST_BLOCKS,
            fewest_rounds=least_rounds,
        )
    except stats.BudgetTooShortError:
        return None
    return race.replaced(blocks=chosen.blocks, rounds=chosen.rounds)
