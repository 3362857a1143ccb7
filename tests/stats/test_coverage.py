"""Coverage on the noise model: what the intervals promise, they keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats
from deadheat.stats.simulation import Design, Noise, rounds_of

RUNS = 2_000


def estimates(log_ratio: float, design: Design, seed: int) -> list[stats.Estimate]:
    rounds = rounds_of(np.array([log_ratio, 0.0]), design, RUNS, np.random.default_rng(seed))
    return [stats.estimate(stats.block_effects(list(run[0]), list(run[1]))) for run in rounds]


@pytest.mark.parametrize("blocks", [3, 6, 10])
def test_95_percent_intervals_cover_the_truth(blocks: int) -> None:
    truth = math.log(1.1)
    found = estimates(truth, Design(blocks=blocks, rounds=30), seed=blocks)
    covered = np.mean([e.low <= truth <= e.high for e in found])
    assert 0.94 <= covered <= 0.97


def test_a_null_pair_is_refused_in_about_one_of_a_thousand() -> None:
    found = estimates(0.0, Design(blocks=6, rounds=20), seed=11)
    refused = sum(not stats.judge_null_pair(e).ok for e in found)
    assert refused <= 8  # mean 2: the chance of more is 2 in 10,000


def test_the_model_has_the_noise_that_was_measured() -> None:
    """One server's successive 1 s windows vary by 18 to 21%, as do spans one after the other."""
    rng = np.random.default_rng(2)
    seconds = Design(blocks=1, rounds=60, counted_s=1.0, lead_in_s=0.0)
    windows = rounds_of(np.zeros(1), seconds, 400, rng, Noise())[:, 0, 0, :]
    assert 0.12 < windows.std() < 0.25


def test_short_slices_pair_better_than_long_ones() -> None:
    def spread(counted_s: float, rounds: int) -> float:
        design = Design(blocks=1, rounds=rounds, counted_s=counted_s, lead_in_s=0.0)
        runs = rounds_of(np.zeros(2), design, 400, np.random.default_rng(3), Noise(start_sd=0.0))
        return float((runs[:, 0] - runs[:, 1]).mean(axis=-1).std())

    assert spread(0.1, 40) < spread(1.0, 4) / 1.5


def test_a_simulation_repeats_for_a_seed() -> None:
    design = Design(blocks=2, rounds=3)
    one, other = (rounds_of(np.zeros(2), design, 3, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert one.shape == (3, 2, 2, 3)
