"""Where a value lies on a picture, and which numbers stand beside it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deadheat.report.axis import Axis
from deadheat.report.html.letters import FARTHEST, HIGH, WIDE, beside, spread

positive = st.floats(1e-6, 1e6)


@given(low=positive, span=st.floats(1.01, 1e6), log=st.booleans())
def test_ticks_are_few_in_order_and_within(low: float, span: float, log: bool) -> None:
    axis = Axis(low, low * span, log)
    ticks = axis.ticks(7)
    assert 1 <= len(ticks) <= 8
    assert all(a < b for a, b in pairwise(ticks))
    assert all(low * (1 - 1e-9) <= tick <= low * span * (1 + 1e-9) for tick in ticks)


@given(low=positive, span=st.floats(1.01, 1e6), log=st.booleans(), value=positive)
def test_a_value_lies_within_and_the_ends_at_the_ends(
    low: float, span: float, log: bool, value: float
) -> None:
    axis = Axis(low, low * span, log)
    assert 0 <= axis.at(value) <= 1
    assert axis.at(low) == 0
    assert abs(axis.at(low * span) - 1) < 1e-9


@given(st.lists(st.floats(0, 100), min_size=1, max_size=80))
def test_letters_are_moved_apart_in_the_same_order(positions: list[float]) -> None:
    moved = spread(positions)
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    apart = min(8.0, 100 / len(positions))
    assert all(moved[b] - moved[a] >= apart - 0.02 for a, b in pairwise(order))
    assert max(moved) <= 100


POINTS = st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=12)


@given(POINTS)
def test_letters_beside_their_points_cover_none(points: list[tuple[float, float]]) -> None:
    """Where there is room, and twelve have room: each within reach of its point, in the picture."""
    placed = beside(points)
    for i, (x, y) in enumerate(placed):
        assert 0 <= x <= 100 and 0 <= y <= 100
        assert abs(x - points[i][0]) <= FARTHEST * WIDE + 0.01
        assert abs(y - points[i][1]) <= FARTHEST * HIGH + 0.01
        for other in placed[:i]:
            assert abs(x - other[0]) >= WIDE or abs(y - other[1]) >= HIGH


def test_a_letter_stays_on_its_point_where_nothing_is_near() -> None:
    assert beside([(10, 10), (50, 50), (10, 90)]) == [(10, 10), (50, 50), (10, 90)]
    assert beside([(50, 50), (50, 50)]) == [(50, 42), (50, 58)]
