"""Crossings of ratios whose truth is known."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.stats.crossing import Point, crossings


def point(at: float, ratio: float, half: float = 0.02) -> Point:
    return Point(at, ratio, ratio * math.exp(-half), ratio * math.exp(half))


def test_halfway_on_logarithmic_axes() -> None:
    [found] = crossings([point(400, 1.1), point(1, 1 / 1.1)])
    assert found.at == pytest.approx(20)
    assert found.rises
    # Each end as far away as its interval is wide, of a line that rises by 2 log 1.1 over log 400.
    away = 0.02 / (2 * math.log(1.1)) * math.log(400)
    assert (found.low, found.high) == pytest.approx((20 * math.exp(-away), 20 * math.exp(away)))


def test_an_open_setting_between_two_sure_ones() -> None:
    [found] = crossings([point(10, 1.2), point(100, 1.0), point(1000, 0.8)])
    assert found.at == pytest.approx(100)
    assert not found.rises
    assert 10 < found.low < 100 < found.high < 1000


def test_what_is_not_sure_on_both_sides_is_no_crossing() -> None:
    assert crossings([point(10, 1.2), point(100, 0.99)]) == []
    assert crossings([point(10, 1.01), point(100, 0.99)]) == []
    assert crossings([point(10, 1.2)]) == crossings([]) == []


def test_there_and_back() -> None:
    there, back = crossings([point(1, 0.8), point(10, 1.2), point(100, 0.8)])
    assert (there.rises, back.rises) == (True, False)
    assert there.high < back.low


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(0.1, 10), st.floats(0.001, 1)), max_size=8))
def test_a_crossing_lies_within_its_interval_and_between_two_settings(
    settings: list[tuple[float, float, float]],
) -> None:
    points = [
        point(at, ratio, half) for at, ratio, half in {at: (at, r, h) for at, r, h in settings}.values()
    ]
    found = crossings(points)
    for one in found:
        assert one.low <= one.at * (1 + 1e-9) and one.at <= one.high * (1 + 1e-9)
        below = [p for p in points if p.at <= one.low * (1 + 1e-9) and p.side]
        above = [p for p in points if p.at >= one.high * (1 - 1e-9) and p.side]
        assert below and above
    assert all(a.rises is not b.rises for a, b in pairwise(found))


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """A ratio that is a straight line, measured with noise at five settings; the truth is at 50."""
    rng = np.random.default_rng(3)
    settings, deviation = [1.0, 10.0, 50.0, 200.0, 1000.0], 0.03
    reported = covered = 0
    for _ in range(2000):
        logs = [0.1 * math.log(at / 50) + rng.normal(0, deviation) for at in settings]
        found = crossings(
            [point(at, math.exp(log), 1.96 * deviation) for at, log in zip(settings, logs, strict=True)]
        )
        reported += len(found) == 1
        covered += len(found) == 1 and found[0].low <= 50 <= found[0].high
    assert reported > 1900
    assert covered / reported > 0.94
