"""Blocks of several machines put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from deadheat import stats

EFFECTS = [
    np.array([0.10, 0.12, 0.08, 0.11, 0.09]),
    np.array([0.05, 0.15, 0.10]),
    np.array([0.20, 0.10, 0.00, 0.10, 0.30, 0.10]),
    np.array([-0.02, -0.04, -0.03, -0.01]),
]


def test_each_machine_has_its_own_interval_over_its_own_blocks() -> None:
    found = stats.pool_machines(EFFECTS)
    assert found.each == tuple(stats.estimate(own) for own in EFFECTS)


def test_machines_weigh_the_same_whatever_their_blocks() -> None:
    found = stats.pool_machines(EFFECTS)
    mean = np.mean([own.mean() for own in EFFECTS])
    assert found.these.log_ratio == pytest.approx(mean)
    assert found.of_kind is not None and found.of_kind.log_ratio == pytest.approx(mean)
    assert found.these.blocks == 18 and found.of_kind.blocks == 4


def test_for_these_machines_two_are_welchs_test() -> None:
    """The half-sum of x and y has Welch's interval of x less -y, halved."""
    x, y = EFFECTS[0], EFFECTS[2]
    theirs = scipy_stats.ttest_ind(x, -y, equal_var=False).confidence_interval(0.95)
    found = stats.pool_machines([x, y]).these
    assert (found.low, found.high) == pytest.approx((theirs.low / 2, theirs.high / 2))


def test_for_their_kind_it_is_the_t_interval_over_means() -> None:
    theirs = scipy_stats.ttest_1samp([own.mean() for own in EFFECTS], 0).confidence_interval(0.95)
    found = stats.pool_machines(EFFECTS).of_kind
    assert found is not None
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_of_their_kind_nothing_is_said_with_three() -> None:
    assert stats.pool_machines(EFFECTS[:3]).of_kind is None


def test_at_another_confidence_its_freedom_stays() -> None:
    wider = stats.pool_machines(EFFECTS).these.at(0.99)
    assert wider == stats.pool_machines(EFFECTS, confidence=0.99).these
    assert wider.freedom is not None and 2 < wider.freedom < 14


def test_blocks_that_do_not_vary_are_told() -> None:
    assert stats.pool_machines([np.full(5, 0.1), np.full(5, 0.1)]).these.constant


def test_what_cannot_be_put_together() -> None:
    with pytest.raises(ValueError, match="1 machine: at least two"):
        stats.pool_machines(EFFECTS[:1])
    with pytest.raises(ValueError, match="machine 2 has fewer than two blocks"):
        stats.pool_machines([EFFECTS[0], np.array([0.1])])


@pytest.mark.parametrize("machines", [2, 4, 10])
def test_the_truth_is_covered(machines: int) -> None:
    """Few blocks where noise is great; machines differ by an sd of 3%."""
    rng = np.random.default_rng(machines)
    runs, these, kind = 1_000, 0, 0
    for _ in range(runs):
        truths = rng.normal(0, 0.03, machines)
        drawn = [rng.normal(truth, *((0.03, 20), (0.12, 5))[i % 2]) for i, truth in enumerate(truths)]
        found = stats.pool_machines(drawn)
        these += found.these.low <= truths.mean() <= found.these.high
        kind += found.of_kind is not None and found.of_kind.low <= 0 <= found.of_kind.high
    # 1,000 runs of 95% lie above 93.2% in 99 of 100 cases (Clopper and Pearson); the seeds are fixed.
    assert these / runs > 0.93
    assert machines < stats.FEWEST_MACHINES or kind / runs > 0.93
    assert math.isfinite(found.these.half_width)
