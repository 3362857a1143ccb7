"""Load that is not counted, until a server is no longer getting faster."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import deque
from collections.abc import Collection, Generator

import numpy as np

from deadheat.generators.load_generator import LoadError
from deadheat.kinds.server.turns import Running, Turns
from deadheat.model.observation import Observation, Slice, WarmedUp
from deadheat.model.plan import RacePlan
from deadheat.plan.schedule import Turn
from deadheat.run.kind import Stage
from deadheat.stats import FloatArray, steady

# Slices grow with the latency: 5 times the mean to settle, 10 times to count. Twice as much of both is twice
# the time of a slow server, and no other rate: docs/method.md has it.
LEAD_IN_LATENCIES, COUNTED_LATENCIES = 5, 10
# By the last turns of a warm-up, of which one may be a noisy one.
LAST_TURNS = 5
# Where the latencies of a turn add up to less than this part of what Little's law says, requests wait for
# longer than the mean tells, unanswered at its end: then slices grow with the longest wait, up to so much.
ANSWERED = 0.9
LEAD_IN_WAITS, COUNTED_WAITS = 2, 4
MOST_LEAD_IN_MS, MOST_COUNTED_MS = 500, 1000


def warmed_up(turns: Turns, entry: str) -> Generator[Observation]:
    """Turns until the server's rate, and what a request costs it, are flat, at least for as long as its
    earlier starts needed, at most for `steady.LONGEST_S`. A start of whom none is known is watched for
    `steady.UNKNOWN_S`, and goes on until a rise can be ruled out. The last turns tell how long this server's
    slices must be."""
    stage, race = turns.stage, turns.stage.race
    stage.view.state(entry, "warming")
    running = turns.running[entry]
    known_s, loaded_s = _known_s(stage, entry), 0.0
    least_s = steady.UNKNOWN_S if known_s is None else max(steady.SHORTEST_S, known_s)
    rates, per_cpu_s = np.empty(0), np.empty(0)
    last: deque[Slice] = deque(maxlen=LAST_TURNS)
    for number in itertools.count():
        observed = turns.take(running, Turn(0, number, entry), 0, race.slices.warm_up_ms, warm_up=True)
        yield observed
        if not isinstance(observed, Slice):
            return
        last.append(observed)
        loaded_s += race.slices.warm_up_ms / 1000
        rates = np.append(rates, steady.rates_rps(observed.bins, observed.bin_ms))
        if observed.server_cpu_ns:
            per_cpu_s = np.append(per_cpu_s, observed.replies / observed.server_cpu_ns * 1e9)
        if loaded_s >= steady.LONGEST_S:
            break
        if loaded_s >= least_s and _flat(rates, per_cpu_s, race.slices.warm_up_ms, known_s):
            break
    _size(running, last, race)
    needed_s = steady.settled_s(rates)
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
        needed_s=needed_s,
        rising=not _flat(rates, per_cpu_s, race.slices.warm_up_ms, known_s or 0.0),
    )


def _flat(rates: FloatArray, per_cpu_s: FloatArray, turn_ms: int, known_s: float | None) -> bool:
    """Whether neither requests a second, in bins of 100 ms, nor those a second of CPU time, turn by turn,
    rise any more: at all, or since `known_s`, or since this start came to its level, if that took longer. Of
    a server of which nothing is known a rise must be ruled out.
    """
    if known_s is None:
        rising = steady.still_rising(rates) or steady.still_rising(per_cpu_s)
        return not rising and steady.surely_flat(rates)
    settled_s = max(known_s, steady.settled_s(rates))
    rising = steady.still_rising_from(rates, round(settled_s * 1000 / steady.BIN_MS))
    return not rising and not steady.still_rising_from(per_cpu_s, round(settled_s * 1000 / turn_ms))


def _size(running: Running, last: Collection[Slice], race: RacePlan) -> None:
    """Make its slices as long as this server's latency asks for, and its longest wait."""
    answered = [turn for turn in last if turn.replies]
    if not answered:
        return
    mean_ms = statistics.median(turn.latency_sum_ns / turn.replies for turn in answered) / 1e6
    lead_in_ms, counted_ms = LEAD_IN_LATENCIES * mean_ms, COUNTED_LATENCIES * mean_ms
    told = statistics.median(turn.latency_sum_ns / max(1, turn.in_flight_ns) for turn in answered)
    # The last requests of a turn are not answered in it: some half of a latency is always missing, or one.
    if told < ANSWERED * (1 - mean_ms / race.slices.warm_up_ms):
        longest_ms = statistics.median(turn.latency_max_ns for turn in answered) / 1e6
        lead_in_ms = max(lead_in_ms, min(LEAD_IN_WAITS * longest_ms, MOST_LEAD_IN_MS))
        counted_ms = max(counted_ms, min(COUNTED_WAITS * longest_ms, MOST_COUNTED_MS))
    running.lead_in_ms = _grown(race.lead_in_of(running.entry), lead_in_ms)
    running.counted_ms = _grown(race.slices.counted_ms, counted_ms)


def _known_s(stage: Stage, entry: str) -> float | None:
    """What this contender's starts so far took to be at their level, whichever entry it was; the median,
    so that one noisy start makes no other wait. Before any, what those of earlier races took, if known."""
    race = stage.race
    contender = race.contender_of(entry)
    same = {e.id for e in race.entries if e.contender == contender}
    took = [
        o.needed_s
        for o in stage.observed
        if isinstance(o, WarmedUp) and o.race == race.key and o.entry in same
    ]
    if took:
        return statistics.median(took)
    return race.past.warm_up_s.get(contender) if race.past is not None else None


def _grown(least_ms: int, wanted_ms: float) -> int:
    """At least what the plan says, else the next whole multiple of it."""
    return least_ms * max(1, math.ceil(wanted_ms / least_ms))
