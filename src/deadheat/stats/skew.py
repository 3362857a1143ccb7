"""Are a contender's starts skewed? Few blocks then miss the rare slow start: their interval is too short."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from deadheat.stats.estimate import NO_SPREAD, FloatArray

# Fewer starts say nothing of skew; more are not looked back at.
FEWEST_STARTS, MOST_STARTS = 15, 30
LEVEL = 0.05
_RUNS = 20_000
# So many times means and medians are taken off, until hardly anything is left of them (Tukey's polish).
_POLISHED = 10
# A start beyond so many standard deviations is nothing that others of its block share.
_FAR = 5.0


def by_themselves(levels: FloatArray) -> FloatArray:
    """Log levels of starts (contenders, blocks; with gaps) less their contender's mean and their block's.

    Block and contender are means of the starts that are not far from where medians say that they belong: one
    that goes wrong would otherwise be in what is left of all others of its block. Medians alone leave zeros,
    and tails too long for a test of skew: of three contenders without any 18% were called skewed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of rows of gaps alone
        usual = 1.4826 * np.nanmedian(np.abs(_without(levels, np.nanmean)))
        far = np.abs(_without(levels, np.nanmedian)) > max(_FAR * usual, NO_SPREAD)
        left = _without(levels, np.nanmean, of=np.where(far, np.nan, levels))
        return np.asarray(left - np.nanmean(left, axis=1, keepdims=True))


def _without(
    levels: FloatArray, centre: Callable[..., FloatArray], of: FloatArray | None = None
) -> FloatArray:
    """`levels` less the centres of rows and columns in turn: of their own, or of others of that shape."""
    left, others = levels, levels if of is None else of
    for axis in (1, 0) * _POLISHED:
        off = np.nan_to_num(centre(others, axis=axis, keepdims=True))
        left, others = left - off, others - off
    return left


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
