"""What became of a claim by the method's version 1: one word for direction and size, by a plain interval."""

from __future__ import annotations

import math

from deadheat.model.claim import Claim, Outcome
from deadheat.model.result import Interval

# How far a ratio may be from the published one and still be called replicated.
BAND = 1.25
# An end that lies on an edge but for its last digits lies on it, whichever way round the claim is put.
HAIR = 1 + 1e-9


def judged(claim: Claim, ci: Interval, margin: float) -> Outcome:
    low, high = ci
    if claim.published.at_most is not None:
        if high < claim.published.at_most:
            return "replicated"
        return "contradicted" if low > claim.published.at_most else "inconclusive"
    if claim.ratio is None:
        if low > 1 + margin:
            return "replicated"
        return "contradicted" if high < 1 / (1 + margin) else "inconclusive"
    return outcome(claim.ratio, ci, margin)


def outcome(published: float, ci: Interval, margin: float) -> Outcome:
    """`published` and `ci` are ratios, how many times as good a is as b; a published tie is 1."""
    low, high = ci
    edge = 1 + margin
    if math.isclose(published, 1, rel_tol=1e-9):
        if 1 / edge < low and high < edge:
            return "replicated"
        return "contradicted" if low > edge or high < 1 / edge else "inconclusive"
    if published < 1:
        published, low, high = 1 / published, 1 / high, 1 / low
    least, most = published / BAND, published * BAND
    if low > HAIR and least <= low * HAIR and high <= most * HAIR:
        return "replicated"
    if low > HAIR and (high * HAIR < least or low > most * HAIR):
        return "different size"
    return "contradicted" if high * HAIR < 1 / edge else "inconclusive"
