"""The null pair: what the method reports when there is nothing to find, and what it could have seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import nctdtrinc

from deadheat.stats.estimate import WIDEST, Estimate, t_quantile
from deadheat.stats.levels import share

# At 95% five clean workloads would have one refused in a quarter of runs; at 99.9%, in one of 200.
GATE_CONFIDENCE = 0.999
# Of the 95% intervals of pooled null pairs so many exclude 1 by chance.
POOL_LIMIT = 0.05
POOL_SIZE = 100
# Of fewer, two that exclude 1 by chance would break it: as it is asked again in each race, that must be rare.
FEWEST_POOLED = 20


@dataclass(frozen=True)
class NullPair:
    """`estimate` has the interval to show; `ok` is whether the wider one of the gate covers 1.

    `detectable` is the bias that this race's gate would have found four times in five, as a ratio (1.08: one
    start 8% ahead of itself); None where nothing could have been found.
    """

    estimate: Estimate
    ok: bool
    why: str | None = None
    detectable: float | None = None


@dataclass(frozen=True)
class NullPool:
    """Null pairs of past races of one kind, method and machine: of so many, those that excluded 1 at 95%."""

    pairs: int
    excluding: int

    @property
    def share(self) -> tuple[float, float]:
        """The exact 95% interval of the share that excludes 1."""
        return share(self.excluding, self.pairs)

    @property
    def ok(self) -> bool:
        """Broken where even the exact lower limit of the share is above 5%, of 20 pairs or more.

        A and A' are exchangeable, so their ratios' mean says nothing: it is the share that must be right.
        """
        return self.pairs < FEWEST_POOLED or self.share[0] <= POOL_LIMIT


def judge_null_pair(
    estimate: Estimate,
    *,
    gate_confidence: float = GATE_CONFIDENCE,
    confidence: float = 0.95,
    fewest_blocks: int = 2,
) -> NullPair:
    """Whether a contender against itself is told apart; one that could not have told is not ok."""
    shown = estimate.at(confidence)
    if estimate.blocks == 0:
        return NullPair(shown, False, "the null pair has no block with a value of both")
    if estimate.blocks < fewest_blocks:
        blocks = "one block" if estimate.blocks == 1 else f"{estimate.blocks} blocks"
        return NullPair(shown, False, f"{blocks} cannot tell a contender from itself")
    bias = detectable_bias(estimate, gate_confidence)
    gate = estimate.at(gate_confidence)
    if gate.low <= 0 <= gate.high:
        return NullPair(shown, True, detectable=bias)
    why = f"the same contender entered twice came out at {shown.ratio:.3g} times as fast as itself"
    return NullPair(shown, False, why, bias)


def detectable_bias(
    estimate: Estimate, confidence: float = GATE_CONFIDENCE, power: float = 0.8
) -> float | None:
    """The ratio that an interval at this confidence excludes 1 for with this power, the spread as found.

    By the noncentral t; None with fewer than two blocks, without spread, and where no ratio is that large.
    """
    if estimate.blocks < 2 or not 0 < estimate.standard_error < math.inf:
        return None
    degrees = estimate.blocks - 1
    shift = float(nctdtrinc(degrees, 1 - power, t_quantile(confidence, degrees)))
    bias = shift * estimate.standard_error
    return math.exp(bias) if bias <= WIDEST else None
