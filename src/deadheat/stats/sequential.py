"""Looks planned in advance: when a run may stop early, and what its interval is if it does."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from deadheat.stats.estimate import t_quantile
from deadheat.stats.verdict import Verdict

# A run does not stop before so many blocks by itself: fewer say little of how much starts differ.
FEWEST_BLOCKS = 5
# Of alpha, what a race keeps back for blocks beyond its planned end, where it may go on.
RESERVE = 0.1
# Enough runs that a level of 5% is met to within 0.1 points; simulated from a fixed seed, so always the same.
_RUNS = 200_000
_SEED = 1_983
# Spending that fewer of those runs would reach is taken by the union bound instead.
_FEWEST = 200


@dataclass(frozen=True)
class Looks:
    """The numbers of blocks after which the data are looked at; the last is the budget's end.

    Every interval judged under a plan of looks is a repeated confidence interval (Jennison and Turnbull
    1989): all looks together cover with the stated confidence, so it holds however the run came to stop,
    for a difference, for equivalence, at the budget or by hand. Alpha is spent as information (blocks)
    comes in, by the O'Brien-Fleming type function of Lan and DeMets (1983): hardly any of it early.

    A race that may go on plans its looks up to the most blocks it may ever have. It spends all but `reserve`
    of alpha by `end`, its planned end, and the rest from there to the last look, by the same function each:
    whoever decides to go on, and for whatever reason, all looks together keep to alpha. With no `end` there
    is nothing beyond the last look.
    """

    blocks: tuple[int, ...]
    end: int | None = None
    reserve: float = RESERVE

    def __post_init__(self) -> None:
        if not self.blocks or self.blocks[0] < 1 or any(np.diff(self.blocks) <= 0):
            raise ValueError(f"looks must come after ever more blocks, not {self.blocks}")

    def due(self, blocks: int) -> bool:
        """Whether a look is planned after this many blocks."""
        return blocks in self.blocks

    def may_end(self, blocks: int) -> bool:
        """Whether a run may stop after this many blocks, if it is settled by then."""
        return self.due(blocks) and blocks >= min(FEWEST_BLOCKS, self.blocks[-1])

    def spent(self, alpha: float, blocks: int) -> float:
        """How much of alpha may have been spent once this many blocks are in; half of it on each side."""
        last = self.blocks[-1]
        if self.end is None or self.end >= last:
            return _obrien_fleming(alpha, blocks / last)
        by_end = (1 - self.reserve) * alpha
        if blocks <= self.end:
            return _obrien_fleming(by_end, blocks / self.end)
        return by_end + _obrien_fleming(alpha - by_end, (blocks - self.end) / (last - self.end))

    def nominal(self, alpha: float, blocks: int) -> float:
        """The two-sided level at which a t interval over `blocks` blocks is to be taken, in (0, alpha].

        A number of blocks that is no planned look is where a run was stopped by hand (or a contender lost
        blocks): it spends its alpha at the information reached, and what was left stays unspent. A run that
        overran takes its last look where it ended.
        """
        return _nominal(self, alpha, blocks)

    def later_level(self, alpha: float, blocks: int) -> float:
        """The level at which so many blocks in all would be judged, looks paid for.

        By these looks as far as they go, reserve and all; more than they go to takes a race planned so long,
        which is judged at about the level of this one's planned end.
        """
        return self.nominal(alpha, blocks if self.due(blocks) else self.planned_end)

    @property
    def planned_end(self) -> int:
        """The blocks after which a race ends that nobody asks to go on."""
        return self.blocks[-1] if self.end is None else self.end

    def describe(self, alpha: float = 0.05) -> str:
        """The rule for people, as --dry-run prints it."""
        first, last = self.blocks[0], self.planned_end
        if first == self.blocks[-1]:
            return f"one look, after {last} {_blocks(last)}, at {alpha:.2g}"
        evenly = self.blocks == tuple(range(first, self.blocks[-1] + 1))
        when = f"each block from {first} on" if evenly else f"{', '.join(map(str, self.blocks))} blocks"
        more = ""
        if last < self.blocks[-1]:
            more = f"; may go on to {self.blocks[-1]}, for which {self.reserve:.0%} of alpha is kept"
        return (
            f"looks after {when}; stops {self._stops()}; alpha {alpha:.2g} spent by O'Brien and Fleming's "
            f"rule, {self.nominal(alpha, first):.2g} at the first look, a level of "
            f"{self.nominal(alpha, last):.2g} at the last{more}"
        )

    def _stops(self) -> str:
        first, last = self.blocks[0], self.planned_end
        if last <= FEWEST_BLOCKS:
            return f"after {last}"
        earliest = "" if first >= FEWEST_BLOCKS else f" after {FEWEST_BLOCKS} or more"
        return f"when every pair is faster or a dead heat{earliest}, else after {last}"


def plan_looks(blocks: int, *, most: int | None = None, first: int = 3, reserve: float = RESERVE) -> Looks:
    """Looks for a run of up to `blocks` blocks: after each block from a quarter of them on.

    Not before `first` blocks: earlier than that so little alpha is spent that nothing could be decided. After
    each block, because somebody may watch and stop there: with fewer planned looks, a run watched for 20
    blocks and stopped as soon as it looks good errs in 5.4% of cases at 5%, and with these it keeps to it.
    Against 8 looks that costs 3% of the interval's width at 20 blocks. `most`: up to how many blocks the run
    may be made to go on, for which `reserve` of alpha is kept.
    """
    begin = min(blocks, max(first, math.ceil(blocks / 4)))
    if most is None or most <= blocks:
        return Looks(tuple(range(begin, blocks + 1)))
    return Looks(tuple(range(begin, most + 1)), end=blocks, reserve=reserve)


def settled(verdicts: Iterable[Verdict]) -> bool:
    """Whether a run may stop at a look: every pair of its family is `faster` or a `dead heat`."""
    return all(verdict.kind in ("faster", "dead heat") for verdict in verdicts)


@lru_cache(maxsize=1_024)
def _nominal(plan: Looks, alpha: float, blocks: int) -> float:
    earlier = [n for n in plan.blocks[:-1] if 1 < n < blocks]
    if blocks < 2 or not (earlier or blocks < plan.blocks[-1]):
        return alpha
    # All planned looks are worked out at once, so that they are simulated once.
    looks = tuple(n for n in plan.blocks if n > 1) if blocks in plan.blocks else (*earlier, blocks)
    return _nominal_levels(looks, tuple(plan.spent(alpha, n) for n in looks))[looks.index(blocks)]


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
        # The union bound: valid always, and exact at the first look.
        new = total - before
        boundary = t_quantile(1 - new, look - 1) if new > 1e-15 else math.inf
        # Less two standard errors of the simulation, so that what is left of it errs on the safe side.
        crossed_in_all = round(total * _RUNS - 2 * math.sqrt(total * _RUNS))
        left = statistic[still_in]
        crossing = crossed_in_all - (_RUNS - len(left))
        if levels and crossed_in_all >= _FEWEST and crossing > 0:
            boundary = min(boundary, float(np.partition(left, len(left) - crossing)[len(left) - crossing]))
        still_in &= statistic < boundary
        levels.append(2 * float(stdtr(look - 1, -boundary)))
        before = total
    return tuple(levels)


@lru_cache(maxsize=2)
def _null_statistics(looks: tuple[int, ...]) -> tuple[NDArray[np.float32], ...]:
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
            # Single precision is plenty, and there may be many looks.
            statistics.append((np.abs(total) / np.sqrt(variance * blocks)).astype(np.float32))
    return tuple(statistics)


def _obrien_fleming(alpha: float, information: float) -> float:
    """Of alpha, what may be spent at this share of the information, 0 to 1; Lan and DeMets 1983."""
    if information <= 0:
        return 0.0
    return 4 * float(ndtr(float(ndtri(alpha / 4)) / math.sqrt(min(1.0, information))))


def _blocks(count: int) -> str:
    return "block" if count == 1 else "blocks"
