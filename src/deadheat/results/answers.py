"""What an interval answers to a claim: its direction, and its size."""

from __future__ import annotations

import math

from deadheat.model.claim import Claim, Direction, Size
from deadheat.model.result import Interval
from deadheat.stats.verdict import region

# A published ratio r is found again within exp(+-w) of it: half of its own distance from 1, but not less
# than the least that anybody would call another size, nor more than a quarter.
LEAST, MOST = math.log(1.02), math.log(1.25)
# An end that lies on an edge but for its last digits lies on it, whichever way round the claim is put.
HAIR = 1e-9


def direction(claim: Claim, ci: Interval, margin: float) -> Direction:
    """Whether the claim holds that one is better, or that they are alike, by the rule of verdicts.

    `ci` is how many times as good `a` is as `b`. A published tie is confirmed by a dead heat; a claim of "at
    most so many times" by an interval below that.
    """
    low, high = ci
    if (most := claim.published.at_most) is not None:
        return "confirmed" if high < most else "refuted" if low > most else "open"
    where = region(math.log(low), math.log(high), margin)
    if where == "across":
        return "open"
    if is_tie(claim):
        return "confirmed" if where == "inside" else "refuted"
    if where == "inside":
        return "dead heat"
    better = claim.ratio is None or claim.ratio > 1
    return "confirmed" if (low > 1) == better else "refuted"


def size(claim: Claim, ci: Interval) -> Size | None:
    """How the difference compares with the published one; None where none was published.

    Whatever the run's margin: as published where the interval lies wholly within the band about the
    published ratio, bigger or smaller where it lies wholly outside.
    """
    if claim.ratio is None or is_tie(claim):
        return None
    published, low, high = math.log(claim.ratio), math.log(ci[0]), math.log(ci[1])
    if published < 0:
        published, low, high = -published, -high, -low
    width = half_width(claim.ratio)
    if high < published - width - HAIR:
        return "smaller"
    if low > published + width + HAIR:
        return "bigger"
    within = published - width <= low + HAIR and high <= published + width + HAIR
    return "as published" if within else "open"


def half_width(published: float) -> float:
    """Of the band about a published ratio, in log units."""
    return min(MOST, max(abs(math.log(published)) / 2, LEAST))


def is_tie(claim: Claim) -> bool:
    return claim.ratio is not None and math.isclose(claim.ratio, 1, rel_tol=1e-9)
