"""Where a contender's variance comes from: the machine, the start, the slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deadheat.stats.estimate import FloatArray, Series


@dataclass(frozen=True)
class Components:
    """Variances in squared log units.

    `between_blocks` is what all contenders share from block to block: it cancels in ratios.
    `between_starts` is the contender's own, one draw for each start. `between_slices` is that of a round's
    value within a block, beyond what the round's contenders share.
    """

    between_blocks: float
    between_starts: float
    between_slices: float
    rounds: float

    @property
    def own_block_variance(self) -> float:
        """What the contender brings to the variance of a block's log ratio."""
        return self.between_starts + self.between_slices / self.rounds

    @property
    def share_of_starts(self) -> float | None:
        """How much of that is between starts (more rounds cannot help it), 0 to 1; None if nothing varies."""
        return self.between_starts / self.own_block_variance if self.own_block_variance > 0 else None


def variance_components(series: Mapping[str, Series]) -> dict[str, Components]:
    """Components of each contender; all have the same blocks and rounds, at least 2 of each.

    A start is one contender in one block, so that its offset can only be told from the machine's by what the
    others did in that block: Grubbs' (1948) estimators, which need three contenders (the null pair's second
    entry is one); of two, each gets half of the sum. Rounds that any contender lost are left out. Estimates
    of variance that come out negative are 0. Raises ValueError with fewer than two contenders or blocks.
    """
    names = list(series)
    blocks = len(next(iter(series.values()), ()))
    if len(names) < 2 or blocks < 2:
        raise ValueError("variance components need at least 2 contenders and 2 blocks")
    rounds = [np.array([series[name][block] for name in names], dtype=float) for block in range(blocks)]
    rounds = [block[:, np.isfinite(block).all(axis=0)] for block in rounds]
    rounds = [block for block in rounds if block.shape[1] > 1]
    if len(rounds) < 2:
        raise ValueError("variance components need at least 2 blocks with 2 rounds that nobody lost")
    counts = np.array([block.shape[1] for block in rounds], dtype=float)
    within = np.average(
        [_own_variances(block) for block in rounds], axis=0, weights=counts - 1
    )  # (contenders,)
    means = np.array([block.mean(axis=1) for block in rounds]).T  # (contenders, blocks)
    effective = len(counts) / (1 / counts).sum()
    starts = np.maximum(_own_variances(means) - within / effective, 0)
    totals = means.var(axis=1, ddof=1)
    shared = np.maximum(totals - starts - within / effective, 0)
    return {
        name: Components(
            float(shared[i]), float(starts[i]), float(np.maximum(within[i], 0)), float(effective)
        )
        for i, name in enumerate(names)
    }


def _own_variances(values: FloatArray) -> FloatArray:
    """Variance of each row that it does not share with the others; `values` is (contenders, repetitions).

    Of two rows, the variance of their difference is split evenly.
    """
    n = len(values)
    spread = np.asarray((values - values.mean(axis=0)).var(axis=1, ddof=1), dtype=float)
    if n == 2:
        return 2 * spread  # each row's residual is half the difference
    # The residual of row i has variance (1 - 2/n) own_i + sum(own) / n^2; summed over rows, sum(own) (n-1)/n.
    total = spread.sum() * n / (n - 1)
    return np.asarray((spread - total / n**2) / (1 - 2 / n), dtype=float)
