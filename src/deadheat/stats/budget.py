"""Blocks and slices for a budget: repeat where the variance is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from deadheat.stats.estimate import t_quantile


class BudgetTooShortError(ValueError):
    """The budget does not hold the fewest blocks; `minimum_s` is what would."""

    def __init__(self, budget_s: float, minimum_s: float, blocks: int) -> None:
        super().__init__(f"{budget_s:.0f} s is too short for {blocks} blocks: at least {minimum_s:.0f} s")
        self.minimum_s = minimum_s


@dataclass(frozen=True)
class Costs:
    """Seconds a block takes whatever its rounds (start, check, warm up, stop), and seconds a round takes."""

    block_s: float
    round_s: float


@dataclass(frozen=True)
class Allocation:
    """A choice of blocks and rounds, and what it is expected to give (log units)."""

    blocks: int
    rounds: int
    seconds: float
    half_width: float
    smallest_difference: float


def best_rounds(start_variance: float, slice_variance: float, costs: Costs) -> float:
    """Rounds a block that are worth their time, whatever the budget; Kalibera and Jones 2013, section 6.

    sqrt(cost of a block / cost of a round * variance of a round / variance of a start), both variances those
    of the pair's log ratio. Infinite where starts do not vary.
    """
    if start_variance <= 0:
        return math.inf
    return math.sqrt(costs.block_s / costs.round_s * slice_variance / start_variance)


def allocate(
    budget_s: float,
    costs: Costs,
    start_variance: float,
    slice_variance: float,
    *,
    fewest_blocks: int = 3,
    fewest_rounds: int = 5,
    confidence: float = 0.95,
    power: float = 0.8,
) -> Allocation:
    """The blocks and rounds whose t interval is expected to be the narrowest within the budget.

    Kalibera and Jones's choice minimises the variance; with few blocks the t quantile counts as much, so the
    half-width itself is minimised over the number of blocks, and with many blocks the two agree. Raises
    BudgetTooShortError if `fewest_blocks` blocks of `fewest_rounds` rounds do not fit.
    """
    shortest_block_s = costs.block_s + fewest_rounds * costs.round_s
    most_blocks = math.floor(budget_s / shortest_block_s + 1e-9)
    if most_blocks < fewest_blocks:
        raise BudgetTooShortError(budget_s, fewest_blocks * shortest_block_s, fewest_blocks)
    choices = []
    for blocks in range(fewest_blocks, most_blocks + 1):
        rounds = math.floor((budget_s / blocks - costs.block_s) / costs.round_s + 1e-9)
        error = math.sqrt((start_variance + slice_variance / rounds) / blocks)
        half_width = t_quantile(confidence, blocks - 1) * error
        found = half_width + float(stdtrit(blocks - 1, power)) * error
        seconds = blocks * (costs.block_s + rounds * costs.round_s)
        choices.append(Allocation(blocks, rounds, seconds, half_width, found))
    return min(choices, key=lambda choice: choice.half_width)
