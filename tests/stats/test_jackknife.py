"""Intervals around a figure of all blocks merged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats


def test_of_a_mean_it_is_the_t_interval() -> None:
    effects = np.array([0.1, 0.3, 0.2, 0.6, 0.4])
    plain = stats.estimate(effects)
    jack = stats.jackknife(float(effects.mean()), list(stats.leave_one_out(effects)))
    assert (jack.log_ratio, jack.low, jack.high) == pytest.approx((plain.log_ratio, plain.low, plain.high))


def test_the_centre_is_the_figure_itself() -> None:
    found = stats.jackknife(0.2, [0.21, 0.25, 0.18])
    assert found.log_ratio == 0.2
    assert (found.low + found.high) / 2 == pytest.approx(0.2)


def test_without_a_figure_or_with_one_block_there_is_no_interval() -> None:
    assert stats.jackknife(math.nan, [0.1, 0.2]).ratio is None
    assert stats.jackknife(0.1, [0.1]).ci is None
    assert stats.jackknife(0.1, [0.1, math.nan, 0.2]).ci is None


def test_ratios_of_merged_percentiles_are_covered() -> None:
    """p90 of exponential waits, blocks that differ in level; the truth is the ratio of the scales."""
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(300):
        starts = np.exp(rng.normal(0, 0.05, (2, 10, 1)))
        waits = rng.exponential(1, (2, 10, 300)) * starts * np.array([1.3, 1.0])[:, None, None]

        def figure(kept: np.ndarray) -> float:
            p90 = [np.quantile(one[kept], 0.9) for one in waits]  # noqa: B023
            return float(np.log(p90[0] / p90[1]))

        blocks = np.arange(10)
        found = stats.jackknife(figure(blocks), [figure(blocks[blocks != i]) for i in blocks])
        covered += found.low <= math.log(1.3) <= found.high
    assert 0.91 < covered / 300 < 0.985
