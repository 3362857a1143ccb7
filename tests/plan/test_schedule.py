"""The order of a run is a value: balanced, random, the same for the same seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.model.measured import SlicePlan
from deadheat.model.plan import Entry, RacePlan
from deadheat.plan import schedule


def plan(entries: int, blocks: int = 3, rounds: int = 4) -> RacePlan:
    names = [f"c{i}" for i in range(entries)]
    return RacePlan(
        workload="echo",
        kind="http",
        metric="throughput_rps",
        reference="c0",
        entries=tuple(Entry(id=name, contender=name) for name in names),
        blocks=blocks,
        rounds=rounds,
        measured=SlicePlan(connections=1),
    )


@given(entries=st.integers(1, 9), seed=st.integers(0, 2**31))
def test_each_round_is_a_permutation_and_its_reverse(entries: int, seed: int) -> None:
    race = plan(entries)
    for block in schedule.blocks(race, seed):
        assert sorted(block.start) == sorted(entry.id for entry in race.entries)
        for round_ in range(race.rounds):
            order = [turn.entry for turn in block.turns if turn.round == round_]
            forward, back = order[:entries], order[entries:]
            assert sorted(forward) == sorted(block.start)
            assert back == forward[::-1]


@given(entries=st.integers(2, 9), seed=st.integers(0, 2**31))
def test_a_steady_drift_cancels_within_each_round(entries: int, seed: int) -> None:
    for block in schedule.blocks(plan(entries), seed):
        places: Counter[str] = Counter()
        for turn in block.turns:
            places[turn.entry] += turn.turn
        assert len(set(places.values())) == 1


def test_the_same_seed_gives_the_same_order() -> None:
    assert schedule.blocks(plan(5), 7) == schedule.blocks(plan(5), 7)
    assert schedule.blocks(plan(5), 7) != schedule.blocks(plan(5), 8)


def test_blocks_and_rounds_differ_in_order() -> None:
    blocks = schedule.blocks(plan(6, blocks=4, rounds=5), 1)
    assert len({block.turns for block in blocks}) == len(blocks)
    assert len({tuple(t.entry for t in blocks[0].turns if t.round == r) for r in range(5)}) > 1


def test_every_contender_comes_first_about_as_often() -> None:
    first = Counter(
        next(t.entry for t in block.turns if t.round == r)
        for block in schedule.blocks(plan(4, blocks=100, rounds=10), 3)
        for r in range(10)
    )
    # 1,000 rounds, 250 each; beyond 5 standard deviations only a biased draw would fall.
    assert all(count == pytest.approx(250, abs=5 * (1000 * 0.25 * 0.75) ** 0.5) for count in first.values())


def test_tokens_are_six_hexadecimal_digits_and_differ_by_place() -> None:
    block = schedule.blocks(plan(2), 1)[0]
    tokens = [block.token(round_, turn) for round_ in range(10) for turn in range(10)]
    assert all(len(token) == 6 and int(token, 16) >= 0 for token in tokens)
    assert len(set(tokens)) > 90
    assert block.token(1, 2) == block.token(1, 2)
