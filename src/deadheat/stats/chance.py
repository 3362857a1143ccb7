"""How likely a difference is to be found, before it is raced."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from deadheat.stats.estimate import FloatArray, t_quantile
from deadheat.stats.sequential import Looks


def chance_to_find(
    difference: float,
    spread: float,
    looks: Looks,
    margin: float,
    *,
    confidence: float = 0.95,
    runs: int = 4_000,
    seed: int = 1,
) -> float:
    """How often a pair is called `faster`, the right way round, at any of the looks; by simulation.

    `difference`: how much faster one is (0.03 is 1.03 times as fast); `spread`: the standard deviation of a
    block's log ratio, taken as normal. From a fixed seed, so that it repeats and grows with the difference.
    """
    found = np.zeros(runs, dtype=bool)
    over = np.zeros(runs, dtype=bool)
    for blocks, (average, deviation) in noise(looks.blocks, runs, seed).items():
        level = looks.nominal(1 - confidence, blocks)
        half = t_quantile(1 - level, blocks - 1) * spread * deviation / math.sqrt(blocks)
        mean = math.log1p(difference) + spread * average
        edge = math.log1p(margin)
        faster = ~over & (mean - half > edge)
        inside = (mean - half > -edge) & (mean + half < edge)
        found |= faster
        over |= faster | inside | (mean + half < -edge)
    return float(found.mean())


@lru_cache(maxsize=8)
def noise(looks: tuple[int, ...], runs: int, seed: int) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Mean and standard deviation of standard normal blocks at each look of two or more, a value a run."""
    noise = np.random.default_rng(seed).standard_normal((runs, looks[-1]))
    sums, squares = noise.cumsum(axis=1), (noise * noise).cumsum(axis=1)
    moments = {}
    for blocks in looks:
        if blocks >= 2:
            total = sums[:, blocks - 1]
            variance = (squares[:, blocks - 1] - total * total / blocks) / (blocks - 1)
            moments[blocks] = (total / blocks, np.sqrt(variance))
    return moments


def smallest_found(
    spread: float, looks: Looks, margin: float, *, power: float = 0.8, most: float = 1.0
) -> float | None:
    """The smallest difference called `faster` with this power; None if even `most` is not."""
    if chance_to_find(most, spread, looks, margin) < power:
        return None
    too_small, enough = 0.0, most
    while enough - too_small > 0.0005:
        middle = (too_small + enough) / 2
        if chance_to_find(middle, spread, looks, margin) < power:
            too_small = middle
        else:
            enough = middle
    return enough
