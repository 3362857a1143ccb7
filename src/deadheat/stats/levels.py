"""One value a block (a percentile, a peak of memory), and shares of counted things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from deadheat.stats.estimate import Series


def by_block(values: Sequence[float | None]) -> Series:
    """One value a block as a series, for `compare` (with lower_is_better for latencies) and `absolute`.

    Percentiles are of each block's own merged histogram, never averaged from shorter ones. None, zero and
    negative values count as blocks without one.
    """
    return [np.array([math.log(v) if v is not None and v > 0 else math.nan]) for v in values]


@dataclass(frozen=True)
class Spread:
    """Median over blocks, and the least and greatest."""

    median: float
    least: float
    greatest: float

    @property
    def varies(self) -> bool:
        """Whether there is a range to print: what does not vary has none."""
        return self.least != self.greatest


def spread(values: Sequence[float | None]) -> Spread | None:
    """Median and range of what is known (peak memory, sizes); None if nothing is."""
    known = [v for v in values if v is not None and math.isfinite(v)]
    return Spread(float(np.median(known)), min(known), max(known)) if known else None


def share(count: int, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a proportion found as `count` of `of`; Clopper and Pearson 1934."""
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no proportion")
    tail = (1 - confidence) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return low, high
