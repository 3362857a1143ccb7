"""Are a contender's starts skewed? Few blocks then miss the rare slow start: their interval is too short."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from deadheat.stats.estimate import NO_SPREAD

# Fewer starts say nothing of skew; more are not looked back at.
FEWEST_STARTS, MOST_STARTS = 15, 30
LEVEL = 0.05
_RUNS = 20_000


def skewness(values: Sequence[float]) -> float:
    """The sample's third standardised moment; 0 where nothing varies."""
    found = np.asarray(values, dtype=float)
    centred = found - found.mean()
    spread = math.sqrt(float((centred**2).mean()))
    return float((centred**3).mean()) / spread**3 if spread > NO_SPREAD else 0.0


def skewed(starts: Sequence[float]) -> bool:
    """Whether the last 30 starts (log values, each less what its block shared) are skewed, at 5%.

    Against normal samples of the same size, simulated from a fixed seed. False with fewer than 15.
    """
    last = [value for value in starts if math.isfinite(value)][-MOST_STARTS:]
    return len(last) >= FEWEST_STARTS and abs(skewness(last)) > _critical(len(last))


@lru_cache(maxsize=32)
def _critical(starts: int) -> float:
    drawn = np.random.default_rng(1_930).standard_normal((_RUNS, starts))
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    found = (centred**3).mean(axis=1) / (centred**2).mean(axis=1) ** 1.5
    return float(np.quantile(np.abs(found), 1 - LEVEL))
