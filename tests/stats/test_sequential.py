"""Looks planned in advance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from deadheat import stats
from deadheat.stats import FloatArray, Looks

RUNS = 2_000


@given(st.integers(1, 200))
def test_planned_looks_end_at_the_budget(blocks: int) -> None:
    looks = stats.plan_looks(blocks)
    assert looks.blocks[-1] == blocks
    assert looks.blocks[0] >= min(3, blocks)
    assert [looks.due(n) for n in looks.blocks] == [True] * len(looks.blocks)


def test_spending_is_obrien_flemings() -> None:
    # Lan and DeMets 1983, a side: 2 - 2 Phi(z(alpha / 4) / sqrt(t)); all of alpha at the end.
    looks = Looks((5, 10, 20))
    a_side = 2 - 2 * scipy_stats.norm.cdf(2.241403 / math.sqrt(0.5))
    assert looks.spent(0.05, 20) == pytest.approx(0.05)
    assert looks.spent(0.05, 10) == pytest.approx(2 * a_side, rel=1e-4)
    assert looks.spent(0.05, 5) < 1e-4


def test_many_blocks_give_the_published_boundaries() -> None:
    """Two-sided 5%, five equal looks, known variance: 4.877, 3.357, 2.680, 2.290, 2.031.

    From 300 blocks t is near enough to normal; the figures are what gsDesign prints for sfLDOF.
    """
    looks = Looks((60, 120, 180, 240, 300))
    z = [-scipy_stats.norm.ppf(looks.nominal(0.05, n) / 2) for n in looks.blocks]
    np.testing.assert_allclose(z, [4.877, 3.357, 2.680, 2.290, 2.031], rtol=0.01)


def test_one_look_is_no_adjustment() -> None:
    assert Looks((6,)).nominal(0.05, 6) == 0.05


def test_a_run_stopped_by_hand_spends_at_the_information_reached() -> None:
    """Stopped at 5 of 10 blocks: far less than alpha, and no more than a planned look there."""
    by_hand = Looks((10,)).nominal(0.05, 5)
    assert by_hand == pytest.approx(Looks((10,)).spent(0.05, 5))
    assert Looks((4, 8, 10)).nominal(0.05, 5) < by_hand


def test_a_run_that_overran_ends_where_it_ended() -> None:
    assert Looks((3, 6)).nominal(0.05, 7) == pytest.approx(Looks((3, 6)).nominal(0.05, 6), rel=0.1)


@settings(max_examples=30)
@given(st.integers(2, 40), st.sampled_from([0.05, 0.01, 0.05 / 16]), st.integers(2, 45))
def test_levels_are_levels(blocks: int, alpha: float, reached: int) -> None:
    assert 0 <= stats.plan_looks(blocks).nominal(alpha, reached) <= alpha


def test_a_look_that_may_spend_nothing_has_no_interval() -> None:
    looks = Looks((3, 300))
    verdict = stats.judge_family({"pair": stats.estimate(np.array([1.0, 1.1, 1.2]))}, looks=looks)["pair"]
    assert (verdict.kind, verdict.estimate.ci) == ("inconclusive", None)


def test_an_early_look_knows_what_later_ones_would_settle() -> None:
    estimate = stats.estimate(np.array([0.05, 0.12, 0.08]))
    early = stats.judge_family({"pair": estimate}, looks=Looks(tuple(range(3, 61))))["pair"]
    assert early.kind == "inconclusive"
    looks = Looks(tuple(range(3, 61)))
    reported = stats.blocks_needed(estimate, 0.02, confidence=lambda blocks: 1 - looks.nominal(0.05, blocks))
    assert early.more_blocks == reported
    plain = stats.blocks_needed(estimate, 0.02)
    assert early.more_blocks is not None and plain is not None and early.more_blocks > plain
    assert early.more_blocks is not None


def test_blocks_beyond_the_end_are_told_at_what_the_reserve_leaves_and_then_at_a_longer_races() -> None:
    looks = stats.plan_looks(10, most=20, first=5)
    longer, end = looks.later_level(0.05, 20), looks.later_level(0.05, 40)
    assert longer < end == looks.nominal(0.05, 10) < 0.05
    rng = np.random.default_rng(5)
    # As wide as leaves it open, as far off as 20 blocks are hardly enough for.
    effects = rng.normal(0, 0.02, 10)
    estimate = stats.estimate(effects - effects.mean() + 0.012)
    more = stats.judge_family({"pair": estimate}, 0.0, looks=looks)["pair"].more_blocks
    plain = stats.blocks_needed(estimate, 0.0)
    assert more is not None and plain is not None and more > plain


@pytest.mark.parametrize("looks", [(), (3, 3), (6, 3), (0, 3)])
def test_looks_must_ascend(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="ever more blocks"):
        Looks(looks)


def test_the_plan_can_be_printed() -> None:
    text = stats.plan_looks(6).describe()
    assert text.startswith(
        "looks after each block from 3 on; stops when every pair is faster or a dead heat after 5 or more, "
        "else after 6; alpha"
    )
    assert "from 3 on; stops after 5; alpha" in stats.plan_looks(5).describe()
    assert "stops when every pair is faster or a dead heat, else after 40" in stats.plan_looks(40).describe()
    assert "0.0031 at the first look" in text
    assert Looks((3, 6, 10)).describe().startswith("looks after 3, 6, 10 blocks")
    assert stats.plan_looks(2).describe() == "one look, after 2 blocks, at 0.05"


def test_a_run_does_not_end_by_itself_before_five_blocks() -> None:
    looks = stats.plan_looks(8)
    assert [n for n in range(1, 9) if looks.due(n)] == [3, 4, 5, 6, 7, 8]
    assert [n for n in range(1, 9) if looks.may_end(n)] == [5, 6, 7, 8]
    assert [n for n in range(1, 5) if stats.plan_looks(4).may_end(n)] == [4]


def run_to_its_stop(effects: FloatArray, looks: Looks, margin: float) -> stats.Verdict:
    """A pair's run, block by block, as a runner would drive it."""
    for blocks in looks.blocks:
        verdicts = stats.judge_family({0: stats.estimate(effects[:blocks])}, margin, looks=looks)
        if looks.may_end(blocks) and stats.settled(verdicts.values()):
            break
    return verdicts[0]


