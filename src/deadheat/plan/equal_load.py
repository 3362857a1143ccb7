"""Latency at equal load: every server of a block at the same fixed rate, in an open loop."""

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from deadheat.model.observation import Failed, Observation, Slice
from deadheat.model.plan import RacePlan

# As a user's requests come: independently of each other (with gaps all alike nobody queues behind anybody).
ARRIVALS: Literal["poisson"] = "poisson"
LEAD_IN_MS = 50
# Turns of a server at a load in a block: a random order and its reverse, as slices have it.
TURNS = 2
# Ten observations beyond the 99th percentile of all blocks together, with a little to spare.
ENOUGH_REQUESTS = 1100
LONGEST = 4


@dataclass(frozen=True)
class Turn:
    """One turn at a fixed rate, requests a second; `number` counts those of a load in a block."""

    number: int
    entry: str
    load: float
    rate_rps: float


def loads_of(race: RacePlan, block: int) -> tuple[float, ...]:
    """The loads that a block measures at: they take turns where there are blocks enough for each."""
    if not race.loads or race.blocks < 2 * len(race.loads):
        return race.loads
    return race.loads[block % len(race.loads) :][:1]


def rates(race: RacePlan, observed: Iterable[Observation], loads: Sequence[float]) -> dict[float, float]:
    """Requests a second for each load: a share of what the slowest can do in a closed loop.

    By all slices of the race so far, of whoever has left it too, so that no drift of the machine makes a
    share of 80% of then more than all of now, and nobody's leaving moves it.
    """
    spent: dict[str, list[float]] = {}
    for o in observed:
        if isinstance(o, Failed) and o.race == race.key:
            spent.pop(o.entry, None)
        if isinstance(o, Slice) and not o.warm_up and o.race == race.key and o.counted_s > 0:
            replies_and_s = spent.setdefault(o.entry, [0.0, 0.0])
            replies_and_s[0] += o.replies
            replies_and_s[1] += o.counted_s
    slowest = min((replies / seconds for replies, seconds in spent.values()), default=0.0)
    return {load: float(round(load * slowest)) for load in loads}


def counted_ms(race: RacePlan, rate_rps: float) -> int:
    """Of a turn: as long as planned for all of a block; longer, to a limit, where all blocks together would
    tell no 99th percentile."""
    blocks = max(1, race.blocks * len(loads_of(race, 0)) // max(1, len(race.loads)))
    enough_ms = ENOUGH_REQUESTS / blocks / rate_rps * 1000
    return int(min(LONGEST * race.slices.open_loop_ms, max(race.slices.open_loop_ms, enough_ms)) / TURNS)


def turns(rates_rps: dict[float, float], entries: Collection[str], rng: random.Random) -> list[Turn]:
    """Load by load, each in a random order and its reverse; no rate below one a second."""
    order: list[Turn] = []
    for load, rate in rates_rps.items():
        if rate >= 1:
            forward = rng.sample(list(entries), len(entries))
            order += [Turn(place, entry, load, rate) for place, entry in enumerate(forward + forward[::-1])]
    return order
