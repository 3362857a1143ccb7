"""How long more blocks of a race take, by those so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from deadheat.model.measured import SlicePlan
from deadheat.model.observation import ColdStart, Invocation, LongTurn, Slice
from deadheat.model.plan import RacePlan
from deadheat.results.tally import Tally

T = TypeVar("T")


def more_s(tally: Tally, blocks: int) -> float:
    """Of so many more that count, seconds: starts, warm-ups and open loop in them, the long turns that are
    still to come, and of those that do not count as many as so far.

    By the median over the blocks in which as many were raced as in the last, without the race's first where
    there is another; where nobody timed whole blocks, over the spans of their turns.
    """
    if not tally.blocks:
        return 0.0
    raced = {block: sum(block in of for of in tally.turns.values()) for block in tally.blocks}
    alike = [block for block in after_first(tally.blocks) if raced[block] == raced[tally.blocks[-1]]]
    walls = tally.walls_s()
    turns = [turn for of in tally.long_turns.values() for turn in of]
    rest_s = [(walls.get(block) or _span_s(tally, block)) - long_turns_s(turns, block) for block in alike]
    with_them = min(blocks, long_turns_left(tally.race, turns, tally.blocks[-1]))
    long_s = with_them * long_turns_s(turns, tally.blocks[-1])
    return (blocks * float(np.median(rest_s)) + long_s) * (1 + len(tally.disturbed) / len(tally.blocks))


def after_first(blocks: Sequence[T]) -> Sequence[T]:
    """Those that more blocks are like: the first, where there are others, is longer by its warm-ups, which
    are watched for what is still to come, by a tenth to four fifths in application races."""
    return blocks[1:] or blocks


def long_turns_s(turns: Iterable[LongTurn], block: int) -> float:
    """What long turns took of a block, seconds; of journals of before, without their lead-ins and ends."""
    return sum(
        turn.counted_s if turn.took_s is None else turn.took_s for turn in turns if turn.block == block
    )


def long_turns_left(race: RacePlan, turns: Sequence[LongTurn], last: int) -> int:
    """In how many more blocks there are some at most, where `last` was the last block: as long as somebody
    who had some in it has not had all that are planned."""
    plan = race.measured.long_turns if isinstance(race.measured, SlicePlan) else None
    rounds = len({turn.round for turn in turns if turn.block == last})
    if plan is None or not rounds:
        return 0
    had: dict[str, set[tuple[int, int]]] = {}
    for turn in turns:
        had.setdefault(turn.entry, set()).add((turn.block, turn.round))
    due = {turn.entry for turn in turns if turn.block == last} - {race.reference_entry}
    missing = max((plan.rounds - len(had[entry]) for entry in due), default=0)
    return math.ceil(max(0, missing) / rounds)


def _span_s(tally: Tally, block: int) -> float:
    turns = [turn for blocks in tally.turns.values() for turn in blocks.get(block, [])]
    ends = [turn.drained_ns for turn in turns if isinstance(turn, Slice)]
    ends += [turn.at_ns for turn in turns if isinstance(turn, Invocation | ColdStart)]
    return (max(ends) - min(ends)) / 1e9 if ends else 0.0
