"""Whether a pair is worth more blocks: the chance that it is settled by the last look."""

from __future__ import annotations

import math

from scipy.special import stdtr

from deadheat.stats.estimate import Estimate, t_quantile
from deadheat.stats.verdict import log_margin

# A pair is given up from this share of its blocks on, where fewer than so many in a hundred like it would
# still be settled. Not binding: alpha is spent as if nobody ever gave up, so going on all the same is safe.
FROM_SHARE = 0.5
HOPELESS = 0.05


def chance_to_settle(found: Estimate, last: int, margin: float, confidence: float) -> float:
    """The chance that the interval over `last` blocks, at `confidence`, leaves the margin's edges clear.

    Predictive: given the blocks so far, the mean of those to come is Student's t about the mean found, its
    variance that of both (a flat prior; Spiegelhalter, Freedman and Blackburn 1986). The spread at the end
    is taken as found.
    """
    if found.log_ratio is None or found.blocks < 2 or not math.isfinite(found.standard_error):
        return 1.0
    edge, n = log_margin(margin), found.blocks
    spread = found.standard_error * math.sqrt(n)
    half = t_quantile(confidence, last - 1) * spread / math.sqrt(last)
    if last <= n or spread == 0:
        inside = abs(found.log_ratio) + half < edge
        return float(inside or abs(found.log_ratio) - half > edge)
    # The final mean is known but for the blocks to come, which move it by this much.
    scale = (last - n) / last * spread * math.sqrt(1 / (last - n) + 1 / n)

    def below(value: float) -> float:
        assert found.log_ratio is not None
        return float(stdtr(n - 1, (value - found.log_ratio) / scale))

    outside = 1 - below(edge + half) + below(-edge - half)
    within = below(edge - half) - below(half - edge) if half < edge else 0.0
    return min(1.0, outside + within)


def hopeless(
    found: Estimate,
    last: int,
    margin: float,
    confidence: float,
    *,
    fewest_blocks: int,
    from_share: float = FROM_SHARE,
    below: float = HOPELESS,
) -> bool:
    """Whether the planned rule gives the pair up: halfway or later, and hardly a chance to settle it."""
    if found.blocks < max(fewest_blocks, math.ceil(from_share * last)) or found.blocks >= last:
        return False
    return chance_to_settle(found, last, margin, confidence) < below
