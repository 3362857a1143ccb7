"""How many more blocks would settle it."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import stdtrit

from deadheat.stats.estimate import Estimate, t_quantile

# More than this is not advice but a way of saying that it cannot be settled here.
MAX_BLOCKS = 1_000


def blocks_needed(
    estimate: Estimate,
    margin: float,
    *,
    power: float = 0.8,
    max_blocks: int = MAX_BLOCKS,
    confidence: Callable[[int], float] | None = None,
) -> int | None:
    """Blocks to add so that the interval would leave the margin's edge with this power; None if too many.

    Takes the effect and the spread between blocks as found so far. The interval must come clear of the
    nearer edge, log(1 + margin) from 0, by the power's own quantile as well as its half-width: with the
    half-width alone it would be settled only every other time. `confidence`: at which so many blocks in all
    would be judged, looks paid for; without it, the estimate's own.
    """
    if estimate.log_ratio is None or estimate.blocks < 2:
        return None
    spread = estimate.standard_error * math.sqrt(estimate.blocks)
    distance = abs(abs(estimate.log_ratio) - math.log1p(margin))

    def settled(blocks: int) -> bool:
        at = estimate.confidence if confidence is None else confidence(blocks)
        quantiles = t_quantile(at, blocks - 1) + float(stdtrit(blocks - 1, power))
        return quantiles * spread / math.sqrt(blocks) < distance

    if not settled(estimate.blocks + max_blocks):
        return None
    # More blocks always narrow the interval, so the least number is found by halving.
    too_few, enough = estimate.blocks, estimate.blocks + max_blocks
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if settled(middle) else (middle, enough)
    return enough - estimate.blocks
