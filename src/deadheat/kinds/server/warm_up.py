"""Load that is not counted, until a server is no longer getting faster."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Generator

import numpy as np

from deadheat.generators.load_generator import LoadError
from deadheat.kinds.server.turns import Running, Turns
from deadheat.model.observation import Observation, Slice, WarmedUp
from deadheat.model.plan import RacePlan
from deadheat.plan.schedule import Turn
from deadheat.run.kind import Stage
from deadheat.stats import steady

# Slices grow with the latency: 10 times the mean to settle, 20 times to count.
LEAD_IN_LATENCIES, COUNTED_LATENCIES = 10, 20


def warmed_up(turns: Turns, entry: str) -> Generator[Observation]:
    """Turns until the server's rate is flat, at least for as long as its earlier starts needed, at most for
    `steady.LONGEST_S`. The last turn tells how long this server's slices must be."""
    stage, race = turns.stage, turns.stage.race
    stage.view.state(entry, "warming")
    running = turns.running[entry]
    needed_s, loaded_s = _needed_s(stage, entry), 0.0
    rates = np.empty(0)
    for number in itertools.count():
        observed = turns.take(running, Turn(0, number, entry), 0, race.slices.warm_up_ms, warm_up=True)
        yield observed
        if not isinstance(observed, Slice):
            return
        _size(running, observed, race)
        loaded_s += race.slices.warm_up_ms / 1000
        rates = np.append(rates, steady.rates_rps(observed.bins, observed.bin_ms))
        rising = steady.still_rising(rates)
        if loaded_s >= steady.LONGEST_S or (loaded_s >= needed_s and not rising):
            break
    try:
        turns.generator.histogram(entry)  # what the warm-up left in it
    except LoadError as error:
        yield turns.failed(entry, str(error))
        return
    yield WarmedUp(
        race=race.key,
        block=turns.block.index,
        entry=entry,
        loaded_s=loaded_s,
        needed_s=steady.settled_s(rates),
        rising=rising,
    )


def _size(running: Running, last: Slice, race: RacePlan) -> None:
    """Make its slices as long as this server's latency asks for."""
    if last.replies:
        mean_ms = last.latency_sum_ns / last.replies / 1e6
        running.lead_in_ms = _grown(race.lead_in_of(running.entry), LEAD_IN_LATENCIES * mean_ms)
        running.counted_ms = _grown(race.slices.counted_ms, COUNTED_LATENCIES * mean_ms)


def _needed_s(stage: Stage, entry: str) -> float:
    """What this contender's starts so far took to be at their level, whichever entry it was; the median,
    so that one noisy start makes no other wait. Before any, what those of earlier races took."""
    race = stage.race
    contender = race.contender_of(entry)
    same = {e.id for e in race.entries if e.contender == contender}
    took = [
        o.needed_s
        for o in stage.observed
        if isinstance(o, WarmedUp) and o.race == race.key and o.entry in same
    ]
    before_s = race.past.warm_up_s.get(contender, 0.0) if race.past is not None else 0.0
    return max(steady.SHORTEST_S, statistics.median(took) if took else before_s)


def _grown(least_ms: int, wanted_ms: float) -> int:
    """At least what the plan says, else the next whole multiple of it."""
    return least_ms * max(1, math.ceil(wanted_ms / least_ms))
