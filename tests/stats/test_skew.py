"""Starts that are skewed are found, those that are not hardly ever."""

from __future__ import annotations

import math

import numpy as np

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
