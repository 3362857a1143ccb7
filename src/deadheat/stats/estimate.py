"""Ratios over blocks: per block the mean log ratio, and a t interval over blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

FloatArray = NDArray[np.float64]
Series = Sequence[FloatArray]

# Below this spread (log units) blocks count as equal: it is what rounding leaves of a constant.
NO_SPREAD = 1e-12
# Beyond this (log units, a factor of 10^300) a ratio is no number: few blocks at an early look's level.
WIDEST = 690.0


@dataclass(frozen=True)
class Estimate:
    """A log ratio with its interval, in natural log units; never NaN.

    `log_ratio` is None if no block could be compared; `low` and `high` are infinite where the blocks allow
    no interval (fewer than two). `confidence` is that of this interval alone: one that was adjusted for a
    family or for looks has more than the 95% that it is printed with. `effects` are the blocks' own log
    ratios, shape (blocks,), where they are known. `freedom`: the degrees of freedom of
    its t; None: blocks less one.
    """

    log_ratio: float | None
    low: float
    high: float
    confidence: float
    blocks: int
    standard_error: float = math.inf
    rounds: int = 0
    rounds_lost: int = 0
    effects: tuple[float, ...] = ()
    freedom: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as fast a is as b."""
        return None if self.log_ratio is None else math.exp(self.log_ratio)

    @property
    def ci(self) -> tuple[float, float] | None:
        """The interval of the ratio, or None where it is not finite or where nothing varies."""
        if max(-self.low, self.high) > WIDEST or self.constant:
            return None
        return math.exp(self.low), math.exp(self.high)

    @property
    def half_width(self) -> float:
        """Half the interval's length, in log units; infinite where there is no interval."""
        return (self.high - self.low) / 2

    @property
    def constant(self) -> bool:
        """Whether two or more blocks gave exactly the same ratio, which measurements do not.

        By its standard error, so that it is the same at every confidence.
        """
        spread = self.standard_error if math.isfinite(self.standard_error) else self.half_width
        return self.blocks > 1 and spread <= NO_SPREAD

    def at(self, confidence: float) -> Estimate:
        """The same estimate at another confidence level."""
        if self.log_ratio is None:
            return replace(self, confidence=confidence)
        freedom = self.blocks - 1 if self.freedom is None else self.freedom
        quantile = t_quantile(confidence, freedom) if freedom > 0 else math.inf
        # No spread times an infinite quantile would be NaN.
        half = quantile * self.standard_error if math.isfinite(quantile) else math.inf
        return replace(self, confidence=confidence, low=self.log_ratio - half, high=self.log_ratio + half)


def t_quantile(confidence: float, degrees_of_freedom: float) -> float:
    """The two-sided quantile of Student's t at a confidence level in (0, 1]; infinite at 1.

    Exactly 1 is what is left of the confidence of a look that may spend next to nothing.
    """
    if not 0 < confidence <= 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return -float(stdtrit(degrees_of_freedom, (1 - confidence) / 2)) if confidence < 1 else math.inf


def paired(a: Series, b: Series) -> list[FloatArray]:
    """Log differences of each block's rounds; raises ValueError if blocks or rounds do not align."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} blocks against {len(b)}: pass the blocks that both contenders have")
    pairs = []
    for block, (in_a, in_b) in enumerate(zip(a, b, strict=True)):
        x, y = np.asarray(in_a, dtype=float), np.asarray(in_b, dtype=float)
        if x.shape != y.shape or x.ndim != 1:
            raise ValueError(f"block {block}: rounds of shape {x.shape} against {y.shape} cannot be paired")
        usable = np.isfinite(x) & np.isfinite(y)
        pairs.append(np.where(usable, np.where(usable, x, 0.0) - np.where(usable, y, 0.0), np.nan))
    return pairs


def block_effects(a: Series, b: Series, *, lower_is_better: bool = False) -> FloatArray:
    """The mean log ratio of each block in which at least one round has both values; shape (blocks,).

    Raises ValueError if the two do not align by block and round. Blocks weigh the same however many rounds
    they have, because most of the variance is between starts (Kalibera and Jones 2013).
    """
    means = [pair[np.isfinite(pair)].mean() for pair in paired(a, b) if np.isfinite(pair).any()]
    effects = np.array(means, dtype=float)
    return -effects if lower_is_better else effects


def estimate(effects: FloatArray, *, confidence: float = 0.95) -> Estimate:
    """The mean of block effects with a t interval over blocks; effects are finite, shape (blocks,)."""
    effects = np.asarray(effects, dtype=float)
    if not np.isfinite(effects).all():
        raise ValueError("block effects must be finite: block_effects leaves out blocks without a value")
    blocks = len(effects)
    if blocks == 0:
        return Estimate(None, -math.inf, math.inf, confidence, 0)
    mean = float(effects.mean())
    error = float(effects.std(ddof=1)) / math.sqrt(blocks) if blocks > 1 else math.inf
    own = tuple(effects.tolist())
    return Estimate(mean, -math.inf, math.inf, confidence, blocks, error, effects=own).at(confidence)
