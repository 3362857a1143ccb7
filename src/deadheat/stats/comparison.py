"""Two contenders, or one alone, from their observations to an estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deadheat.stats.estimate import Estimate, Series, block_effects, estimate, paired
from deadheat.stats.twins import bootstrap, hodges_lehmann


def compare(a: Series, b: Series, *, lower_is_better: bool = False, confidence: float = 0.95) -> Estimate:
    """The estimate of how many times as fast a is as b, with its twins, and its rounds counted.

    Raises ValueError if the two do not align by block and round.
    """
    pairs = paired(a, b)
    effects = block_effects(a, b, lower_is_better=lower_is_better)
    rounds = sum(pair.size for pair in pairs)
    lost = rounds - sum(int(np.isfinite(pair).sum()) for pair in pairs)
    return replace(
        estimate(effects, confidence=confidence),
        rounds=rounds,
        rounds_lost=lost,
        twins=(hodges_lehmann(effects, confidence=confidence), bootstrap(effects, confidence=confidence)),
    )


def absolute(series: Series, *, confidence: float = 0.95) -> Estimate:
    """A contender's own level: `ratio` is the geometric mean of its values, `ci` a t interval over blocks.

    Context only: on a shared machine absolute figures drift by far more than this interval says.
    """
    zeros = [np.zeros_like(np.asarray(block, dtype=float)) for block in series]
    return compare(series, zeros, confidence=confidence)
