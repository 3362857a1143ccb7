"""What a race may get wrong, simulated: pairs that leave, pairs given up, and races that go on."""

from __future__ import annotations

import numpy as np

from deadheat import stats
from deadheat.stats import Looks, trials

RUNS = 4_000


def normal(truths: list[float], blocks: int, seed: int, sd: float = 0.02) -> stats.FloatArray:
    """Block effects, the reference's share of their spread in common; shape (runs, pairs, blocks)."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, sd, (RUNS, len(truths), blocks))
    shared = rng.normal(0, sd / np.sqrt(2), (RUNS, 1, blocks))
    return np.asarray(np.array(truths)[None, :, None] + own + shared)


def test_a_pair_that_leaves_once_it_is_decided_costs_no_error() -> None:
    effects = normal([0.0, 0.0, 0.1, 0.04], 12, seed=1)
    looks = stats.plan_looks(12, first=5)
    found = trials.race(effects, 0.0, looks, leave=True)
    assert found.winners[:, :2].any(axis=1).mean() < 0.055
    assert found.winners[:, 2].mean() > 0.99
    assert found.blocks[:, 2].mean() < 0.6 * found.blocks[:, 0].mean()


def test_giving_hopeless_pairs_up_saves_blocks_and_costs_little_power() -> None:
    looks = stats.plan_looks(20, first=5)
    alike, unlike = (normal([truth], 20, seed=2) for truth in (0.0, 0.02))
    kept, given_up = (trials.race(alike, 0.0, looks, leave=True, futility=f) for f in (False, True))
    assert given_up.winners.mean() <= kept.winners.mean()
    assert given_up.blocks.mean() < 0.85 * kept.blocks.mean()
    power = [trials.race(unlike, 0.0, looks, leave=True, futility=f).winners.mean() for f in (False, True)]
    assert power[0] - power[1] < 0.02


def test_going_on_when_it_is_not_yet_a_win_keeps_to_alpha() -> None:
    effects = normal([0.0], 20, seed=3)
    looks = stats.plan_looks(10, most=20, first=5)
    tried = trials.race(effects, 0.0, looks, watched=True, going_on="if undecided")
    assert tried.winners.mean() < 0.055
    naive = trials.race(effects[:, :, :10], 0.0, Looks((10,))).winners
    again = trials.race(effects, 0.0, Looks((20,))).winners
    assert (naive | again).mean() > 0.07


def test_the_reserve_costs_a_race_that_needs_none_of_it_little() -> None:
    plain, reserved = (stats.plan_looks(10, most=most, first=5) for most in (None, 20))
    widths = [
        stats.estimate(np.arange(10.0)).at(1 - p.nominal(0.05, 10)).half_width for p in (plain, reserved)
    ]
    assert 1.0 < widths[1] / widths[0] < 1.04


def test_the_mean_of_both_entries_of_the_reference_narrows_the_interval() -> None:
    """Starts of the reference vary as the contender's: three quarters of the variance are left."""
    rng = np.random.default_rng(7)
    contender, one, other = rng.normal(0, 0.02, (3, RUNS, 10))
    alone = (contender - one).var()
    both = (contender - np.log((np.exp(one) + np.exp(other)) / 2)).var()
    assert 0.72 < both / alone < 0.78
