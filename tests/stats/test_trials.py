"""Races judged many at a time come out as the same races judged one by one."""

from __future__ import annotations

import numpy as np
import pytest

from deadheat import stats
from deadheat.stats import FloatArray, Looks, trials

CODES = {("faster", "a"): 1, ("faster", "b"): -1, ("dead heat", None): 2, ("inconclusive", None): 0}


def one_by_one(effects: FloatArray, margin: float, looks: Looks) -> tuple[list[int], int]:
    """A race as the runner drives it."""
    for blocks in looks.blocks:
        rows = {i: stats.estimate(row[:blocks]) for i, row in enumerate(effects)}
        verdicts = stats.judge_family(rows, margin, looks=looks, fewest_blocks=5)
        if looks.may_end(blocks) and stats.settled(verdicts.values()):
            break
    return [CODES[v.kind, v.winner] for v in verdicts.values()], blocks


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pairs", [1, 4])
def test_all_at_once_is_one_by_one(pairs: int, margin: float) -> None:
    rng = np.random.default_rng(10 * pairs)
    truth = np.linspace(0.0, 0.06, pairs) if pairs > 1 else np.array([0.03])
    effects = truth[None, :, None] + rng.normal(0, 0.02, (60, pairs, 10))
    looks = stats.plan_looks(10, first=5)
    together = trials.race(effects, margin, looks)
    alone = [one_by_one(run, margin, looks) for run in effects]
    assert together.kinds.tolist() == [kinds for kinds, _ in alone]
    assert together.blocks[:, 0].tolist() == [blocks for _, blocks in alone]


def test_futility_is_the_same_rule_for_many_and_for_one() -> None:
    rng = np.random.default_rng(5)
    looks = stats.plan_looks(12, first=5)
    effects = rng.normal(0.01, 0.03, (200, 1, 12))
    found = trials.race(effects, 0.0, looks, leave=True, futility=True)
    level = 1 - looks.nominal(0.05, 12)
    for run, used, kind in zip(effects[:, 0], found.blocks[:, 0], found.kinds[:, 0], strict=True):
        ended = next(
            (
                n
                for n in looks.blocks
                if stats.judge_family({0: stats.estimate(run[:n])}, 0.0, looks=looks)[0].kind == "faster"
                or stats.hopeless(stats.estimate(run[:n]), 12, 0.0, level, fewest_blocks=5)
            ),
            12,
        )
        assert used == ended
        assert kind in (-1, 0, 1)
