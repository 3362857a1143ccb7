"""Ratios of sums: a stall costs what it costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.model.reason import RoundsLost
from deadheat.stats import FloatArray, Rounds
from deadheat.stats.simulation import Design, Noise, Planted, block_logs, slices_of

counts = hnp.arrays(float, st.integers(1, 9), elements=st.floats(0, 1e6, width=32))


def of(*replies: float, seconds: float = 0.2) -> Rounds:
    return Rounds(np.array(replies), np.full(len(replies), seconds))


def test_a_round_without_a_reply_counts_as_zero_replies() -> None:
    """Half of the rounds stalled: half as fast, where the mean of logs would have left them out."""
    pair = stats.compare_sums([of(100, 0, 100, 0)] * 3, [of(100, 100, 100, 100)] * 3)
    assert pair.ratio == pytest.approx(0.5)
    assert (pair.rounds, pair.rounds_lost) == (12, 0)


def test_times_are_compared_by_their_sums() -> None:
    fast, slow = Rounds(np.array([1.0, 2.0]), np.ones(2)), Rounds(np.array([2.0, 7.0]), np.ones(2))
    assert stats.compare_sums([fast], [slow], lower_is_better=True).ratio == pytest.approx(3)


def test_only_rounds_that_both_were_in_count() -> None:
    pair = stats.compare_sums([of(100, math.nan, 300)], [of(50, 1_000, 150)])
    assert pair.ratio == pytest.approx(2)
    assert (pair.rounds, pair.rounds_lost) == (3, 1)


def test_a_block_without_any_reply_is_lost_and_makes_no_verdict() -> None:
    a = [of(0, 0), *[of(101 + i, 100) for i in range(5)]]
    pair = stats.compare_sums(a, [of(50, 50)] * 6)
    assert (pair.blocks, pair.rounds_lost) == (5, 2)
    verdict = stats.judge(pair, fewest_blocks=5)
    assert (verdict.kind, verdict.reasons) == ("inconclusive", (RoundsLost(lost=2, rounds=12),))


def test_a_request_is_paid_for_by_sums_too() -> None:
    """CPU a reply: sum of CPU over sum of replies, not a mean of slices' quotients."""
    busy = Rounds(np.array([10.0, 30.0]), np.array([1.0, 9.0]))
    idle = Rounds(np.array([10.0, 10.0]), np.array([10.0, 10.0]))
    assert stats.compare_sums([idle], [busy], lower_is_better=True).ratio == pytest.approx(4 / 1)


@given(counts)
def test_linear_values_have_the_blocks_own_mean(replies: FloatArray) -> None:
    block = Rounds(replies, np.linspace(0.1, 0.3, len(replies)))
    if not replies.any():
        assert math.isnan(block.log_value())
        return
    assert block.linear().mean() == pytest.approx(block.log_value(), abs=1e-9)


def test_linear_values_scatter_as_logs_do_where_noise_is_small() -> None:
    rng = np.random.default_rng(1)
    logs = rng.normal(3, 0.01, 500)
    linear = Rounds(np.exp(logs), np.ones(500)).linear()
    np.testing.assert_allclose(linear, logs, atol=5e-4)


def test_both_entries_of_a_contender_are_summed() -> None:
    both = stats.together(of(100, 50, math.nan), of(100, 150, 7))
    np.testing.assert_array_equal(both.amount, [200, 200, math.nan])
    np.testing.assert_allclose(both.per[:2], 0.4)


def test_rounds_must_align() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        stats.compare_sums([of(1, 2)], [of(1)])
    with pytest.raises(ValueError, match="1 blocks against 2"):
        stats.compare_sums([of(1)], [of(1), of(2)])


@pytest.mark.parametrize(
    "odd",
    [
        Planted(1.1),
        Planted(1.1, stall_share=0.05),
        Planted(1.1, slow_starts=0.2),
        Planted(1.1, own_slice_sd=0.5),
    ],
    ids=["alike", "stalls", "slow starts", "own noise"],
)
def test_the_planted_ratio_is_found_whatever_ails_one_of_them(odd: Planted) -> None:
    rng = np.random.default_rng(3)
    quiet = Noise(start_sd=0.01, middle_sd=0.05, slice_sd=0.1)
    logs = block_logs(slices_of([odd, Planted()], Design(blocks=6, rounds=40), 400, rng, quiet))
    found = (logs[:, 0] - logs[:, 1]).mean(axis=-1)
    assert abs(found.mean() - math.log(1.1)) < 0.004
