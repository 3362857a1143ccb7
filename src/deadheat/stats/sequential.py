"""Looks planned in advance: when a run may stop early, and what its interval is if it does."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from deadheat.stats.estimate import FloatArray, t_quantile
from deadheat.stats.verdict import Verdict

# Enough runs that a level of 5% is met to within 0.1 points; simulated from a fixed seed, so always the same.
_RUNS = 200_000
_SEED = 1_983
# A look's spending that fewer of those runs would reach is taken by the union bound instead.
_FEWEST = 200


@dataclass(frozen=True)
class Looks:
    """The numbers of blocks after which the data are looked at; the last is the budget's end.

    Every interval judged under a plan of looks is a repeated confidence interval (Jennison and Turnbull
    1989): all looks together cover with the stated confidence, so it holds however the run came to stop,
    for a difference, for equivalence, at the budget or by hand. Alpha is spent as information (blocks)
    comes in, by the O'Brien-Fleming type function of Lan and DeMets (1983): hardly any of it early.
    """

    blocks: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.blocks or self.blocks[0] < 1 or any(np.diff(self.blocks) <= 0):
            raise ValueError(f"looks must come after ever more blocks, not {self.blocks}")

    def due(self, blocks: int) -> bool:
        """Whether a look is planned after this many blocks."""
        return blocks in self.blocks

    def spent(self, alpha: float, blocks: int) -> float:
        """How much of alpha may have been spent once this many blocks are in; half of it on each side."""
        information = min(1.0, blocks / self.blocks[-1])
        return 4 * float(ndtr(float(ndtri(alpha / 4)) / math.sqrt(information)))

    def nominal(self, alpha: float, blocks: int) -> float:
        """The two-sided level at which a t interval over `blocks` blocks is to be taken, in (0, alpha].

        A number of blocks that is no planned look is where a run was stopped by hand (or a contender lost
        blocks): it spends its alpha at the information reached, and what was left stays unspent. A run that
        overran takes its last look where it ended.
        """
        earlier = [n for n in self.blocks[:-1] if 1 < n < blocks]
        if blocks < 2 or not (earlier or blocks < self.blocks[-1]):
            return alpha
        # All planned looks are worked out at once, so that they are simulated once.
        looks = tuple(n for n in self.blocks if n > 1) if blocks in self.blocks else (*earlier, blocks)
        return _nominal_levels(looks, tuple(self.spent(alpha, n) for n in looks))[looks.index(blocks)]

    def describe(self, alpha: float = 0.05) -> str:
        """The rule for people, as --dry-run prints it."""
        looks = [n for n in self.blocks if n > 1]
        levels = ", ".join(f"{self.nominal(alpha, n):.2g}" for n in looks)
        return (
            f"looks after {_listed(map(str, self.blocks))} blocks; stops when every pair is faster or a dead "
            f"heat, else after {self.blocks[-1]}; alpha {alpha:.2g} spent by O'Brien and Fleming's rule "
            f"(levels at the looks: {levels})"
        )


def plan_looks(blocks: int, *, most: int = 8) -> Looks:
    """Looks for a run of up to `blocks` blocks: at most `most`, evenly from a quarter of the blocks on.

    Not before 3 blocks: earlier than that so little alpha is spent that nothing could be decided.
    """
    first = max(3, math.ceil(blocks / 4))
    if blocks <= first:
        return Looks((blocks,))
    return Looks(tuple(sorted({round(n) for n in np.linspace(first, blocks, min(most, blocks - first + 1))})))


def settled(verdicts: Iterable[Verdict]) -> bool:
    """Whether a run may stop at a look: every pair of its family is `faster` or a `dead heat`."""
    return all(verdict.kind in ("faster", "dead heat") for verdict in verdicts)


@lru_cache(maxsize=256)
def _nominal_levels(looks: tuple[int, ...], spent: tuple[float, ...]) -> tuple[float, ...]:
    """The level of each look's t test that spends what is new at it, given that no earlier look crossed.

    Tables of boundaries are for known variance; with 3 blocks that is far off, so the runs here are of t
    statistics themselves (their joint law under the null depends on nothing but the numbers of blocks).
    """
    statistics = _null_statistics(looks)
    still_in = np.ones(_RUNS, dtype=bool)
    levels: list[float] = []
    before = 0.0
    for look, total, statistic in zip(looks, spent, statistics, strict=True):
        new = total - before
        # The union bound: valid always, and exact at the first look.
        boundary = t_quantile(1 - new, look - 1) if new > 1e-15 else math.inf
        # Less one standard error of the simulation, so that what is left of it errs on the safe side.
        crossing = round(new * _RUNS - math.sqrt(new * _RUNS))
        if crossing >= _FEWEST and len(levels) > 0:
            left = statistic[still_in]
            boundary = min(boundary, float(np.partition(left, len(left) - crossing)[len(left) - crossing]))
        still_in &= statistic < boundary
        levels.append(2 * float(stdtr(look - 1, -boundary)))
        before = total
    return tuple(levels)


@lru_cache(maxsize=3)
def _null_statistics(looks: tuple[int, ...]) -> tuple[FloatArray, ...]:
    """Absolute t statistics at each look of simulated runs in which there is nothing to find."""
    rng = np.random.default_rng(_SEED)
    total, squares = np.zeros(_RUNS), np.zeros(_RUNS)
    statistics = []
    for blocks in range(1, looks[-1] + 1):
        effect = rng.standard_normal(_RUNS)
        total += effect
        squares += effect * effect
        if blocks in looks:
            variance = (squares - total * total / blocks) / (blocks - 1)
            statistics.append(np.abs(total) / np.sqrt(variance * blocks))
    return tuple(statistics)


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
