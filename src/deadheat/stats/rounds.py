"""One contender in one block: what it did in each round, and in how much time or for how many requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadheat.stats.estimate import FloatArray, Series


@dataclass(frozen=True)
class Rounds:
    """Two arrays of shape (rounds,): replies and counted seconds, CPU time and replies, seconds and runs.

    A block's value is sum(amount) / sum(per) over its rounds: a stall costs what it costs, and a round
    without a reply counts as zero replies in its time. NaN marks a round that the contender was not in.
    """

    amount: FloatArray
    per: FloatArray

    def __post_init__(self) -> None:
        if self.amount.shape != self.per.shape or self.amount.ndim != 1:
            raise ValueError(f"rounds of shape {self.amount.shape} against {self.per.shape}")

    @property
    def there(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The rounds that the contender was in, shape (rounds,)."""
        return np.asarray(np.isfinite(self.amount) & np.isfinite(self.per) & (self.per >= 0))

    def log_value(self, rounds: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None) -> float:
        """Log of the sums' ratio over these rounds, its own by default; NaN where nothing is in them."""
        kept = self.there if rounds is None else rounds
        amount, per = float(self.amount[kept].sum()), float(self.per[kept].sum())
        return float(np.log(amount / per)) if amount > 0 and per > 0 else float("nan")

    def linear(self) -> FloatArray:
        """What each round contributes to the log value, in log units; shape (rounds,), NaN where not in it.

        Their mean is `log_value()` to the last digit and their scatter that of the ratio of sums, to first
        order (Taylor linearisation; Cochran 1977, chapter 6): what variance components and drift are of.
        """
        there = self.there
        amount, per = self.amount[there].sum(), self.per[there].sum()
        result = np.full(len(self.amount), np.nan)
        if amount > 0 and per > 0:
            share = self.amount[there] / amount - self.per[there] / per
            result[there] = there.sum() * share + np.log(amount / per)
        return result


def together(one: Rounds, other: Rounds) -> Rounds:
    """Both entries of one contender as one: their sums in the rounds that both were in."""
    both = one.there & other.there
    amount, per = (np.full(len(both), np.nan) for _ in range(2))
    amount[both] = one.amount[both] + other.amount[both]
    per[both] = one.per[both] + other.per[both]
    return Rounds(amount, per)


def effects_of(
    a: Sequence[Rounds], b: Sequence[Rounds], *, lower_is_better: bool = False
) -> tuple[FloatArray, int, int]:
    """Each block's log value of a less that of b over the rounds both were in; then rounds, and those lost.

    A block in which either did nothing at all has no effect: it is left out, and its rounds count as lost.
    Raises ValueError if the two do not align by block and round.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} blocks against {len(b)}: pass the blocks that both contenders have")
    effects, raced, lost = [], 0, 0
    for block, (mine, theirs) in enumerate(zip(a, b, strict=True)):
        if mine.amount.shape != theirs.amount.shape:
            shapes = f"{mine.amount.shape} against {theirs.amount.shape}"
            raise ValueError(f"block {block}: rounds of shape {shapes} cannot be paired")
        both = mine.there & theirs.there
        effect = mine.log_value(both) - theirs.log_value(both)
        raced += len(both)
        if np.isfinite(effect):
            effects.append(effect)
            lost += len(both) - int(both.sum())
        else:
            lost += len(both)
    found = np.array(effects, dtype=float)
    return (-found if lower_is_better else found), raced, lost


def linear(blocks: Sequence[Rounds]) -> Series:
    """Each block's rounds in log units, to take components and drift of."""
    return [block.linear() for block in blocks]
