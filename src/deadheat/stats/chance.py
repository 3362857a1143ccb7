"""How likely a difference is to be found, before it is raced."""

from __future__ import annotations

import math

import numpy as np

from deadheat.stats.estimate import t_quantile
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
    noise = np.random.default_rng(seed).standard_normal((runs, looks.blocks[-1]))
    effects = math.log1p(difference) + spread * noise
    found = np.zeros(runs, dtype=bool)
    over = np.zeros(runs, dtype=bool)
    for blocks in looks.blocks:
        if blocks < 2:
            continue
        level = looks.nominal(1 - confidence, blocks)
        half = t_quantile(1 - level, blocks - 1) * effects[:, :blocks].std(axis=1, ddof=1) / math.sqrt(blocks)
        mean = effects[:, :blocks].mean(axis=1)
        edge = math.log1p(margin)
        faster = ~over & (mean - half > edge)
        inside = (mean - half > -edge) & (mean + half < edge)
        found |= faster
        over |= faster | inside | (mean + half < -edge)
    return float(found.mean())


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
