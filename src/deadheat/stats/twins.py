"""Two more ways to the same interval, which share fewer assumptions: if they disagree, something is odd."""

from __future__ import annotations

import math

import numpy as np

from deadheat.stats.estimate import NO_SPREAD, Estimate, FloatArray


def hodges_lehmann(effects: FloatArray, *, confidence: float = 0.95) -> Estimate:
    """The median of the Walsh averages, with the exact interval of Wilcoxon's signed-rank test.

    Hodges and Lehmann 1963; Tukey 1949 for the interval. Assumes symmetry, not normality. With fewer blocks
    than the level needs (6 at 95%) the interval is infinite, as no pair of order statistics reaches it.
    """
    effects = np.asarray(effects, dtype=float)
    blocks = len(effects)
    if blocks == 0:
        return Estimate(None, -math.inf, math.inf, confidence, 0, "hodges-lehmann")
    i, j = np.triu_indices(blocks)
    walsh = np.sort((effects[i] + effects[j]) / 2)
    middle = float(np.median(walsh))
    # Rank sums up to `cut` are the tail; the interval runs between the averages `cut` in from either end.
    tail = np.cumsum(_signed_rank_counts(blocks)) / 2.0**blocks
    cut = int(np.searchsorted(tail, (1 - confidence) / 2, side="right")) - 1
    if cut < 0:
        return Estimate(middle, -math.inf, math.inf, confidence, blocks, "hodges-lehmann")
    low, high = float(walsh[cut]), float(walsh[-1 - cut])
    return Estimate(middle, low, high, confidence, blocks, "hodges-lehmann")


def _signed_rank_counts(blocks: int) -> FloatArray:
    """How many of the 2^n sign patterns give each value of the signed-rank sum, 0 to n(n+1)/2."""
    counts = np.zeros(blocks * (blocks + 1) // 2 + 1)
    counts[0] = 1
    for rank in range(1, blocks + 1):
        counts[rank:] += counts[:-rank].copy()
    return counts


def bootstrap(
    effects: FloatArray, *, confidence: float = 0.95, seed: int = 0, resamples: int = 4_000
) -> Estimate:
    """The studentised bootstrap (bootstrap-t) over blocks; Efron and Tibshirani 1993, chapter 12.

    Its estimate is the middle of its distribution, which is off the mean where the blocks are skewed.
    Resamples whole blocks. Fewer than three blocks give no interval: too many resamples would be constant.
    Deterministic for a seed.
    """
    effects = np.asarray(effects, dtype=float)
    blocks = len(effects)
    if blocks == 0:
        return Estimate(None, -math.inf, math.inf, confidence, 0, "bootstrap")
    mean = float(effects.mean())
    if blocks < 3:
        return Estimate(mean, -math.inf, math.inf, confidence, blocks, "bootstrap")
    error = float(effects.std(ddof=1)) / math.sqrt(blocks)
    drawn = effects[np.random.default_rng(seed).integers(0, blocks, (resamples, blocks))]
    errors = drawn.std(axis=1, ddof=1) / math.sqrt(blocks)
    varied = errors > NO_SPREAD
    if not varied.any():
        return Estimate(mean, mean, mean, confidence, blocks, "bootstrap", error)
    scores = (drawn.mean(axis=1)[varied] - mean) / errors[varied]
    tail = (1 - confidence) / 2
    below, middle, above = mean - np.quantile(scores, [1 - tail, 0.5, tail]) * error
    return Estimate(float(middle), float(below), float(above), confidence, blocks, "bootstrap", error)


def disagreements(estimate: Estimate) -> list[str]:
    """What its twins say against an estimate, for people; empty if they agree.

    They disagree if one lies beyond half the interval's length from it, or if the interval excludes 1 and a
    twin lies on the other side. Where the interval covers 1 the sign means nothing, and is not asked.
    """
    return [
        f"the {twin.method} estimate is {math.exp(twin.log_ratio):.3g}: a few blocks decide it"
        for twin in estimate.twins
        if twin.log_ratio is not None and _disagrees(estimate, twin.log_ratio)
    ]


def _disagrees(estimate: Estimate, twin: float) -> bool:
    if estimate.log_ratio is None or math.isinf(estimate.half_width):
        return False
    signed = estimate.low > 0 or estimate.high < 0
    off = abs(twin - estimate.log_ratio)
    return off > max(estimate.half_width, NO_SPREAD) or (signed and twin * estimate.log_ratio < 0)
