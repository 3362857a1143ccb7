"""Block effects and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats

from deadheat import stats
from deadheat.stats import FloatArray

logs = st.floats(-20, 20, allow_nan=False)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[FloatArray], list[FloatArray]]:
    shapes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    a = [draw(hnp.arrays(float, n, elements=logs)) for n in shapes]
    b = [draw(hnp.arrays(float, n, elements=logs)) for n in shapes]
    return a, b


@given(pairs())
def test_swapping_the_pair_inverts_the_ratio(pair: tuple[list[FloatArray], list[FloatArray]]) -> None:
    a, b = pair
    np.testing.assert_allclose(stats.block_effects(a, b), -stats.block_effects(b, a))
    there, back = stats.compare(a, b), stats.compare(b, a)
    assert there.log_ratio is not None and back.log_ratio is not None
    assert there.log_ratio == pytest.approx(-back.log_ratio)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


@given(pairs())
def test_a_time_is_inverted(pair: tuple[list[FloatArray], list[FloatArray]]) -> None:
    a, b = pair
    times = stats.block_effects(a, b, lower_is_better=True)
    np.testing.assert_allclose(times, stats.block_effects(b, a))


@given(pairs(), st.floats(-5, 5))
def test_the_unit_does_not_matter(pair: tuple[list[FloatArray], list[FloatArray]], log_unit: float) -> None:
    a, b = pair
    scaled = stats.block_effects([x + log_unit for x in a], [x + log_unit for x in b])
    np.testing.assert_allclose(scaled, stats.block_effects(a, b), atol=1e-12)


@given(pairs(), st.integers(0, 1_000))
def test_order_of_blocks_and_rounds_does_not_matter(
    pair: tuple[list[FloatArray], list[FloatArray]], seed: int
) -> None:
    a, b = pair
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(a))
    within = [rng.permutation(len(x)) for x in a]
    one = stats.compare(a, b)
    other = stats.compare([a[i][within[i]] for i in order], [b[i][within[i]] for i in order])
    assert one.log_ratio == pytest.approx(other.log_ratio, abs=1e-9)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_blocks_weigh_the_same_however_many_rounds() -> None:
    a = [np.log([2.0] * 100), np.log([8.0])]
    effects = stats.block_effects(a, [np.zeros(100), np.zeros(1)])
    np.testing.assert_allclose(effects, np.log([2, 8]))
    assert stats.estimate(effects).ratio == pytest.approx(4)


def test_the_t_interval_is_scipys() -> None:
    effects = np.array([0.1, 0.13, 0.08, 0.12, 0.1])
    ours = stats.estimate(effects, confidence=0.9)
    theirs = scipy_stats.ttest_1samp(effects, 0).confidence_interval(0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


@given(hnp.arrays(float, st.integers(2, 10), elements=logs), st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_more_confidence_is_never_narrower(effects: FloatArray, one: float, other: float) -> None:
    less, more = sorted([one, other])
    estimate = stats.estimate(effects)
    assert estimate.at(more).half_width >= estimate.at(less).half_width
    assert estimate.at(0.95) == estimate


def test_one_block_has_a_ratio_and_no_interval() -> None:
    estimate = stats.estimate(np.array([math.log(1.5)]))
    assert estimate.ratio == pytest.approx(1.5)
    assert estimate.ci is None
    assert estimate.at(0.999).ci is None


def test_no_block_has_neither() -> None:
    estimate = stats.compare([], [])
    assert (estimate.ratio, estimate.ci, estimate.blocks) == (None, None, 0)
    assert estimate.at(0.9).ci is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rounds_without_a_value_are_left_out_and_counted(value: float) -> None:
    a = [np.array([1.0, value, 3.0]), np.array([value, value, value])]
    b = [np.array([0.0, 0.0, 0.0]), np.array([value, 0.0, 0.0])]
    estimate = stats.compare(a, b)
    assert (estimate.blocks, estimate.rounds, estimate.rounds_lost) == (1, 6, 4)
    assert estimate.log_ratio == 2.0


def test_misaligned_contenders_are_refused() -> None:
    with pytest.raises(ValueError, match="2 blocks against 1"):
        stats.block_effects([np.zeros(1), np.zeros(1)], [np.zeros(1)])
    with pytest.raises(ValueError, match="block 0"):
        stats.block_effects([np.zeros(2)], [np.zeros(3)])
    with pytest.raises(ValueError, match="finite"):
        stats.estimate(np.array([np.nan]))
    with pytest.raises(ValueError, match="confidence"):
        stats.estimate(np.zeros(3), confidence=1.5)


def test_absolute_is_the_geometric_mean() -> None:
    level = stats.absolute([np.log([10.0, 1000.0]), np.log([100.0, 100.0])])
    assert level.ratio == pytest.approx(100)


def test_an_interval_too_wide_for_a_number_is_no_interval() -> None:
    wild = stats.estimate(np.array([-400.0, 0.0, 400.0]), confidence=0.999)
    assert wild.ci is None and wild.ratio == 1.0
