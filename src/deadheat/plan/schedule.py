"""A plan becomes blocks, and a block the order of its turns: a value that tests can read.

Order is random and balanced: contenders start in random order in each block, and each round is a
random permutation followed by its reverse (ABBA for two), so that a steady drift of the machine
cancels within the round. Everything is drawn from the run's seed, block by block, so that a block
that is run again after a resume has the order it would have had.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

from deadheat.model.plan import RacePlan


@dataclass(frozen=True)
class Turn:
    """One slice or invocation: which round of the block, which place in the round, whose."""

    round: int
    turn: int
    entry: str


@dataclass(frozen=True)
class Block:
    """A fresh start of every entry (in `start` order), then its turns."""

    index: int
    start: tuple[str, ...]
    turns: tuple[Turn, ...]
    seed: str

    def token(self, *place: object) -> str:
        """A random token for this place in the block, the same at every repetition of it."""
        return token(random.Random(":".join(map(str, (self.seed, *place)))))

    def without(self, gone: Collection[str]) -> Self:
        """The block without entries that have left; the order of the others stays."""
        return replace(
            self,
            start=tuple(entry for entry in self.start if entry not in gone),
            turns=tuple(turn for turn in self.turns if turn.entry not in gone),
        )


def blocks(plan: RacePlan, seed: int) -> tuple[Block, ...]:
    """The blocks of a race as planned."""
    return tuple(block(plan, seed, index) for index in range(plan.blocks))


def block(plan: RacePlan, seed: int, index: int) -> Block:
    """One of them, or one more: a block that is run again has an order of its own."""
    return _block(plan, seed, index, [entry.id for entry in plan.entries])


def token(rng: random.Random) -> str:
    """Six hexadecimal digits, as the load asks for and the contender must give back."""
    return f"{rng.getrandbits(24):06x}"


def _block(plan: RacePlan, seed: int, index: int, entries: Sequence[str]) -> Block:
    name = f"{seed}:{plan.key}:{index}"
    rng = random.Random(name)
    start = rng.sample(entries, len(entries))
    turns = []
    for round_ in range(plan.rounds):
        forward = rng.sample(entries, len(entries))
        order = [*forward, *reversed(forward)]
        turns += [Turn(round_, turn, entry) for turn, entry in enumerate(order)]
    return Block(index, tuple(start), tuple(turns), name)
