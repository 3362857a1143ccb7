"""Where two contenders change places, as something that both are raced at (connections, a depth) grows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Point:
    """How many times as fast one is as the other at one setting, with its interval; `at` is above 0."""

    at: float
    ratio: float
    low: float
    high: float

    @property
    def side(self) -> int:
        """1 where it is surely above 1, -1 surely below, 0 where that is open."""
        return (self.low > 1) - (self.high < 1)


@dataclass(frozen=True)
class Crossing:
    """The ratio crosses 1 at about `at`, surely between `low` and `high`; `rises`: from below."""

    at: float
    low: float
    high: float
    rises: bool


def crossings(points: Sequence[Point]) -> list[Crossing]:
    """Between each two neighbours of those that surely lie on either side, others between them or not.

    Between settings the ratio and the ends of its interval are taken to be straight lines, on logarithmic
    axes both. The interval is of the settings at which a ratio of 1 would not be refuted; it never leaves the
    two settings that are sure.
    """
    ordered = sorted(points, key=lambda point: point.at)
    sure = [at for at, point in enumerate(ordered) if point.side]
    found = []
    for first, last in pairwise(sure):
        between = ordered[first : last + 1]
        rises = between[0].side < 0
        if between[0].side == between[-1].side:
            continue
        near, far = ("high", "low") if rises else ("low", "high")
        found.append(
            Crossing(
                at=_zeros(between, "ratio")[0],
                low=_zeros(between, near)[0],
                high=_zeros(between, far)[-1],
                rises=rises,
            )
        )
    return found


def _zeros(points: Sequence[Point], line: str) -> list[float]:
    """Where the line through one of their figures is at 1; its ends lie on either side."""
    found = []
    for left, right in pairwise(points):
        a, b = math.log(getattr(left, line)), math.log(getattr(right, line))
        if a == b or (a > 0) == (b > 0):
            continue
        share = a / (a - b)
        found.append(math.exp(math.log(left.at) * (1 - share) + math.log(right.at) * share))
    return found
