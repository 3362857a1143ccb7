"""Variance components, and blocks and rounds for a budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat import stats
from deadheat.stats import BudgetTooShortError, Costs, Series


def planted(
    starts: list[float], slices: list[float], machine: float, blocks: int = 400, rounds: int = 20
) -> dict[str, Series]:
    """Contenders with planted standard deviations between starts and between slices, and a shared machine."""
    rng = np.random.default_rng(3)
    shared = rng.normal(0, machine, (blocks, 1)) + rng.normal(0, 0.1, (blocks, rounds))
    return {
        f"c{i}": list(shared + rng.normal(0, start, (blocks, 1)) + rng.normal(0, slice_, (blocks, rounds)))
        for i, (start, slice_) in enumerate(zip(starts, slices, strict=True))
    }


def test_planted_components_are_found() -> None:
    found = stats.variance_components(planted([0.05, 0.1, 0.02], [0.2, 0.1, 0.15], machine=0.3))
    for name, start, slice_ in [("c0", 0.05, 0.2), ("c1", 0.1, 0.1), ("c2", 0.02, 0.15)]:
        assert math.sqrt(found[name].between_slices) == pytest.approx(slice_, rel=0.1)
        assert math.sqrt(found[name].between_starts) == pytest.approx(start, abs=0.012)
        assert math.sqrt(found[name].between_blocks) == pytest.approx(0.3, rel=0.1)


def test_the_share_of_starts_is_of_a_blocks_mean() -> None:
    # 0.05^2 between starts, 0.2^2 / 16 = 0.05^2 from slices: half and half.
    found = stats.variance_components(planted([0.05] * 3, [0.2] * 3, machine=0.3, rounds=16))
    assert found["c1"].share_of_starts == pytest.approx(0.5, abs=0.1)


def test_two_contenders_share_what_their_difference_shows() -> None:
    found = stats.variance_components(planted([0.06, 0.06], [0.2, 0.2], machine=0.3))
    assert found["c0"].between_starts == pytest.approx(found["c1"].between_starts)
    assert math.sqrt(found["c0"].between_starts) == pytest.approx(0.06, rel=0.15)


def test_lost_rounds_are_left_out() -> None:
    series = planted([0.05] * 3, [0.2] * 3, machine=0.3, blocks=50)
    series["c0"][0][:5] = np.nan
    found = stats.variance_components(series)
    assert all(math.isfinite(c.between_slices) for c in found.values())
    assert found["c0"].rounds < 20


def test_identical_constants_have_no_variance_and_no_share() -> None:
    found = stats.variance_components({"a": [np.zeros(3)] * 2, "b": [np.zeros(3)] * 2})
    assert (found["a"].between_starts, found["a"].share_of_starts) == (0, None)


def test_too_little_data_is_refused() -> None:
    with pytest.raises(ValueError, match="2 contenders"):
        stats.variance_components({"a": [np.zeros(3)] * 2})
    with pytest.raises(ValueError, match="2 blocks"):
        stats.variance_components({"a": [np.zeros(3)], "b": [np.zeros(3)]})
    with pytest.raises(ValueError, match="nobody lost"):
        stats.variance_components({"a": [np.full(3, np.nan)] * 2, "b": [np.zeros(3)] * 2})


costs = st.builds(Costs, st.floats(0.5, 20), st.floats(0.1, 3))


@given(st.floats(1, 2_000), costs, st.floats(0, 0.01), st.floats(1e-6, 0.2))
def test_a_choice_fits_its_budget(budget: float, cost: Costs, starts: float, slices: float) -> None:
    try:
        chosen = stats.allocate(budget, cost, starts, slices)
    except BudgetTooShortError as short:
        assert budget < short.minimum_s
        fits = stats.allocate(short.minimum_s, cost, starts, slices)
        assert (fits.blocks, fits.rounds) == (3, 5)
    else:
        assert chosen.seconds <= budget * (1 + 1e-6)
        assert chosen.blocks >= 3 and chosen.rounds >= 5


def test_a_budget_that_is_too_short_says_what_would_do() -> None:
    with pytest.raises(BudgetTooShortError, match="10 s is too short for 3 blocks: at least 24 s"):
        stats.allocate(10, Costs(block_s=3, round_s=1), 0.001, 0.05)


def test_a_long_budget_gives_kalibera_and_jones_rounds() -> None:
    cost, starts, slices = Costs(block_s=4, round_s=0.6), 2 * 0.02**2, 0.03
    formula = stats.best_rounds(starts, slices, cost)
    assert formula == pytest.approx(math.sqrt(4 / 0.6 * 0.03 / (2 * 0.02**2)))
    chosen = stats.allocate(20_000, cost, starts, slices)
    assert chosen.rounds == pytest.approx(formula, rel=0.1)


def test_starts_that_do_not_vary_want_few_blocks() -> None:
    assert stats.best_rounds(0, 0.03, Costs(4, 0.6)) == math.inf
    steady = stats.allocate(300, Costs(4, 0.6), 0.0, 0.03)
    moody = stats.allocate(300, Costs(4, 0.6), 0.01, 0.03)
    assert steady.blocks < moody.blocks


def test_more_budget_finds_smaller_differences() -> None:
    found = [stats.allocate(s, Costs(4, 0.6), 0.0008, 0.03).smallest_difference for s in (60, 180, 600)]
    assert found[0] > found[1] > found[2]
