"""Two contenders, or one alone, from their observations to an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deadheat.stats.estimate import Estimate, Series, block_effects, estimate, paired
from deadheat.stats.rounds import Rounds, effects_of


def compare_sums(
    a: Sequence[Rounds], b: Sequence[Rounds], *, lower_is_better: bool = False, confidence: float = 0.95
) -> Estimate:
    """The estimate of how many times as fast a is as b, by their blocks' sums, and its rounds counted.

    Raises ValueError if the two do not align by block and round.
    """
    effects, rounds, lost = effects_of(a, b, lower_is_better=lower_is_better)
    return replace(estimate(effects, confidence=confidence), rounds=rounds, rounds_lost=lost)


def absolute_sums(series: Sequence[Rounds], *, confidence: float = 0.95) -> Estimate:
    """A contender's own level: `ratio` is the geometric mean of its blocks' values, `ci` over blocks.

    Context only: on a shared machine absolute figures drift by far more than this interval says.
    """
    values = np.array([block.log_value() for block in series], dtype=float)
    return estimate(values[np.isfinite(values)], confidence=confidence)


def compare(a: Series, b: Series, *, lower_is_better: bool = False, confidence: float = 0.95) -> Estimate:
    """The same of values that are logs already: one figure a block, and runs of the method's version 1.

    Raises ValueError if the two do not align by block and round.
    """
    pairs = paired(a, b)
    effects = block_effects(a, b, lower_is_better=lower_is_better)
    rounds = sum(pair.size for pair in pairs)
    lost = rounds - sum(int(np.isfinite(pair).sum()) for pair in pairs)
    return replace(estimate(effects, confidence=confidence), rounds=rounds, rounds_lost=lost)


def absolute(series: Series, *, confidence: float = 0.95) -> Estimate:
    """The level of values that are logs already, as `absolute_sums` is of sums."""
    means = [block[np.isfinite(block)].mean() for block in series if np.isfinite(block).any()]
    return estimate(np.array(means, dtype=float), confidence=confidence)
