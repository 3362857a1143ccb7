"""Drift, carry-over and warm-up."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.stats import FloatArray, Turn

NAMES = ("go", "node", "crystal")


def played(
    blocks: int, rounds: int, seed: int, after_node: float = 0.0, machine_drift: float = 0.0
) -> list[list[Turn]]:
    """Turns in balanced random order; go loses `after_node` log units right after node."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    result = []
    for _ in range(blocks):
        turns: list[Turn] = []
        for round_ in range(rounds):
            forward = rng.sample(NAMES, len(NAMES))
            for name in [*forward, *reversed(forward)]:
                hit = after_node if name == "go" and turns and turns[-1].contender == "node" else 0.0
                value = 0.3 * NAMES.index(name) - hit + machine_drift * len(turns) + noise.normal(0, 0.1)
                turns.append(Turn(round_, name, value))
        result.append(turns)
    return result


def test_carry_over_that_is_there_is_found() -> None:
    found = stats.carry_over(played(8, 40, seed=1, after_node=0.1))
    pair = next(c for c in found if (c.contender, c.predecessor) == ("go", "node"))
    assert pair.found
    assert pair.estimate.log_ratio == pytest.approx(-0.1, abs=0.03)


def test_carry_over_that_is_not_there_is_seldom_found() -> None:
    runs = [
        any(c.found for c in stats.carry_over(played(6, 10, seed, machine_drift=0.001)))
        for seed in range(100)
    ]
    assert sum(runs) <= 11  # 5 expected; the chance of more than 11 is 0.4%


def test_failed_turns_are_left_out_of_carry_over() -> None:
    blocks = played(3, 5, seed=2)
    blocks[0][3] = Turn(0, blocks[0][3].contender, math.nan)
    assert all(math.isfinite(c.estimate.log_ratio or 0.0) for c in stats.carry_over(blocks))
    assert stats.carry_over([]) == []


def test_drift_is_the_change_of_the_ratio_within_a_block() -> None:
    rng = np.random.default_rng(1)
    machine = [rng.normal(0, 0.3, 21) for _ in range(6)]
    warming = np.where(np.arange(21) < 10, 0.0, 0.05)
    a = [m + warming + rng.normal(0, 0.01, 21) for m in machine]
    found = stats.drift(a, machine)
    assert found.log_ratio == pytest.approx(0.05, abs=0.01)
    assert found.low > 0
    slower = stats.drift(a, machine, lower_is_better=True)
    assert slower.log_ratio == pytest.approx(-(found.log_ratio or 0.0))


def test_drift_of_single_rounds_is_unknown() -> None:
    assert stats.drift([np.zeros(1)] * 3, [np.zeros(1)] * 3).ratio is None


def slices(levels: FloatArray, blocks: int, seed: int, noise: float = 0.05) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [levels + rng.normal(0, 0.3) + rng.normal(0, noise, len(levels)) for _ in range(blocks)]


def test_a_steady_contender_is_flat() -> None:
    found = [stats.warm_up(slices(np.zeros(60), 5, seed)) for seed in range(20)]
    assert all(f is not None and f.kind == "flat" and f.steady_from == 0 for f in found)


def test_warm_up_is_found_where_it_ends() -> None:
    found = stats.warm_up(slices(np.where(np.arange(60) < 12, -0.5, 0.0), 5, seed=1))
    assert found is not None
    assert (found.kind, found.steady_from) == ("warms up", 12)
    assert found.start == pytest.approx(math.exp(-0.5), rel=0.05)


def test_slowing_down_is_told_from_warming_up() -> None:
    found = stats.warm_up(slices(np.where(np.arange(60) < 20, 0.3, 0.0), 5, seed=2))
    assert found is not None
    assert (found.kind, found.steady_from) == ("slows down", 20)


def test_what_keeps_moving_never_got_steady() -> None:
    found = stats.warm_up(slices(np.linspace(-2, 0, 60), 5, seed=3))
    assert found is not None
    assert (found.kind, found.steady_from) == ("never got steady", None)


def test_failed_slices_keep_their_place() -> None:
    series = slices(np.where(np.arange(60) < 12, -0.5, 0.0), 5, seed=1)
    for start in series:
        start[3:6] = np.nan
    found = stats.warm_up(series)
    assert found is not None and found.steady_from == 12


@pytest.mark.parametrize("series", [[], [np.zeros(7)], [np.full(20, np.nan)]])
def test_too_few_slices_tell_nothing(series: list[FloatArray]) -> None:
    assert stats.warm_up(series) is None


def test_constant_slices_are_flat() -> None:
    found = stats.warm_up([np.zeros(20)] * 2)
    assert found is not None and found.kind == "flat"


@given(hnp.arrays(float, st.integers(0, 40), elements=st.floats(-1, 1)))
def test_change_points_ascend_and_leave_no_single_slice(values: FloatArray) -> None:
    found = stats.change_points(values)
    edges = [0, *found, len(values)]
    assert not found or min(np.diff(edges)) >= 2
