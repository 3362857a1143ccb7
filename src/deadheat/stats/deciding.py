"""Rules that a change passes or fails by: is it worse by more than so much, and how often do they err."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from scipy.special import stdtr

from deadheat.stats.chance import noise
from deadheat.stats.estimate import Estimate, t_quantile
from deadheat.stats.sequential import Looks
from deadheat.stats.verdict import log_margin

Key = TypeVar("Key", bound=Hashable)
State = Literal["fails", "holds", "open"]


@dataclass(frozen=True)
class Rule:
    """Fails what is worse by more than `threshold` (0.03 is 3%).

    The interval excludes no change and the estimate is beyond the threshold; `surely`: the whole interval is
    beyond it. Of a change just as large as the threshold the first fails every other race, the second almost
    none; of no change neither does, but for what its confidence leaves.
    """

    threshold: float
    surely: bool = False

    def state(self, estimate: Estimate) -> State:
        """`estimate` says how many times as good the changed one is. `holds`: the whole interval is short of
        the threshold."""
        if estimate.log_ratio is None:
            return "open"
        low, high, edge = -estimate.high, -estimate.low, log_margin(self.threshold)
        if low > edge or (not self.surely and low > 0 and -estimate.log_ratio > edge):
            return "fails"
        return "holds" if high < edge else "open"


def judge_edges(
    estimates: Mapping[Key, Estimate],
    edges: Mapping[Key, Sequence[float]],
    *,
    confidence: float = 0.95,
    looks: Mapping[Key, Looks] | None = None,
) -> dict[Key, Estimate]:
    """A family of estimates, each with the interval of the level it was judged at, by Holm's step-down.

    What is asked of each is on which side of which of its `edges` (log units) it lies. The one that is surest
    to lie on a side of one of them is judged at alpha / m, the next at alpha / (m - 1), and so on; from the
    first that lies on no side of any, all are judged at its level. `looks` are those of the race that each
    comes from, over which its level is spent.
    """
    alpha = 1 - confidence
    judged: dict[Key, Estimate] = {}
    while len(judged) < len(estimates):
        level = alpha / (len(estimates) - len(judged))
        left = {
            key: one.at(1 - _nominal(level, one, (looks or {}).get(key)))
            for key, one in estimates.items()
            if key not in judged
        }
        decided = [key for key, one in left.items() if any(_beside(one, edge) for edge in edges[key])]
        surest = sorted(decided, key=lambda key: min(_p(estimates[key], edge) for edge in edges[key]))[:1]
        judged.update((key, left[key]) for key in surest or left)
    return {key: judged[key] for key in estimates}


def chance_to_fail(
    rule: Rule,
    difference: float,
    spread: float,
    looks: Looks,
    *,
    margin: float,
    alpha: float = 0.05,
    runs: int = 4_000,
    seed: int = 1,
) -> float:
    """How often the rule fails a change that is worse by `difference` (0.03 is 3%), by simulation.

    `spread`: the standard deviation of a block's log ratio, taken as normal. A race ends at the first of its
    looks at which the interval leaves the margin's edges clear, as it does in truth, and is judged there.
    """
    failed = np.zeros(runs, dtype=bool)
    over = np.zeros(runs, dtype=bool)
    edge, beyond = math.log1p(margin), log_margin(rule.threshold)
    for blocks, (average, deviation) in noise(looks.blocks, runs, seed).items():
        half = (
            t_quantile(1 - looks.nominal(alpha, blocks), blocks - 1) * spread * deviation / math.sqrt(blocks)
        )
        mean = math.log1p(difference) + spread * average
        low, high = mean - half, mean + half
        clear = (low > edge) | (high < -edge) | ((low > -edge) & (high < edge))
        ends = ~over & (clear if blocks < looks.planned_end else True) & looks.may_end(blocks)
        fails = low > beyond
        if not rule.surely:
            fails |= (low > 0) & (mean > beyond)
        failed |= ends & fails
        over |= ends
    return float(failed.mean())


def _nominal(level: float, estimate: Estimate, looks: Looks | None) -> float:
    return level if looks is None else looks.nominal(level, estimate.blocks)


def _beside(estimate: Estimate, edge: float) -> bool:
    """Whether its interval lies wholly on one side of the edge."""
    return estimate.log_ratio is not None and (estimate.low > edge or estimate.high < edge)


def _p(estimate: Estimate, edge: float) -> float:
    """The smallest alpha at which its t interval leaves the edge clear; 1 where the blocks allow none."""
    if estimate.log_ratio is None or estimate.blocks < 2:
        return 1.0
    distance = abs(estimate.log_ratio - edge)
    if estimate.standard_error == 0:
        return 0.0 if distance > 0 else 1.0
    return 2 * float(stdtr(estimate.blocks - 1, -distance / estimate.standard_error))
