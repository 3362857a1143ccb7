"""From which slice on a contender was steady, if it ever was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from deadheat.stats.estimate import FloatArray, Series

# A segment's level may differ from the last one's by this much (log units) and still count as steady.
TOLERANCE = 0.02
# Penalty a change point, in units of noise variance times log n. Schwarz's is 2; Barrett et al. took 15 for
# noise that is correlated over time, as it is here.
PENALTY = 15.0
# The steady part must be at least this share of all slices: a level just reached may not last.
LEAST_STEADY_SHARE = 0.25


@dataclass(frozen=True)
class WarmUp:
    """What change points on the slices say. `steady_from` is the first steady slice, or None: never.

    `start` is the first segment's level as a ratio of the last's: 0.5 means half as fast at first.
    """

    kind: Literal["flat", "warms up", "slows down", "never got steady"]
    steady_from: int | None
    start: float
    change_points: tuple[int, ...]


def warm_up(series: Series, *, tolerance: float = TOLERANCE) -> WarmUp | None:
    """Change points of log throughput over slices since the start, averaged over blocks.

    Each array of `series` is one start's slices in order, NaN where one failed; they may differ in length
    (the shortest counts). Each is centred first, as blocks differ in level. Nothing is cut to fit: where
    the level still moves in the last quarter the finding is "never got steady" (Barrett et al. 2017).
    None with fewer than 8 slices, too few to tell.
    """
    length = min((len(block) for block in series), default=0)
    if length < 8:
        return None
    starts = np.array([np.asarray(block[:length], dtype=float) for block in series])
    starts = np.where(np.isfinite(starts), starts, np.nan)
    kept = np.isfinite(starts).any(axis=0)
    if kept.sum() < 8:
        return None
    position = np.flatnonzero(kept)
    centred = starts - np.nanmedian(starts, axis=1, keepdims=True)
    curve = np.nanmean(centred[:, kept], axis=0)
    changes = change_points(curve)
    edges = [0, *changes, len(curve)]
    segments = list(pairwise(edges))
    levels = [float(curve[i:j].mean()) for i, j in segments]
    steady = len(segments) - 1
    while steady > 0 and abs(levels[steady - 1] - levels[-1]) <= tolerance:
        steady -= 1
    begin = segments[steady][0]
    start = math.exp(levels[0] - levels[-1])
    found = tuple(int(position[c]) for c in changes)
    if len(curve) - begin < LEAST_STEADY_SHARE * len(curve):
        return WarmUp("never got steady", None, start, found)
    if steady == 0:
        return WarmUp("flat", 0, start, found)
    return WarmUp("warms up" if start < 1 else "slows down", int(position[begin]), start, found)


def change_points(values: FloatArray, *, penalty: float = PENALTY, shortest: int = 2) -> list[int]:
    """Where the mean of a series changes: the first index of each new segment, ascending.

    Least squares with a penalty for each change, minimised exactly by optimal partitioning (Jackson et al.
    2005; the exact problem that PELT speeds up). The noise is taken from successive differences, which a
    change of level hardly touches.
    """
    n = len(values)
    if n < 2 * shortest:
        return []
    noise = 1.4826 * float(np.median(np.abs(np.diff(values)))) / math.sqrt(2)
    cost_a_change = penalty * max(noise * noise, 1e-18) * math.log(n)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values * values)])
    best = np.full(n + 1, math.inf)
    best[0] = -cost_a_change
    previous = np.zeros(n + 1, dtype=int)
    for end in range(shortest, n + 1):
        begins = np.arange(0, end - shortest + 1)
        lengths = end - begins
        scatter = squares[end] - squares[begins] - (sums[end] - sums[begins]) ** 2 / lengths
        costs = best[begins] + scatter + cost_a_change
        choice = int(np.argmin(costs))
        best[end], previous[end] = costs[choice], begins[choice]
    changes = []
    end = n
    while previous[end] > 0:
        end = int(previous[end])
        changes.append(end)
    return changes[::-1]
