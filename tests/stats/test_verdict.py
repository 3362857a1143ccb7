"""Verdicts, by the interval that is printed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.model.reason import NoCommonBlock, NoSpread, Note, Reason, RoundsLost, TooFewBlocks, Undecided
from deadheat.stats import Estimate, FloatArray

EDGE = math.log1p(0.02)


def interval(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 0.95, 6, (high - low) / 5)


@pytest.mark.parametrize(
    ("low", "high", "kind", "winner"),
    [
        (0.03, 0.05, "faster", "a"),
        (-0.05, -0.03, "faster", "b"),
        (-0.01, 0.015, "dead heat", None),
        (0.001, 0.015, "dead heat", None),
        (0.01, 0.05, "inconclusive", None),
        (-0.03, 0.01, "inconclusive", None),
        (-0.5, 0.5, "inconclusive", None),
        (EDGE, 0.05, "inconclusive", None),
        (-0.01, EDGE, "inconclusive", None),
    ],
)
def test_where_the_interval_lies(low: float, high: float, kind: str, winner: str | None) -> None:
    verdict = stats.judge(interval(low, high))
    assert (verdict.kind, verdict.winner) == (kind, winner)


def test_at_margin_0_only_the_exclusion_of_1_counts() -> None:
    assert stats.judge(interval(0.001, 0.002), 0).kind == "faster"
    assert stats.judge(interval(-0.001, 0.002), 0).kind == "inconclusive"


def test_an_interval_that_touches_1_is_no_winner() -> None:
    assert stats.judge(interval(0.0, 0.002), 0).kind == "inconclusive"


@given(hnp.arrays(float, st.integers(0, 8), elements=st.floats(-1, 1)), st.floats(0, 0.1))
def test_swapping_the_pair_swaps_the_winner(effects: FloatArray, margin: float) -> None:
    there, back = stats.judge(stats.estimate(effects), margin), stats.judge(stats.estimate(-effects), margin)
    assert there.kind == back.kind
    assert back.winner == {"a": "b", "b": "a", None: None}[there.winner]


@given(
    hnp.arrays(float, st.integers(2, 8), elements=st.floats(-1, 1)), st.floats(0, 0.05), st.floats(0, 0.05)
)
def test_a_wider_margin_never_makes_a_winner(effects: FloatArray, one: float, other: float) -> None:
    narrow, wide = sorted([one, other])
    if stats.judge(stats.estimate(effects), wide).kind == "faster":
        assert stats.judge(stats.estimate(effects), narrow).kind == "faster"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([np.full(40, -np.inf)] * 6, NoCommonBlock()),
        ([np.full(40, np.inf)] * 6, NoCommonBlock()),
        ([np.full(40, np.nan)] * 6, NoCommonBlock()),
        ([np.full(40, 0.5)] * 6, NoSpread(blocks=6)),
        ([np.linspace(0, 1, 40)], TooFewBlocks(blocks=1, needed=2)),
        ([], NoCommonBlock()),
        ([np.where(np.arange(40) < 2, -np.inf, 0.1 * i) for i in range(6)], RoundsLost(lost=12, rounds=240)),
    ],
    ids=["zero", "infinite", "failed", "constant", "one block", "nothing", "some zero"],
)
def test_degenerate_input_has_a_defined_verdict(values: list[FloatArray], why: Reason) -> None:
    verdict = stats.judge(stats.compare(values, [np.zeros_like(x) for x in values]))
    assert verdict.kind == "inconclusive"
    assert why in verdict.reasons
    assert not any(math.isnan(x) for x in (verdict.estimate.low, verdict.estimate.high))


def test_a_lone_lost_round_is_forgiven() -> None:
    rng = np.random.default_rng(1)
    a = [0.5 + rng.normal(0, 0.01, 10) for _ in range(3)]
    a[0][3] = np.nan
    assert stats.judge(stats.compare(a, [np.zeros(10)] * 3)).kind == "faster"


def test_too_few_blocks_have_no_verdict_however_clear() -> None:
    effects = np.array([0.5, 0.51, 0.5, 0.49])
    assert stats.judge(stats.estimate(effects)).kind == "faster"
    verdict = stats.judge(stats.estimate(effects), fewest_blocks=5)
    assert (verdict.kind, verdict.reasons) == ("inconclusive", (TooFewBlocks(blocks=4, needed=5),))


def test_doubt_and_broken_gates_stop_a_verdict() -> None:
    verdict = stats.judge(interval(0.1, 0.2), doubts=[Note(text="two copies disagree")])
    doubts = (Note(text="two copies disagree"),)
    assert (verdict.kind, verdict.reasons, verdict.winner) == ("inconclusive", doubts, None)
    void = stats.judge(interval(0.1, 0.2)).void(Note(text="null pair"))
    assert (void.kind, void.reasons, void.winner) == ("invalid", (Note(text="null pair"),), None)


@pytest.mark.parametrize("margin", [-0.01, 1.0, 2.0])
def test_a_margin_must_make_sense(margin: float) -> None:
    with pytest.raises(ValueError, match=r"2% is 0\.02"):
        stats.judge(interval(0.1, 0.2), margin)


def test_more_blocks_say_what_would_settle_it() -> None:
    effects = np.array([0.02, 0.06, 0.04, 0.0, 0.08, 0.04])
    verdict = stats.judge(stats.estimate(effects))
    assert verdict.kind == "inconclusive"
    assert verdict.more_blocks is not None and 3 < verdict.more_blocks < 30
    assert verdict.reasons == (Undecided(margin=0.02),)


def test_blocks_needed_have_their_power() -> None:
    """Of runs as long as advised, about 80% are settled; of runs half as long, far fewer."""
    effects = np.array([0.02, 0.06, 0.04, 0.0, 0.08, 0.04])
    found = stats.estimate(effects)
    extra = stats.blocks_needed(found, 0.02)
    assert extra is not None and found.log_ratio is not None
    rng = np.random.default_rng(5)
    runs = rng.normal(found.log_ratio, effects.std(ddof=1), (1_000, 6 + extra))
    settled = np.mean([stats.judge(stats.estimate(run)).kind == "faster" for run in runs])
    hurried = np.mean([stats.judge(stats.estimate(run[: (6 + extra) // 2])).kind == "faster" for run in runs])
    assert 0.75 < settled < 0.88
    assert hurried < 0.6


def test_a_difference_at_the_margin_cannot_be_settled() -> None:
    effects = EDGE + np.array([-0.01, 0.01, 0.02, -0.02])
    verdict = stats.judge(stats.estimate(effects))
    assert verdict.more_blocks is None
    assert verdict.reasons == (Undecided(margin=0.02, hopeless=True),)
