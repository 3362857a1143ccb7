"""Times of repeated builds, summed up; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from deadheat import stats
from deadheat.model.artifact import BuildTimes
from deadheat.model.result import Compiling
from deadheat.stats import Estimate


def summary(times: BuildTimes) -> Compiling:
    """Medians, and the distribution-free 95% interval of each, which six or more builds give."""
    return Compiling(
        times=len(times.cold_s),
        cold_s=float(np.median(times.cold_s)),
        cold_ci=median_ci(times.cold_s),
        warm_s=float(np.median(times.warm_s)),
        warm_ci=median_ci(times.warm_s),
    )


def median_ci(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, equally far from both ends, that covers the median.

    None where even the whole range covers it too seldom: with fewer than six values at 95%. Source:
    David and Nagaraja, Order Statistics (2003), 7.1: the number of values below the median is binomial.
    """
    ordered = sorted(values)
    count = len(ordered)
    tail = [math.comb(count, below) / 2**count for below in range(count // 2 + 1)]
    fitting = [k for k in range(count // 2) if 2 * sum(tail[: k + 1]) <= 1 - confidence]
    if not fitting:
        return None
    return ordered[fitting[-1]], ordered[count - 1 - fitting[-1]]


def compare(a: BuildTimes, b: BuildTimes) -> Estimate | None:
    """How many times as fast a builds as b, warm, paired by turn; None where they were not timed together."""
    if a.session != b.session or len(a.warm_s) != len(b.warm_s):
        return None
    return stats.estimate(np.log(np.array(b.warm_s) / np.array(a.warm_s)))
