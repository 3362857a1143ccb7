"""Coverage on the noise model: what the intervals promise, they keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats
from deadheat.stats import FloatArray, Looks, trials
from deadheat.stats.simulation import Design, Noise, Planted, block_logs, slices_of

RUNS = 2_000
PLAIN = Planted()
QUIET = Noise(start_sd=0.005, middle_sd=0.05, slice_sd=0.1)


def effects(design: Design, seed: int, odd: Planted = PLAIN, noise: Noise | None = None) -> FloatArray:
    """Block effects of a planted contender over a plain one, shape (runs, 1, blocks)."""
    slices = slices_of([odd, PLAIN], design, RUNS, np.random.default_rng(seed), noise)
    logs = block_logs(slices)
    return logs[:, :1] - logs[:, 1:]


def covered(found: FloatArray, truth: float) -> float:
    judged = trials.race(found, 0.0, Looks((found.shape[-1],)))
    return float(((judged.low <= truth) & (truth <= judged.high)).mean())


@pytest.mark.parametrize("blocks", [5, 6, 10])
@pytest.mark.parametrize(
    "odd",
    [Planted(1.1), Planted(1.1, stall_share=0.05), Planted(1.1, own_slice_sd=0.3)],
    ids=["alike", "stalls", "own noise"],
)
def test_95_percent_intervals_cover_the_truth(blocks: int, odd: Planted) -> None:
    found = effects(Design(blocks=blocks, rounds=20), blocks, odd)
    assert 0.935 <= covered(found, math.log(1.1)) <= 0.97


def test_few_blocks_miss_the_rare_slow_start_and_more_do_less() -> None:
    """Not kept, and known: why skewed starts ask for 10 blocks."""
    slow = Planted(1.1, slow_starts=0.2)
    five, ten = (covered(effects(Design(n, 40), n, slow, QUIET), math.log(1.1)) for n in (5, 10))
    assert five < 0.88
    assert ten > five + 0.03


def test_a_null_pair_is_refused_in_about_one_of_a_thousand() -> None:
    found = effects(Design(blocks=6, rounds=20), seed=11)[:, 0]
    refused = sum(not stats.judge_null_pair(stats.estimate(run)).ok for run in found)
    assert refused <= 8  # mean 2: the chance of more is 2 in 10,000


def test_the_model_has_the_noise_that_was_measured() -> None:
    """One server's successive 1 s windows vary by 18 to 21%, as do spans one after the other."""
    rng = np.random.default_rng(2)
    seconds = Design(blocks=1, rounds=60, counted_s=1.0, lead_in_s=0.0)
    windows = np.log(slices_of([PLAIN], seconds, 400, rng, Noise())[:, 0, 0].mean(axis=-1))
    assert 0.12 < windows.std() < 0.25


def test_short_slices_pair_better_than_long_ones() -> None:
    def spread(counted_s: float, rounds: int) -> float:
        design = Design(blocks=1, rounds=rounds, counted_s=counted_s, lead_in_s=0.0)
        return float(effects(design, 3, noise=Noise(start_sd=0.0)).std())

    assert spread(0.1, 40) < spread(1.0, 4) / 1.5


def test_a_simulation_repeats_for_a_seed() -> None:
    design = Design(blocks=2, rounds=3)
    one, other = (slices_of([PLAIN] * 2, design, 3, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert one.shape == (3, 2, 2, 3, 2)
