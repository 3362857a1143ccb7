"""One value a block, ranges and shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat import stats


def test_percentiles_are_compared_block_by_block() -> None:
    slow, fast = stats.by_block([10.0, 20.0, 11.0]), stats.by_block([5.0, 10.0, 5.6])
    found = stats.compare(fast, slow, lower_is_better=True)
    assert found.ratio == pytest.approx(2, rel=0.02)
    assert found.ci is not None and found.ci[0] > 1.9


def test_a_percentile_that_a_block_does_not_have_is_left_out() -> None:
    level = stats.absolute(stats.by_block([4.0, None, 0.0, 9.0]))
    assert level.blocks == 2
    assert level.ratio == pytest.approx(6)


def test_what_does_not_vary_has_no_interval() -> None:
    size = stats.absolute(stats.by_block([418_000.0] * 4))
    assert size.ratio == pytest.approx(418_000)
    assert size.ci is None


def test_memory_is_median_and_range() -> None:
    found = stats.spread([30.0, 10.0, None, 20.0])
    assert found == stats.Spread(20.0, 10.0, 30.0)
    assert found is not None and found.varies
    size = stats.spread([5.0, 5.0])
    assert size is not None and not size.varies
    assert stats.spread([None, math.inf]) is None


def test_share_against_published_values() -> None:
    # Clopper and Pearson: 0 of 60 has an upper end of 1 - 0.025^(1/60); 3 of 60 is 1.04% to 13.92%.
    np.testing.assert_allclose(stats.share(0, 60), [0, 1 - 0.025 ** (1 / 60)])
    np.testing.assert_allclose(stats.share(3, 60), [0.0104, 0.1392], atol=1e-4)
    assert stats.share(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="no proportion"):
        stats.share(3, 2)


@given(st.integers(0, 50), st.integers(1, 50))
def test_share_holds_its_own_value(count: int, more: int) -> None:
    low, high = stats.share(count, count + more)
    assert 0 <= low <= count / (count + more) <= high <= 1


def test_a_dead_heat_has_no_sign_to_disagree_about() -> None:
    effects = np.array([0.0, 0.0, 0.001, 0.0, 0.0, -0.0005, 0.0, 0.0])
    estimate = stats.compare([np.array([e]) for e in effects], [np.zeros(1)] * 8)
    assert stats.judge(estimate).kind == "dead heat"
