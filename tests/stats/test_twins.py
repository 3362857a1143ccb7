"""The robust twins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.stats import Estimate, FloatArray

Method = Callable[[FloatArray], Estimate]
effects_of = hnp.arrays(float, st.integers(1, 8), elements=st.floats(-5, 5))


def test_six_blocks_span_least_to_greatest() -> None:
    # P(all six on one side) = 2/64: the widest interval the signed ranks have is just above 95%.
    effects = np.array([0.1, 0.3, 0.2, 0.6, 0.4, 0.9])
    twin = stats.hodges_lehmann(effects)
    assert (twin.low, twin.high) == (0.1, 0.9)


def test_five_blocks_are_too_few_for_ranks_at_95_percent() -> None:
    twin = stats.hodges_lehmann(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert twin.ci is None
    assert twin.log_ratio == pytest.approx(0.3)


def test_ten_blocks_against_published_critical_value() -> None:
    # Wilcoxon's table: two-sided 5% at n = 10 rejects at 8 or less, so 8 averages are cut from either end.
    effects = np.arange(1.0, 11.0) ** 1.5
    i, j = np.triu_indices(10)
    walsh = np.sort((effects[i] + effects[j]) / 2)
    twin = stats.hodges_lehmann(effects)
    assert (twin.low, twin.high) == (walsh[8], walsh[-9])


def test_one_wild_block_moves_the_mean_and_not_the_twin() -> None:
    effects = np.array([0.1, 0.11, 0.09, 0.1, 0.1, 0.11, 0.09, 3.0])
    twin, mean = stats.hodges_lehmann(effects), stats.estimate(effects)
    assert twin.log_ratio == pytest.approx(0.1, abs=0.01)
    assert mean.log_ratio is not None and mean.log_ratio > 0.4


@given(effects_of)
@pytest.mark.parametrize("method", [stats.hodges_lehmann, stats.bootstrap])
def test_swapping_the_pair_inverts_and_never_nan(method: Method, effects: FloatArray) -> None:
    there, back = method(effects), method(-effects)
    assert there.log_ratio == pytest.approx(-(back.log_ratio or 0.0), abs=1e-12)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-9)
    assert there.low <= there.high


def test_the_bootstrap_repeats_for_a_seed() -> None:
    effects = np.array([0.1, 0.12, 0.05, 0.2, 0.13, 0.11])
    assert stats.bootstrap(effects, seed=1) == stats.bootstrap(effects, seed=1)
    assert stats.bootstrap(effects, seed=1) != stats.bootstrap(effects, seed=2)


def test_twins_refuse_another_confidence() -> None:
    with pytest.raises(ValueError, match="hodges-lehmann"):
        stats.hodges_lehmann(np.arange(6.0)).at(0.9)


@pytest.mark.parametrize("method", [stats.hodges_lehmann, stats.bootstrap])
def test_no_blocks(method: Method) -> None:
    assert method(np.array([])).ratio is None
