"""Long turns: what a contender does without a break for seconds, which its slices are held against."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence

from deadheat.model.measured import LongTurns, SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.plan.schedule import Turn

# A round has two pairs of turns: 28 of them give a ratio to some 5% on a machine as noisy as the model.
ROUNDS = 14
TURN_MS = 2000
# Of a budget, the most that they may take.
MOST_OF_BUDGET = 0.5


def planned(race: RacePlan, *, taken: bool) -> RacePlan:
    """The race of servers with its long turns, or with none."""
    if not isinstance(race.measured, SlicePlan):
        return race
    wanted = LongTurns(turn_ms=TURN_MS, rounds=ROUNDS if taken else 0)
    return race.replaced(measured=race.measured.replaced(long_turns=wanted))


def seconds(race: RacePlan, turn_overhead_s: float) -> float:
    """How long they take at most, where no build is known from an earlier race."""
    if not isinstance(race.measured, SlicePlan) or race.measured.long_turns is None:
        return 0.0
    plan = race.measured.long_turns
    turn_s = (plan.turn_ms + race.measured.lead_in_ms) / 1000 + turn_overhead_s
    return plan.rounds * 2 * sum(not entry.null for entry in race.entries) * turn_s


def rounds_of_block(race: RacePlan) -> int:
    """Rounds of long turns in a block: spread over all blocks, so that each is a start of its own."""
    plan = race.slices.long_turns
    return math.ceil(plan.rounds / race.blocks) if plan is not None else 0


def turns(race: RacePlan, entries: Collection[str], rng: random.Random) -> Sequence[Turn]:
    """Those of a block: each round a random order and its reverse, ABBA for two."""
    order: list[Turn] = []
    for number in range(race.rounds, race.rounds + rounds_of_block(race)):
        forward = rng.sample(list(entries), len(entries))
        order += [Turn(number, place, entry) for place, entry in enumerate(forward + forward[::-1])]
    return order
