"""How long more blocks of a race take, by those so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from deadheat.model.measured import InvocationPlan, SlicePlan
from deadheat.model.observation import ColdStart, Invocation, LongTurn, Slice
from deadheat.model.plan import RacePlan
from deadheat.results.tally import Tally

T = TypeVar("T")
#: What only the early blocks of a race have: long turns of servers, what programs run untimed.
Early = LongTurn | Invocation


def more_s(tally: Tally, blocks: int) -> float:
    """Of so many more that count, seconds: starts, warm-ups and open loop in them, what early blocks have as
    far as it is still to come, and of those that do not count as many as so far.

    By the median over the blocks in which as many were raced as in the last, without the race's first where
    there is another; where nobody timed whole blocks, over the spans of their turns.
    """
    if not tally.blocks:
        return 0.0
    raced = {block: sum(block in of for of in tally.turns.values()) for block in tally.blocks}
    alike = [block for block in after_first(tally.blocks) if raced[block] == raced[tally.blocks[-1]]]
    walls = tally.walls_s()
    untimed = [turn for of in tally.warm_ups.values() for turn in of]
    early = early_of(tally.race, [*(turn for of in tally.long_turns.values() for turn in of), *untimed])
    rest_s = [(walls.get(block) or _span_s(tally, block)) - early_s(early, block) for block in alike]
    with_them = min(blocks, early_left(tally.race, early, tally.blocks[-1]))
    more = blocks * float(np.median(rest_s)) + with_them * early_s(early, tally.blocks[-1])
    return more * (1 + len(tally.disturbed) / len(tally.blocks))


def after_first(blocks: Sequence[T]) -> Sequence[T]:
    """Those that more blocks are like: the first, where there are others, is longer by its warm-ups, which
    are watched for what is still to come, by a tenth to four fifths in application races."""
    return blocks[1:] or blocks


def early_of(race: RacePlan, seen: Iterable[object]) -> list[Early]:
    """What of this was in early blocks alone; of programs nothing where all blocks have it."""
    untimed = isinstance(race.measured, InvocationPlan) and race.measured.warmed_blocks is not None
    return [
        o for o in seen if isinstance(o, LongTurn) or (untimed and isinstance(o, Invocation) and o.warm_up)
    ]


def early_s(early: Iterable[Early], block: int) -> float:
    """What it took of a block, seconds; of long turns in journals of before, without lead-ins and ends."""
    return sum(_took_s(one) for one in early if one.block == block)


def _took_s(one: Early) -> float:
    if isinstance(one, Invocation):
        return one.wall_s
    return one.counted_s if one.took_s is None else one.took_s


def early_left(race: RacePlan, early: Sequence[Early], last: int) -> int:
    """How many more blocks have some at most, where `last` was the last block."""
    if isinstance(race.measured, InvocationPlan):
        had = len({one.block for one in early})
        return max(0, (race.measured.warmed_blocks or 0) - had)
    return _long_turns_left(race, [one for one in early if isinstance(one, LongTurn)], last)


def _long_turns_left(race: RacePlan, turns: Sequence[LongTurn], last: int) -> int:
    """As long as somebody who had some in the last block has not had all that are planned."""
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
