"""Rates of the middle half of slices, on slices whose truth is known."""

from __future__ import annotations

import pytest
from bench import slice_lengths

from tests.made.slices import BIN_MS, COUNTED_NS, LEAD_IN_NS, made_slice

BINS = (LEAD_IN_NS + COUNTED_NS) // 10**6 // BIN_MS


def test_a_slice_at_its_level_has_the_same_rate_in_its_middle() -> None:
    one = made_slice("echo", 0, 0, 0, "slow", 2000)
    middle, whole = slice_lengths.half_and_whole_rps(one) or (0.0, 0.0)
    assert middle == pytest.approx(whole) and whole == pytest.approx(2000 / (COUNTED_NS / 1e9))


def test_one_that_rises_through_its_lead_in_has_a_lower_one() -> None:
    rising = tuple(range(BINS))
    one = made_slice("echo", 0, 0, 0, "slow", 2000).model_copy(update={"bins": (*rising, 0)})
    middle, whole = slice_lengths.half_and_whole_rps(one) or (0.0, 0.0)
    # From bin 5 to bin 15 of 30, against from 10 on.
    assert middle == pytest.approx(9.5 / BIN_MS * 1000)
    assert whole == pytest.approx(19.5 / BIN_MS * 1000)


def test_one_without_a_reply_says_nothing() -> None:
    one = made_slice("echo", 0, 0, 0, "slow", 0).model_copy(update={"bins": (0,) * (BINS + 1)})
    assert slice_lengths.half_and_whole_rps(one) is None
