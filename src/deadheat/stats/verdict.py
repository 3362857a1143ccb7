"""An estimate -> a verdict, by the interval that is printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deadheat.stats.estimate import Estimate
from deadheat.stats.power import blocks_needed
from deadheat.stats.twins import disagreements

Kind = Literal["faster", "dead heat", "inconclusive", "invalid"]

DEFAULT_MARGIN = 0.02
# Rounds without a value are rounds in which a contender stood still or failed: leaving out more than this
# share of them would flatter it. A lone one is no pattern, however few the rounds.
MAX_LOST_SHARE = 0.01


@dataclass(frozen=True)
class Verdict:
    """What may be said of a pair. `estimate` is the interval that was judged and is to be printed.

    Of a family of so many pairs it was judged at Holm's step (the first is 1) and so at `alpha`, which looks
    spend piece by piece: the interval's own level is `1 - estimate.confidence`.
    """

    kind: Kind
    estimate: Estimate
    margin: float
    why: str | None = None
    more_blocks: int | None = None
    family: int = 1
    step: int = 1
    alpha: float = 0.05

    @property
    def winner(self) -> Literal["a", "b"] | None:
        """The faster of the pair, or None."""
        if self.kind != "faster" or self.estimate.log_ratio is None:
            return None
        return "a" if self.estimate.log_ratio > 0 else "b"

    def void(self, why: str) -> Verdict:
        """The same figures without a verdict, for a broken gate."""
        return replace(self, kind="invalid", why=why, more_blocks=None)


def log_margin(margin: float) -> float:
    """The margin in log units: 0.02 is the interval [1/1.02, 1.02]; raises ValueError unless 0 <= m < 1."""
    if not 0 <= margin < 1:
        raise ValueError(f"the margin must be at least 0 and below 1 (2% is 0.02), not {margin}")
    return math.log1p(margin)


def region(low: float, high: float, margin: float) -> Literal["outside", "inside", "across"]:
    """Where an interval of log ratios lies: wholly outside the margin, wholly inside, or across its edge."""
    edge = log_margin(margin)
    if low > edge or high < -edge:
        return "outside"
    if -edge < low and high < edge:
        return "inside"
    return "across"


def judge(
    estimate: Estimate,
    margin: float = DEFAULT_MARGIN,
    *,
    doubts: Sequence[str] = (),
    later_confidence: float | None = None,
) -> Verdict:
    """The verdict that an estimate's own interval supports.

    `faster` only if the interval lies wholly outside the margin; `dead heat` only if wholly inside (two
    one-sided tests, Schuirmann 1987, at the printed confidence and so stricter than his 90% interval). At
    margin 0 the question is whether the interval excludes 1, and nothing is a dead heat. Twins that disagree
    make it inconclusive whatever the interval, and so do `doubts` of the caller's.
    `later_confidence` is what more blocks would be judged at, where that is milder than at an early look.
    """
    reasons = [*_unfit(estimate), *disagreements(estimate), *doubts]
    if reasons:
        return Verdict("inconclusive", estimate, margin, "; ".join(reasons))
    where = region(estimate.low, estimate.high, margin)
    if where == "outside":
        return Verdict("faster", estimate, margin)
    if where == "inside":
        return Verdict("dead heat", estimate, margin, f"within {100 * margin:.3g}%")
    return _undecided(estimate, margin, later_confidence)


def _unfit(estimate: Estimate) -> list[str]:
    """Why no interval of this estimate could be judged."""
    if estimate.blocks == 0:
        return ["no block has a value of both"]
    reasons = []
    if estimate.rounds_lost > max(1, MAX_LOST_SHARE * estimate.rounds):
        reasons.append(f"{estimate.rounds_lost} of {estimate.rounds} rounds have no value (zero or failed)")
    if estimate.blocks == 1:
        reasons.append("one block has no interval: at least 2 are needed")
    elif estimate.constant:
        reasons.append(f"{estimate.blocks} blocks gave exactly the same ratio, which no measurement does")
    return reasons


def _undecided(estimate: Estimate, margin: float, later_confidence: float | None) -> Verdict:
    later = estimate if later_confidence is None else estimate.at(later_confidence)
    extra = blocks_needed(later, margin)
    why = (
        "the interval covers 1" if margin == 0 else f"the interval crosses the margin of {100 * margin:.3g}%"
    )
    if extra is None:
        why += ", and more blocks are unlikely to settle it"
    return Verdict("inconclusive", estimate, margin, why, extra)
