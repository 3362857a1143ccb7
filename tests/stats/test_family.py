"""Holm over a family, null pairs and places."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.stats import FloatArray
from deadheat.stats.family import decision_p
from deadheat.stats.verdict import region

families = hnp.arrays(
    float, st.tuples(st.integers(1, 6), st.integers(2, 6)), elements=st.floats(-0.25, 0.25, width=32)
)
margins = st.sampled_from([0.0, 0.02])


def family(rows: FloatArray) -> dict[int, stats.Estimate]:
    return {i: stats.estimate(row) for i, row in enumerate(rows)}


@given(families, margins)
def test_the_printed_interval_is_the_one_judged(rows: FloatArray, margin: float) -> None:
    for verdict in stats.judge_family(family(rows), margin).values():
        again = stats.judge(verdict.estimate, margin)
        assert (again.kind, again.winner) == (verdict.kind, verdict.winner)


@given(families, margins)
def test_decisions_are_holms(rows: FloatArray, margin: float) -> None:
    estimates = family(rows)
    verdicts = stats.judge_family(estimates, margin)
    p = sorted((decision_p(e, margin), i) for i, e in estimates.items())
    passing = [value <= 0.05 / (len(p) - k) for k, (value, _) in enumerate(p)]
    count = passing.index(False) if False in passing else len(p)
    # Rounding decides a p-value exactly at its threshold.
    if any(math.isclose(value, 0.05 / (len(p) - k), rel_tol=1e-6) for k, (value, _) in enumerate(p)):
        return
    decided = {i for i, v in verdicts.items() if region(v.estimate.low, v.estimate.high, margin) != "across"}
    assert decided == {i for _, i in p[:count]}


@given(families, margins)
def test_a_family_is_never_bolder_than_its_members_alone(rows: FloatArray, margin: float) -> None:
    estimates = family(rows)
    for key, verdict in stats.judge_family(estimates, margin).items():
        assert verdict.estimate.half_width >= estimates[key].half_width - 1e-15
        if verdict.kind in ("faster", "dead heat"):
            assert stats.judge(estimates[key], margin).kind == verdict.kind


@given(families)
def test_the_order_of_the_family_does_not_matter(rows: FloatArray) -> None:
    estimates = family(rows)
    backwards = dict(reversed(list(estimates.items())))
    one, other = stats.judge_family(estimates), stats.judge_family(backwards)
    assert list(other) == list(backwards)
    assert {k: v.kind for k, v in one.items()} == {k: v.kind for k, v in other.items()}


def test_a_family_of_one_is_the_pair_alone() -> None:
    estimate = stats.estimate(np.array([0.1, 0.12, 0.11]))
    assert stats.judge_family({"pair": estimate}) == {"pair": stats.judge(estimate.at(0.95))}


def test_a_family_of_nothing_is_empty() -> None:
    assert stats.judge_family({}) == {}


def test_members_without_an_interval_are_judged_too() -> None:
    verdicts = stats.judge_family({"one": stats.estimate(np.array([0.1])), "none": stats.compare([], [])})
    assert {v.kind for v in verdicts.values()} == {"inconclusive"}


def test_the_null_pair_is_gated_at_99_9_and_shown_at_95() -> None:
    # Excludes 1 at 95%, not at 99.9%: shown as it is, and blocks nothing.
    null = stats.judge_null_pair(stats.estimate(np.array([0.01, 0.02, 0.03, 0.02, 0.01])))
    assert null.ok
    assert null.estimate.confidence == 0.95
    assert null.estimate.low > 0


def test_a_null_pair_that_differs_is_refused() -> None:
    null = stats.judge_null_pair(stats.estimate(np.log([1.07, 1.075, 1.08, 1.075, 1.07, 1.08])))
    assert not null.ok
    assert null.why is not None and "1.07" in null.why


def test_a_null_pair_that_was_not_measured_is_refused() -> None:
    assert not stats.judge_null_pair(stats.compare([], [])).ok


def test_one_block_never_passes_a_null_pair() -> None:
    null = stats.judge_null_pair(stats.estimate(np.array([0.3])))
    assert (null.ok, null.detectable) == (False, None)
    assert null.why == "one block cannot tell a contender from itself"


def test_a_null_pair_tells_the_bias_that_it_could_have_seen() -> None:
    """Planted at just that size, the gate finds it four times in five."""
    rng = np.random.default_rng(3)
    for blocks in (5, 10):
        found = stats.judge_null_pair(stats.estimate(rng.normal(0, 0.02, blocks)))
        assert found.detectable is not None
        spread = found.estimate.standard_error * math.sqrt(blocks)
        planted = rng.normal(math.log(found.detectable), spread, (4_000, blocks))
        seen = np.mean([not stats.judge_null_pair(stats.estimate(run)).ok for run in planted])
        assert 0.77 < seen < 0.83


@pytest.mark.parametrize(("excluding", "ok"), [(0, True), (5, True), (10, True), (11, False), (40, False)])
def test_pooled_null_pairs_are_refused_where_surely_too_many_exclude_1(excluding: int, ok: bool) -> None:
    assert stats.NullPool(100, excluding).ok is ok


def test_a_pool_of_nothing_is_no_reason_to_refuse() -> None:
    assert stats.NullPool(0, 0).ok


def test_a_pool_of_sound_null_pairs_is_rarely_refused_and_a_biased_one_is() -> None:
    """100 null pairs of 6 blocks: alike, and with a bias of one sd between starts."""
    rng = np.random.default_rng(4)

    def refused(bias: float) -> float:
        effects = bias + rng.standard_normal((400, 100, 6))
        mean, error = effects.mean(axis=-1), effects.std(axis=-1, ddof=1) / math.sqrt(6)
        excluding = (np.abs(mean) > 2.570582 * error).sum(axis=1)
        return float(np.mean([not stats.NullPool(100, int(count)).ok for count in excluding]))

    assert refused(0.0) < 0.03
    assert refused(0.8) > 0.95


def test_pairs_that_stopped_earlier_stay_decided() -> None:
    """A pair's data stop once it is decided; others go on, and its verdict is the one it had."""
    rng = np.random.default_rng(6)
    looks = stats.plan_looks(12, first=5)
    for _ in range(50):
        effects = np.array([0.2, 0.02, 0.0])[:, None] + rng.normal(0, 0.03, (3, 12))
        used = [12, 12, 12]
        decided: dict[int, str] = {}
        for blocks in looks.blocks:
            rows = {i: stats.estimate(effects[i, : min(used[i], blocks)]) for i in range(3)}
            verdicts = stats.judge_family(rows, 0.0, looks=looks, fewest_blocks=5)
            assert {i: verdicts[i].kind for i in decided} == decided
            for i, verdict in verdicts.items():
                if verdict.kind == "faster" and i not in decided:
                    decided[i], used[i] = verdict.kind, blocks
        assert 0 in decided


