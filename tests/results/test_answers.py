"""What an interval answers to a claim: direction by the margin, size whatever the margin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.model.claim import Claim, Published
from deadheat.results import answers

MARGIN = 0.02


def claim(**published: object) -> Claim:
    return Claim(
        id="x", statement="s", where="w", workload="echo", metric="throughput_rps", a="a", b="b",
        published=Published.model_validate(published),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("published", "ci", "direction", "size"),
    [
        (2.0, (0.99, 1.01), "dead heat", "smaller"),
        (5.01, (0.69, 2.47), "open", "smaller"),
        (1.03, (1.10, 1.28), "confirmed", "bigger"),
        (1.20, (1.15, 1.25), "confirmed", "as published"),
        (1.20, (1.05, 1.40), "confirmed", "open"),
        (1.20, (0.80, 0.90), "refuted", "smaller"),
        (1.20, (0.97, 1.04), "open", "smaller"),
        (0.5, (0.45, 0.55), "confirmed", "as published"),
        (0.5, (1.5, 1.6), "refuted", "smaller"),
        (0.5, (0.2, 0.3), "confirmed", "bigger"),
        (1.0, (0.99, 1.01), "confirmed", None),
        (1.0, (1.03, 1.05), "refuted", None),
        (1.0, (0.99, 1.05), "open", None),
    ],
)
def test_direction_and_size(
    published: float, ci: tuple[float, float], direction: str, size: str | None
) -> None:
    asked = claim(ratio=published)
    assert (answers.direction(asked, ci, MARGIN), answers.size(asked, ci)) == (direction, size)


@pytest.mark.parametrize(
    ("published", "ci", "direction"),
    [
        ({"direction": True}, (1.03, 1.2), "confirmed"),
        ({"direction": True}, (0.8, 0.9), "refuted"),
        ({"direction": True}, (0.99, 1.01), "dead heat"),
        ({"direction": True}, (0.99, 1.2), "open"),
        ({"at_most": 2.0}, (1.5, 1.9), "confirmed"),
        ({"at_most": 2.0}, (2.1, 2.4), "refuted"),
        ({"at_most": 2.0}, (1.9, 2.1), "open"),
    ],
)
def test_claims_without_a_figure_have_no_size(
    published: dict[str, object], ci: tuple[float, float], direction: str
) -> None:
    asked = claim(**published)
    assert (answers.direction(asked, ci, MARGIN), answers.size(asked, ci)) == (direction, None)


@pytest.mark.parametrize(
    ("published", "half"), [(1.01, 1.02), (1.21, 1.1), (1.5, math.sqrt(1.5)), (5.0, 1.25), (0.2, 1.25)]
)
def test_the_band_is_half_of_the_way_to_1_but_2_percent_at_least_and_25_at_most(
    published: float, half: float
) -> None:
    assert math.exp(answers.half_width(published)) == pytest.approx(half)


@given(
    published=st.floats(0.1, 10).filter(lambda r: abs(r - 1) > 1e-6),
    low=st.floats(0.1, 10),
    width=st.floats(1.0001, 2.0),
)
def test_turning_a_claim_round_changes_nothing(published: float, low: float, width: float) -> None:
    ci = (low, low * width)
    turned, around = claim(ratio=1 / published), (1 / ci[1], 1 / ci[0])
    asked = claim(ratio=published)
    assert answers.size(asked, ci) == answers.size(turned, around)
    assert answers.direction(asked, ci, MARGIN) == answers.direction(turned, around, MARGIN)


@given(published=st.floats(1.05, 10), at=st.floats(0.2, 20), margin=st.floats(0, 0.2))
def test_size_knows_no_margin_and_a_refuted_direction_is_never_as_published(
    published: float, at: float, margin: float
) -> None:
    asked, ci = claim(ratio=published), (at, at * 1.001)
    if answers.direction(asked, ci, margin) == "refuted":
        assert answers.size(asked, ci) == "smaller"
