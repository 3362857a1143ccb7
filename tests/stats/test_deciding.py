"""Conditions on changes whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats
from deadheat.stats import Estimate, Looks, Rule

RUNS, SPREAD, BLOCKS = 4_000, 0.03, 10


def worse(by: float, runs: int = RUNS, blocks: int = BLOCKS, spread: float = SPREAD) -> list[Estimate]:
    """Races of a change that is worse by so much: head's log ratio to base is below 0."""
    rng = np.random.default_rng(7)
    effects = rng.normal(-math.log1p(by), spread, (runs, blocks))
    return [stats.estimate(one) for one in effects]


def share(estimates: list[Estimate], rule: Rule, state: str) -> float:
    return float(np.mean([rule.state(one) == state for one in estimates]))


def test_what_is_no_worse_seldom_fails() -> None:
    assert share(worse(0.0), Rule(0.03), "fails") <= 0.025
    assert share(worse(0.0), Rule(0.03, surely=True), "fails") == 0


def test_of_changes_as_large_as_the_threshold_half_fail_where_they_are_seen_at_all() -> None:
    assert share(worse(0.03, spread=0.01), Rule(0.03), "fails") == pytest.approx(0.5, abs=0.03)
    assert share(worse(0.03, spread=0.01), Rule(0.03, surely=True), "fails") <= 0.03


def test_twice_the_threshold_fails_and_surely_takes_more() -> None:
    assert share(worse(0.06, spread=0.02), Rule(0.03), "fails") > 0.95
    surely = share(worse(0.06, spread=0.02), Rule(0.03, surely=True), "fails")
    assert 0.9 < surely < share(worse(0.06, spread=0.02), Rule(0.03), "fails") + 1e-9


@pytest.mark.parametrize("by", [-0.2, 0.0])
def test_what_is_clearly_no_worse_holds(by: float) -> None:
    estimates = worse(by, spread=0.01)
    assert share(estimates, Rule(0.03), "holds") > 0.95
    assert share(estimates, Rule(0.03), "fails") == 0


def test_nothing_to_compare_is_open() -> None:
    assert Rule(0.03).state(stats.estimate(np.array([]))) == "open"
    assert Rule(0.03).state(stats.estimate(np.array([-0.5]))) == "open"


@pytest.mark.parametrize("surely", [False, True])
@pytest.mark.parametrize("by", [0.0, 0.03, 0.06])
def test_the_chance_that_is_printed_is_that_of_races(by: float, surely: bool) -> None:
    rule = Rule(0.03, surely)
    reported = stats.chance_to_fail(rule, by, SPREAD, Looks((BLOCKS,)), margin=0.03)
    assert reported == pytest.approx(share(worse(by), rule, "fails"), abs=0.03)


def test_ending_early_costs_little_and_never_fails_more_of_what_is_no_worse() -> None:
    looks = stats.plan_looks(20, first=5)
    for by, least in ((0.0, 0.0), (0.06, 0.75)):
        chance = stats.chance_to_fail(Rule(0.03), by, SPREAD, looks, margin=0.03)
        assert chance >= least
        if not by:
            assert chance <= 0.025


def test_a_family_of_nothing_errs_as_often_as_one() -> None:
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(1_000):
        family = {key: stats.estimate(rng.normal(0, SPREAD, BLOCKS)) for key in range(4)}
        judged = stats.judge_edges(family, dict.fromkeys(family, (0.0,)))
        wrong += any(one.low > 0 or one.high < 0 for one in judged.values())
    assert wrong <= 66  # 5% and two standard errors


def test_the_surest_is_judged_at_the_strictest_level_and_the_next_at_a_milder_one() -> None:
    rng = np.random.default_rng(3)
    family = {
        "open": stats.estimate(rng.normal(0, 0.05, BLOCKS)),
        "sure": stats.estimate(rng.normal(-0.5, 0.01, BLOCKS)),
    }
    judged = stats.judge_edges(family, dict.fromkeys(family, (0.0,)))
    assert list(judged) == list(family)
    assert judged["sure"].confidence == pytest.approx(0.975)
    assert judged["open"].confidence == pytest.approx(0.95)


def test_looks_are_paid_for() -> None:
    looks = stats.plan_looks(20, first=5)
    family = {"one": stats.estimate(np.random.default_rng(3).normal(0, 0.05, BLOCKS))}
    judged = stats.judge_edges(family, {"one": (0.0,)}, looks={"one": looks})
    assert judged["one"].confidence > 0.99
