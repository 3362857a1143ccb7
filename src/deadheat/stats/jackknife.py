"""An interval around a figure that is not a mean over blocks: a percentile of all blocks merged."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from deadheat.stats.estimate import Estimate


def jackknife(whole: float, without: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """The estimate whose centre is `whole`, its spread that of the figure with each block left out.

    All are logs of the same figure (a ratio of two merged percentiles): `whole` of all blocks, `without` of
    all but one, an entry for each block. Tukey's (1958) jackknife with blocks as its groups; t over them.
    No interval with fewer than two blocks, or where any figure is not finite.
    """
    blocks = len(without)
    values = np.array([whole, *without], dtype=float)
    if not math.isfinite(whole):
        return Estimate(None, -math.inf, math.inf, confidence, 0)
    if blocks < 2 or not np.isfinite(values).all():
        return Estimate(whole, -math.inf, math.inf, confidence, min(blocks, 1))
    scatter = float(((values[1:] - values[1:].mean()) ** 2).sum())
    error = math.sqrt((blocks - 1) / blocks * scatter)
    # So that the constant ratio of blocks that are all alike is told as such.
    return Estimate(whole, -math.inf, math.inf, confidence, blocks, error).at(confidence)
