"""What a calibration races, in which order: a value that tests can read."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from deadheat.model.calibration import RaceKind

DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.10)
LENGTHS_MS = (50, 100, 250, 1000)
LEAD_IN_MS, COUNTED_MS, WARM_UP_MS = 50, 100, 150
# What a block takes beside its turns (two starts, warm-ups, stops), and a turn beside its load, seconds.
BLOCK_S, TURN_S, RACE_S = 1.7, 0.012, 0.8
DEFAULT_MARGIN = 0.02
# The full calibration: how many races of identical servers, and the planted ones with 3 minutes of load.
IDENTICAL, PLANTED = 60, 20


@dataclass(frozen=True)
class Step:
    """One race. `planted` is how much more CPU a request of the slower server costs, 0 to 1. `to_the_end`: it
    is judged once, by all of its blocks."""

    name: str
    kind: RaceKind
    blocks: int
    rounds: int
    planted: float = 0.0
    margin: float = 0.0
    neighbour: bool = False
    lead_in_ms: int = LEAD_IN_MS
    counted_ms: int = COUNTED_MS
    to_the_end: bool = False

    @property
    def load_s(self) -> float:
        """Load on the pair, lead-ins and all, if the race goes to its last block."""
        return self.blocks * self.rounds * 4 * (self.lead_in_ms + self.counted_ms) / 1000

    @property
    def estimated_s(self) -> float:
        """At the longest, seconds."""
        return RACE_S + self.blocks * (BLOCK_S + self.rounds * 4 * TURN_S) + self.load_s


def identical(number: int, *, neighbour: bool = False) -> Step:
    """Two copies of one server, each started afresh in each block."""
    return Step(f"identical-{number}", "identical", blocks=6, rounds=2, neighbour=neighbour)


def planted(difference: float, number: int) -> Step:
    """A short race of a known difference."""
    name = f"planted-{difference * 100:g}%-{number}"
    return Step(name, "planted", blocks=6, rounds=5, planted=difference)


def long_planted(difference: float, margin: float, number: int) -> Step:
    """Up to 3 minutes of load on the pair; looks may end it earlier, and often do where blocks are many."""
    name = f"3min-{difference * 100:g}%-at-{margin * 100:g}%-{number}"
    return Step(name, "planted", blocks=30, rounds=10, planted=difference, margin=margin)


def length(counted_ms: int, number: int) -> Step:
    """The greatest difference in slices of that length, about as much load for each length."""
    rounds = max(2, round(4000 / (4 * (LEAD_IN_MS + counted_ms))))
    name = f"length-{counted_ms}-{number}"
    return Step(name, "length", 4, rounds, planted=max(DIFFERENCES), counted_ms=counted_ms)


def usual() -> Iterator[Step]:
    """For as long as the budget lasts: a little of everything first, then round and round."""
    same = map(identical, itertools.count())
    yield from itertools.islice(same, 2)
    for cycle in itertools.count():
        yield from (length(ms, cycle) for ms in LENGTHS_MS)
        for part in (0, 1):
            yield from itertools.islice(same, 4)
            yield from (planted(d, 2 * cycle + part) for d in DIFFERENCES)


def full() -> Iterator[Step]:
    """The figures of docs/method.md: identical servers, every other time beside a noisy neighbour; then
    planted ones in turn."""
    yield from (identical(number, neighbour=number % 2 == 1) for number in range(IDENTICAL))
    for number in range(PLANTED):
        yield long_planted(0.03, 0.0, number)
        yield long_planted(0.06, DEFAULT_MARGIN, number)


FULL_DIFFERENCES = (0.03, 0.06)
