"""Starts that are skewed are found, those that are not hardly ever."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats


def share(slow: float, seed: int, starts: int = 30) -> float:
    rng = np.random.default_rng(seed)
    offsets = rng.normal(0, 0.02, (600, starts)) + math.log(0.9) * (rng.random((600, starts)) < slow)
    return float(np.mean([stats.skewed(list(run)) for run in offsets]))


def test_normal_starts_pass() -> None:
    assert share(0.0, 1) < 0.08


def test_one_slow_start_in_five_is_found() -> None:
    assert share(0.2, 2) > 0.75


def test_few_starts_say_nothing() -> None:
    assert not stats.skewed([0.0] * 13 + [-5.0])
    assert not stats.skewed([0.1] * 30)


def test_only_the_last_30_count() -> None:
    rng = np.random.default_rng(3)
    normal = list(rng.normal(0, 0.02, 30))
    assert stats.skewed([*normal, -0.5])
    assert not stats.skewed([-0.5, *normal]) or stats.skewed(normal)


def found(contenders: int, runs: int, slow: float = 0.0, by: float = 0.0) -> tuple[float, float]:
    """In how many histories of six races of five blocks the first contender, a start of which is `by` slower
    now and then, is called skewed, and the second, which has none such. All share what a block does."""
    rng = np.random.default_rng(contenders)
    called = np.zeros(2)
    for _ in range(runs):
        of_race = []
        for _ in range(6):
            levels = (
                rng.normal(0, 0.05, 5) + rng.normal(0, 0.01, (contenders, 5)) + np.arange(contenders)[:, None]
            )
            levels[0] -= by * (rng.random(5) < slow)
            of_race.append(stats.by_themselves(levels))
        called += [stats.skewed(list(np.concatenate([left[i] for left in of_race]))) for i in (0, 1)]
    first, second = called / runs
    return float(first), float(second)


@pytest.mark.parametrize("contenders", [3, 4, 6, 13])
def test_starts_by_themselves_are_hardly_ever_called_skewed(contenders: int) -> None:
    assert max(found(contenders, 200)) < 0.09


@pytest.mark.parametrize("contenders", [4, 6, 13])
@pytest.mark.parametrize(("slow", "by", "least"), [(0.2, 0.1, 0.5), (0.05, 0.7, 0.6)])
def test_one_bad_start_is_told_of_its_own_and_not_of_others(
    contenders: int, slow: float, by: float, least: float
) -> None:
    own, others = found(contenders, 150, slow, by)
    assert own > least and others < 0.15


def test_who_was_not_in_all_blocks_is_told_by_those_that_it_was_in() -> None:
    levels = np.arange(7.0)[:, None] + np.array([0.0, 0.3, -0.2, 0.1, 0.0, 0.5])
    levels[1, 3:] = np.nan
    levels[2, 4] -= 0.4
    levels[3] = np.nan
    left = stats.by_themselves(levels)
    assert np.isnan(left[1, 3:]).all() and np.isnan(left[3]).all()
    assert np.allclose(left[1, :3], 0.0) and np.allclose(left[[0, 4, 5, 6]], 0.0)
    assert np.allclose(left[2], [0.4 / 6, 0.4 / 6, 0.4 / 6, 0.4 / 6, 0.4 / 6 - 0.4, 0.4 / 6])
