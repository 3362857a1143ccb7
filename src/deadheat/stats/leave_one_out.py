"""Does a result hang on one block? The estimate without each of them."""

from __future__ import annotations

import numpy as np

from deadheat.stats.estimate import Estimate, FloatArray


def leave_one_out(effects: FloatArray) -> FloatArray:
    """The mean of all other effects, for each that is left out; shape (blocks,). Empty with fewer than two.

    No verdict is withheld by it, because none can hang on one block: where a t statistic is above 1, leaving
    out any single value leaves the mean on its side (if the others' mean were beyond the edge, the one's own
    distance from it would make the standard error at least as large as the mean's), and a verdict needs 2.
    """
    effects = np.asarray(effects, dtype=float)
    if len(effects) < 2:
        return np.array([])
    return np.asarray((effects.sum() - effects) / (len(effects) - 1), dtype=float)


def most_influential(estimate: Estimate) -> tuple[int, float] | None:
    """The block (from 0) whose leaving out moves the ratio most, and the ratio without it; None without two.

    >>> from deadheat.stats.estimate import estimate
    >>> most_influential(estimate(np.log([1.1, 1.1, 1.1, 1.4])))[0]
    3
    """
    if estimate.log_ratio is None or estimate.blocks < 2:
        return None
    without = leave_one_out(np.array(estimate.effects))
    block = int(np.argmax(np.abs(without - estimate.log_ratio)))
    return block, float(np.exp(without[block]))
