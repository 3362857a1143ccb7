"""Which blocks of programs begin with an invocation that is not timed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deadheat.kinds.program.invocations import cold
from deadheat.model.measured import InvocationPlan
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Disturbance,
    Invocation,
    Observation,
    Resumed,
)
from deadheat.model.plan import Entry, RacePlan
from deadheat.results import pace
from deadheat.results.tally import tallied
from deadheat.run import repeats
from tests.made.observed import interference

BOTH = {"slow", "fast"}


def race(warmed_blocks: int | None) -> RacePlan:
    return RacePlan(
        workload="count",
        kind="program",
        metric="wall_s",
        reference="slow",
        entries=tuple(Entry(id=name, contender=name) for name in sorted(BOTH)),
        blocks=8,
        rounds=1,
        measured=InvocationPlan(n=9, warmed_blocks=warmed_blocks),
    )


def invocation(block: int, entry: str, *, warm_up: bool) -> Invocation:
    return Invocation(
        race="count", block=block, round=0, turn=0, entry=entry, warm_up=warm_up, n=9, at_ns=1,
        wall_s=0.1, user_s=0.1, system_s=0.0, peak_memory_bytes=10**6 if warm_up else None,
    )  # fmt: skip


def block(
    index: int, warmed: Sequence[str] = (), raced: Sequence[str] = tuple(BOTH), *, disturbed: bool = False
) -> list[Observation]:
    why = Disturbance(by="other programs", share=0.3, limit=0.03) if disturbed else None
    return [
        BlockStarted(race="count", block=index, order=tuple(raced), at="2026-01-02T03:04:05Z"),
        *(invocation(index, entry, warm_up=True) for entry in warmed),
        *(invocation(index, entry, warm_up=False) for entry in raced),
        BlockEnded(race="count", block=index, disturbed=why),
    ]


def test_all_are_warmed_up_until_as_many_blocks_were_as_the_plan_says() -> None:
    seen: list[Observation] = []
    for index in range(2):
        assert cold(race(2), seen) == BOTH
        seen += block(index, warmed=tuple(BOTH))
    assert cold(race(2), seen) == set()
    assert cold(race(2), [*seen, *block(2)]) == set()


def test_without_a_number_in_the_plan_every_block_has_them() -> None:
    assert cold(race(None), [*block(0, tuple(BOTH)), *block(1, tuple(BOTH))]) == BOTH


def test_a_disturbed_block_tells_nothing_of_memory_and_is_none_of_them() -> None:
    assert cold(race(1), block(0, tuple(BOTH), disturbed=True)) == BOTH


def test_whoever_was_not_there_is_still_to_be_warmed_up() -> None:
    assert cold(race(1), block(0, warmed=["slow"], raced=["slow"])) == {"fast"}


@pytest.mark.parametrize("others", [[], block(2)])
def test_after_a_resume_caches_are_cold(others: list[Observation]) -> None:
    seen = [*block(0, tuple(BOTH)), *block(1), Resumed(at="2026-01-02T04:04:05Z"), *others]
    assert cold(race(1), seen) == (set() if others else BOTH)


def test_the_time_of_more_blocks_is_without_the_untimed_that_are_over() -> None:
    """Blocks of 2 s, and of the 0.1 s of each untimed invocation more."""
    seen: list[Observation] = []
    for index in range(4):
        early_s = 0.1 * len(BOTH) if index < 3 else 0.0
        *began, ended = block(index, warmed=tuple(BOTH) if early_s else ())
        around = interference(race(3).key, index, 2 + early_s)
        seen += [*began, around, ended]
        left = max(0, 3 - index - 1)
        assert pace.more_s(tallied(race(3), seen), 4) == pytest.approx(4 * 2 + left * 0.2)
        took = repeats.took(race(3), seen)
        assert list(took.walls_s) == pytest.approx([2.0] * (index + 1))
        assert took.early_s == pytest.approx(0.2 * min(3, index + 1))
        assert took.early_left_s == pytest.approx(left * 0.2)
    assert pace.more_s(tallied(race(None), seen), 2) == pytest.approx(2 * 2.2)
