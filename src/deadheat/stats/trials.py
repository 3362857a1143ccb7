"""Many simulated races judged at once, as `judge_family` judges one: what tables and tests of errors need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from deadheat.stats.estimate import FloatArray, t_quantile
from deadheat.stats.futility import FROM_SHARE, HOPELESS
from deadheat.stats.sequential import FEWEST_BLOCKS, Looks
from deadheat.stats.verdict import log_margin

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Trials:
    """Of each race and pair, shape (runs, pairs): 1 (a is faster), -1 (b), 2 (dead heat), 0 (undecided).

    `blocks`: how many each pair was raced for; `low` and `high`: the interval it was judged by, in log units
    (of the first step for a family that decides nothing; at the step it was decided by otherwise).
    """

    kinds: Ints
    blocks: Ints
    low: FloatArray
    high: FloatArray

    @property
    def winners(self) -> Bools:
        return np.asarray(np.abs(self.kinds) == 1)


def race(
    effects: FloatArray,
    margin: float,
    looks: Looks,
    *,
    confidence: float = 0.95,
    fewest_blocks: int = FEWEST_BLOCKS,
    leave: bool = False,
    futility: bool = False,
    watched: bool = False,
    going_on: Literal["never", "if undecided"] = "never",
) -> Trials:
    """Races of effects (runs, pairs, blocks), each judged at each look until its whole family is settled.

    `leave`: a pair's data stop once it is decided (or, with `futility`, given up). `watched`: somebody stops
    the race at the first look that has a winner, be it after less than 5 blocks. `going_on`: past the planned
    end, to the last look, where anything is undecided.
    """
    runs, pairs, _ = effects.shape
    end = looks.planned_end if going_on == "never" else looks.blocks[-1]
    used = np.zeros((runs, pairs), dtype=np.int64)
    kinds = np.zeros((runs, pairs), dtype=np.int64)
    low, high = np.full((runs, pairs), -np.inf), np.full((runs, pairs), np.inf)
    mean, error = np.zeros((runs, pairs)), np.full((runs, pairs), np.inf)
    racing = np.ones((runs, pairs), dtype=bool)
    over = np.zeros(runs, dtype=bool)
    for blocks in (n for n in looks.blocks if n <= end):
        going = racing & ~over[:, None]
        mean = np.where(going, effects[:, :, :blocks].mean(axis=-1), mean)
        error = np.where(going, effects[:, :, :blocks].std(axis=-1, ddof=1) / np.sqrt(blocks), error)
        used[going] = blocks
        found, bottom, top = _holm(mean, error, used, margin, looks, 1 - confidence, fewest_blocks)
        kinds = np.where(over[:, None], kinds, found)
        low, high = np.where(over[:, None], low, bottom), np.where(over[:, None], high, top)
        if watched:
            over |= (np.abs(kinds) == 1).any(axis=1)
        settled = kinds != 0
        if futility:
            settled |= ~racing | _hopeless(mean, error, used, end, margin, looks, 1 - confidence)
        if leave:
            racing &= ~settled
        if looks.may_end(blocks) or blocks == end:
            over |= settled.all(axis=1)
    return Trials(kinds, used, low, high)


def _holm(
    mean: FloatArray, error: FloatArray, used: Ints, margin: float, looks: Looks, alpha: float, fewest: int
) -> tuple[Ints, FloatArray, FloatArray]:
    """Decisions of each family, all that a step decides taken at once: the same set as one a step."""
    runs, pairs = mean.shape
    kinds = np.zeros((runs, pairs), dtype=np.int64)
    edge = log_margin(margin)
    low, high = np.full((runs, pairs), -np.inf), np.full((runs, pairs), np.inf)
    while True:
        undecided = kinds == 0
        half = _quantiles(used, undecided.sum(axis=1), looks, alpha) * error
        low, high = np.where(undecided, mean - half, low), np.where(undecided, mean + half, high)
        new = np.select([low > edge, high < -edge, (low > -edge) & (high < edge)], [1, -1, 2], 0)
        new = np.where(undecided & (used >= fewest), new, kinds)
        if (new == kinds).all():
            return kinds, low, high
        kinds = new


def _quantiles(used: Ints, undecided: Ints, looks: Looks, alpha: float) -> FloatArray:
    """Of t for each pair, by its blocks and by how many of its family are undecided; shape (runs, pairs)."""
    result = np.full(used.shape, np.inf)
    for left in np.unique(undecided[undecided > 0]):
        for blocks in np.unique(used[used > 1]):
            level = looks.nominal(alpha / int(left), int(blocks))
            chosen = (undecided == left)[:, None] & (used == blocks)
            result[chosen] = t_quantile(1 - level, int(blocks) - 1)
    return result


def _hopeless(
    mean: FloatArray, error: FloatArray, used: Ints, end: int, margin: float, looks: Looks, alpha: float
) -> Bools:
    """The planned futility rule on arrays; see `futility.chance_to_settle`."""
    n = np.maximum(used, 2)
    spread = error * np.sqrt(n)
    half = t_quantile(1 - looks.nominal(alpha / used.shape[1], end), end - 1) * spread / np.sqrt(end)
    left = np.maximum(end - n, 1)
    scale = left / end * spread * np.sqrt(1 / left + 1 / n)
    edge = log_margin(margin)

    def below(value: FloatArray) -> FloatArray:
        return np.asarray(stdtr(n - 1, (value - mean) / scale))

    chance = 1 - below(edge + half) + below(-edge - half)
    chance += np.where(half < edge, below(edge - half) - below(half - edge), 0.0)
    early = used < max(FEWEST_BLOCKS, int(np.ceil(FROM_SHARE * end)))
    return np.asarray(~early & (used < end) & (chance < HOPELESS))