def test_stopping_early_keeps_errors_and_coverage() -> None:
    """With 6,000 runs the error's own standard error is 0.28 points; the bounds allow two of them."""
    rng = np.random.default_rng(6)
    looks = stats.plan_looks(6)
    runs = [run_to_its_stop(rng.normal(0, 0.03, 6), looks, 0.0) for _ in range(6_000)]
    assert np.mean([v.kind == "faster" for v in runs]) <= 0.0556
    assert np.mean([v.estimate.low <= 0 <= v.estimate.high for v in runs]) >= 0.9444


@pytest.mark.parametrize("blocks", [6, 20])
def test_watching_and_stopping_when_it_looks_good_keeps_the_error(blocks: int) -> None:
    """By hand at any block, planned look or not; 50,000 runs, so a standard error of 0.1 points."""
    looks = stats.plan_looks(blocks)
    effects = np.random.default_rng(blocks).normal(0, 1, (50_000, blocks))
    won = np.zeros(len(effects), dtype=bool)
    for n in range(2, blocks + 1):
        so_far = effects[:, :n]
        t = np.abs(so_far.mean(axis=1)) / (so_far.std(axis=1, ddof=1) / math.sqrt(n))
        won |= t > scipy_stats.t.isf(looks.nominal(0.05, n) / 2, n - 1)
    assert 0.045 < won.mean() < 0.0515


def test_false_dead_heats_at_exactly_the_margin() -> None:
    rng = np.random.default_rng(4)
    looks = stats.plan_looks(10)
    truth = math.log1p(0.02)
    runs = [run_to_its_stop(rng.normal(truth, 0.005, 10), looks, 0.02) for _ in range(RUNS)]
    assert np.mean([v.kind == "dead heat" for v in runs]) <= 0.06


def test_a_large_difference_stops_early() -> None:
    rng = np.random.default_rng(6)
    looks = stats.plan_looks(12)
    runs = [run_to_its_stop(rng.normal(0.3, 0.03, 12), looks, 0.02) for _ in range(200)]
    assert all(v.winner == "a" for v in runs)
    assert np.mean([v.estimate.blocks for v in runs]) < 8


def test_looking_unadjusted_would_err() -> None:
    """The reason for all this: the same looks at an unadjusted 5% err far more often."""
    rng = np.random.default_rng(7)
    looks = stats.plan_looks(12)
    wrong = 0
    for _ in range(500):
        effects = rng.normal(0, 0.03, 12)
        wrong += any(stats.judge(stats.estimate(effects[:n]), 0.0).kind == "faster" for n in looks.blocks)
    assert wrong / 500 > 0.08


def test_holm_and_looks_together_keep_the_family_error() -> None:
    rng = np.random.default_rng(8)
    looks = stats.plan_looks(6)
    wrong = 0
    for _ in range(1_000):
        # Four identical contenders against one reference, and one that is truly faster.
        effects = rng.normal(0, 0.03, (5, 6)) - rng.normal(0, 0.03, 6)
        effects[4] += 0.5
        for blocks in looks.blocks:
            rows = {i: stats.estimate(row[:blocks]) for i, row in enumerate(effects)}
            verdicts = stats.judge_family(rows, 0.0, looks=looks)
            if looks.may_end(blocks) and stats.settled(verdicts.values()):
                break
        assert verdicts[4].winner in ("a", None)
        wrong += any(verdicts[i].kind == "faster" for i in range(4))
    assert wrong / 1_000 <= 0.065
