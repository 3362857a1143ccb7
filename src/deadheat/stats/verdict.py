"""An estimate -> a verdict, by the interval that is printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deadheat.model.reason import NoCommonBlock, NoSpread, Reason, RoundsLost, TooFewBlocks, Undecided
from deadheat.stats.estimate import Estimate
from deadheat.stats.power import blocks_needed

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
    reasons: tuple[Reason, ...] = ()
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

    def at_least(self, reason: Reason) -> Verdict:
        """The same verdict by a ratio that is a lower bound, for a limit that the faster one alone was at."""
        return replace(self, reasons=(reason,))

    def void(self, reason: Reason) -> Verdict:
        """The same figures without a verdict, for a broken gate."""
        return replace(self, kind="invalid", reasons=(reason,), more_blocks=None)


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
    doubts: Sequence[Reason] = (),
    fewest_blocks: int = 2,
    later_confidence: Callable[[int], float] | None = None,
) -> Verdict:
    """The verdict that an estimate's own interval supports.

    `faster` only if the interval lies wholly outside the margin; `dead heat` only if wholly inside (two
    one-sided tests, Schuirmann 1987, at the printed confidence and so stricter than his 90% interval). At
    margin 0 the question is whether the interval excludes 1, and nothing is a dead heat. Fewer blocks than
    `fewest_blocks` make it inconclusive whatever the interval, and so do `doubts` of the caller's.
    `later_confidence`: at which so many blocks in all would be judged, where it is not what these were.
    """
    reasons = [*unfit(estimate, fewest_blocks), *doubts]
    if reasons:
        return Verdict("inconclusive", estimate, margin, tuple(reasons))
    where = region(estimate.low, estimate.high, margin)
    if where == "outside":
        return Verdict("faster", estimate, margin)
    if where == "inside":
        return Verdict("dead heat", estimate, margin)
    return _undecided(estimate, margin, later_confidence)


def unfit(estimate: Estimate, fewest_blocks: int = 2) -> list[Reason]:
    """Why no interval of this estimate could be judged; `fewest_blocks` are at least 2."""
    if estimate.blocks == 0:
        return [NoCommonBlock()]
    reasons: list[Reason] = []
    if estimate.rounds_lost > max(1, MAX_LOST_SHARE * estimate.rounds):
        reasons.append(RoundsLost(lost=estimate.rounds_lost, rounds=estimate.rounds))
    if estimate.blocks < max(2, fewest_blocks):
        reasons.append(TooFewBlocks(blocks=estimate.blocks, needed=max(2, fewest_blocks)))
    elif estimate.constant:
        reasons.append(NoSpread(blocks=estimate.blocks))
    return reasons


def _undecided(estimate: Estimate, margin: float, later_confidence: Callable[[int], float] | None) -> Verdict:
    extra = blocks_needed(estimate, margin, confidence=later_confidence)
    reason = Undecided(margin=margin, hopeless=extra is None)
    return Verdict("inconclusive", estimate, margin, (reason,), extra)
