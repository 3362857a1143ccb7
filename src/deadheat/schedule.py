"""A plan becomes blocks, and a block the order of its turns: a value that tests can read.

Order is random and balanced: contenders start in random order in each block, and each round is a
random permutation followed by its reverse (ABBA for two), so that a steady drift of the machine
cancels within the round. Everything is drawn from the run's seed, block by block, so that a block
that is run again after a resume has the order it would have had.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from deadheat.model.plan import WorkloadPlan


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


def blocks(plan: WorkloadPlan, seed: int, without: Sequence[str] = ()) -> tuple[Block, ...]:
    """All blocks of a race; `without` are entries that have left it."""
    entries = [entry.id for entry in plan.entries if entry.id not in without]
    return tuple(_block(plan, seed, index, entries) for index in range(plan.blocks))


def token(rng: random.Random) -> str:
    """Six hexadecimal digits, as the load asks for and the contender must give back."""
    return f"{rng.getrandbits(24):06x}"


def _block(plan: WorkloadPlan, seed: int, index: int, entries: Sequence[str]) -> Block:
    name = f"{seed}:{plan.key}:{index}"
    rng = random.Random(name)
    start = rng.sample(entries, len(entries))
    turns = []
    for round_ in range(plan.rounds):
        forward = rng.sample(entries, len(entries))
        order = [*forward, *reversed(forward)]
        turns += [Turn(round_, turn, entry) for turn, entry in enumerate(order)]
    return Block(index, tuple(start), tuple(turns), name)
