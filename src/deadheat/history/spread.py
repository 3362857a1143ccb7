"""How far the same ratio moves from one run to another though nothing changed. Pure.

A run's own interval holds for that run: for its builds, its memory layouts, that hour of that machine. Two
runs differ by more, and how much more is seen only in runs that were repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deadheat import stats
from deadheat.history.trend import FEWEST as FEWEST_FOR_CHANGES
from deadheat.model.result import Interval
from deadheat.stats.estimate import t_quantile
from deadheat.stats.simulation import Noise

#: Fewer runs than this say too little of their spread.
FEWEST = 4
#: The noise model's 2% a process start (docs/method.md), for each of two contenders, as if a run's starts all
#: shared it: the standard deviation of a run's log ratio where no history gives a better one.
DEFAULT_SD = math.sqrt(2) * Noise().start_sd


@dataclass(frozen=True)
class Level:
    """A log ratio as one run has it: the squared standard error within that run, and its freedom."""

    log: float
    variance: float
    freedom: float


@dataclass(frozen=True)
class Spread:
    """Between runs. `variance` is that of a run's log ratio with all that moves it, `freedom` how well it is
    known, `within` the part that runs know of themselves. `runs` is 0 where it is the default."""

    variance: float
    freedom: float
    within: float
    runs: int

    @property
    def sd(self) -> float:
        return math.sqrt(self.variance)


@dataclass(frozen=True)
class Change:
    """The ratio after over the ratio before, with an interval that has room for what lies between runs."""

    ratio: float
    ci: Interval


def spread(history: Sequence[Level]) -> Spread | None:
    """From runs of the same pair, in their order: pooled within levels, so that a change is no noise.

    None with fewer than FEWEST runs.
    """
    if len(history) < FEWEST:
        return None
    logs = np.array([level.log for level in history])
    changes = stats.change_points(logs) if len(logs) >= FEWEST_FOR_CHANGES else []
    segments = [logs[i:j] for i, j in pairwise([0, *changes, len(logs)])]
    freedom = len(logs) - len(segments)
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in segments)
    within = float(np.mean([level.variance for level in history]))
    return Spread(squares / freedom, freedom, within, len(history))


def change(before: Level, after: Level, between: Spread | None, confidence: float = 0.95) -> Change:
    """How the ratio changed. With no spread known, the runs' own errors and DEFAULT_SD each.

    With a history the difference of two runs has twice the variance of one; where these two know their
    own ratio worse than the history's runs did, what they lack is added. Degrees of freedom by
    Satterthwaite.
    """
    own = before.variance + after.variance
    if between is None:
        parts = [
            (before.variance, before.freedom),
            (after.variance, after.freedom),
            (2 * DEFAULT_SD**2, math.inf),
        ]
    else:
        lacking = max(0.0, own - 2 * between.within)
        parts = [(2 * between.variance, between.freedom), (lacking, min(before.freedom, after.freedom))]
    variance = sum(part for part, _ in parts)
    uncertainty = sum(part**2 / freedom for part, freedom in parts if freedom > 0)
    # Not more than a normal's, which a t with very many degrees of freedom is.
    freedom = min(variance**2 / uncertainty, 1e9) if uncertainty > 0 else 1e9
    half = t_quantile(confidence, freedom) * math.sqrt(variance)
    difference = after.log - before.log
    return Change(math.exp(difference), (math.exp(difference - half), math.exp(difference + half)))