def apart_beyond(distance: int) -> Callable[[str, str], bool]:
    return lambda a, b: abs(int(a) - int(b)) > distance


def test_places_are_shared_as_in_sport() -> None:
    result = stats.places(["0", "10", "11", "20"], apart_beyond(1))
    assert [(p.place, p.shared) for p in result] == [(1, False), (2, True), (2, True), (4, False)]


def test_a_chain_shares_a_place_and_says_who_differs() -> None:
    result = stats.places(["0", "1", "2"], apart_beyond(1))
    assert [p.place for p in result] == [1, 1, 1]
    assert [p.told_apart for p in result] == [("2",), (), ("0",)]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True), st.integers(0, 5))
def test_those_that_cannot_be_told_apart_share_a_place(names: list[int], distance: int) -> None:
    order = [str(n) for n in sorted(names)]
    apart = apart_beyond(distance)
    result = {p.contender: p for p in stats.places(order, apart)}
    for a in order:
        for b in order:
            if a != b and not apart(a, b):
                assert result[a].place == result[b].place
    assert list(result) == order
    assert min(p.place for p in result.values()) == 1


def test_a_link_past_a_middle_one_pulls_it_in() -> None:
    result = stats.places(["a", "b", "c"], lambda x, y: (x, y) != ("a", "c"))
    assert [p.place for p in result] == [1, 1, 1]


def test_the_surest_is_told_by_its_own_degrees_of_freedom() -> None:
    """Of blocks of several machines they are not blocks less one."""
    own = stats.estimate(np.array([0.1, 0.12, 0.08, 0.11]))
    assert decision_p(replace(own, freedom=1.2), 0) > decision_p(replace(own, freedom=3.0), 0)
    assert decision_p(replace(own, freedom=3.0), 0) == decision_p(own, 0)
