"""How likely a difference is to be found: known limits, and what the tables of docs/method.md say."""

from __future__ import annotations

import numpy as np
import pytest

from deadheat import stats

LOOKS = stats.plan_looks(10)


def test_nothing_to_find_is_found_as_often_as_alpha_allows_on_one_side() -> None:
    assert stats.chance_to_find(0.0, 0.05, LOOKS, 0.0) == pytest.approx(0.025, abs=0.01)


def test_a_difference_at_the_margin_is_found_as_rarely() -> None:
    assert stats.chance_to_find(0.02, 0.05, LOOKS, 0.02) == pytest.approx(0.025, abs=0.01)


def test_it_grows_with_the_difference_and_falls_with_the_spread() -> None:
    by_difference = [stats.chance_to_find(d, 0.05, LOOKS, 0.0) for d in (0.01, 0.03, 0.05, 0.1)]
    assert by_difference == sorted(by_difference) and by_difference[-1] > 0.95
    by_spread = [stats.chance_to_find(0.03, s, LOOKS, 0.0) for s in (0.01, 0.03, 0.1)]
    assert by_spread == sorted(by_spread, reverse=True)


def test_the_smallest_difference_found_is_found_four_times_in_five() -> None:
    smallest = stats.smallest_found(0.03, LOOKS, 0.0)
    assert smallest is not None
    assert stats.chance_to_find(smallest, 0.03, LOOKS, 0.0) >= 0.8
    assert stats.chance_to_find(smallest - 0.002, 0.03, LOOKS, 0.0) < 0.8


def test_what_no_difference_up_to_the_most_would_settle_is_none() -> None:
    assert stats.smallest_found(5.0, LOOKS, 0.0) is None


def test_verdicts_of_a_family_know_their_step() -> None:
    rng = np.random.default_rng(1)
    effects = {"sure": 0.5, "less": 0.2, "none": 0.0}
    found = stats.judge_family(
        {name: stats.estimate(e + 0.02 * rng.standard_normal(8)) for name, e in effects.items()}, 0.02
    )
    assert [found[name].step for name in effects] == [1, 2, 3]
    assert [found[name].alpha for name in effects] == pytest.approx([0.05 / 3, 0.05 / 2, 0.05])
    assert {verdict.family for verdict in found.values()} == {3}
