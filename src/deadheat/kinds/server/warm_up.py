"""Load that is not counted, until a server is no longer getting faster."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Collection, Generator

import numpy as np

from deadheat.generators.load_generator import LoadError
from deadheat.kinds.server.turns import Running, Turns
from deadheat.model.observation import Failed, Observation, Slice, WarmedUp
from deadheat.model.plan import RacePlan
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
# Whoever was frozen for longer comes back slower than it was, compilers and collectors more than others:
# docs/method.md has it. It takes at least two turns to see that it is back, and five seconds at most.
FROZEN_S, AGAIN_MS = 5.0, 300
LEAST_AGAIN, MOST_AGAIN = 2, 16
# A JVM throws compiled code away when it first comes to a path that it was compiled without: where its
# connections have been idle for 30 s, by its own clock, and threads of a pool for 60. So whoever has had to
# warm up has a short turn now and then while others start: docs/method.md has what became of one that had
# none.
AWAKE_S, AWAKE_MS = 15.0, 100
# Compilers that use less than this share of a core only tidy up. One that is at work in a slice has its share
# of the server's core, and is not done for many slices: docs/method.md has one.
COMPILING, MOST_CALMING = 0.1, 8
# A server may take its time for the last replies of a turn (Puma's threads wait for 0.2 s for the next
# request of a connection while others wait for a thread): where it is known how long to load it, turns are so
# many times as long as that.
DRAINS = 4


def warmed_up(turns: Turns, entry: str) -> Generator[Observation]:
    """Turns until the server's rate, and what a request costs it, are flat, and it does nothing when it is
    asked nothing; at least for as long as its watched starts needed, at most for `steady.LONGEST_S`, or for
    longer where a plan says that so much is known to be needed. One that is watched goes on for
    `steady.UNKNOWN_S`, and until a rise can be ruled out. The last turns tell how long this server's slices
    must be."""
    stage, race = turns.stage, turns.stage.race
    stage.view.state(entry, "warming")
    running = turns.running[entry]
    known_s, loaded_s = _known_s(stage, entry), 0.0
    least_s = steady.UNKNOWN_S if known_s is None else steady.load_s(known_s)
    most_s = max(steady.LONGEST_S, known_s or 0.0)
    rates, per_cpu_s = np.empty(0), np.empty(0)
    last: deque[Slice] = deque(maxlen=LAST_TURNS)
    while True:
        ordinary = _ordinary_turns(last, race.slices.warm_up_ms, (known_s or 0.0) - loaded_s)
        observed = turns.warm_up(running, ordinary * race.slices.warm_up_ms)
        yield observed
        if not isinstance(observed, Slice):
            return
        last.append(observed)
        loaded_s += ordinary * race.slices.warm_up_ms / 1000
        rates = np.append(rates, steady.rates_rps(observed.bins, observed.bin_ms))
        if observed.server_cpu_ns:
            per_cpu_s = np.append(per_cpu_s, [observed.replies / observed.server_cpu_ns * 1e9] * ordinary)
        if loaded_s >= most_s:
            break
        if loaded_s < least_s or running.last_rest.working or _compiling(last):
            continue
        if _flat(rates, per_cpu_s, race.slices.warm_up_ms, known_s):
            break
    running.level_rps, running.needed_s = steady.level_rps(rates), steady.settled_s(rates)
    _size(running, last, race)
    if (failed := _forgotten(turns, entry)) is not None:
        yield failed
        return
    yield WarmedUp(
        race=race.key,
        block=turns.block.index,
        entry=entry,
        loaded_s=loaded_s,
        rested_s=round(running.rested_s, 3),
        needed_s=running.needed_s,
        watched=known_s is None,
        rising=not _flat(rates, per_cpu_s, race.slices.warm_up_ms, known_s or 0.0),
        working=running.last_rest.working,
        compilers=running.compilers.threads,
    )


def _ordinary_turns(last: Collection[Slice], turn_ms: int, to_come_s: float) -> int:
    """Of how many turns the next is as long: more than one only where that much is still to come."""
    drains_ms = [(turn.drained_ns - turn.counted_until_ns) / 1e6 for turn in last]
    wanted = math.ceil(DRAINS * statistics.median(drains_ms) / turn_ms) if drains_ms else 1
    return max(1, min(wanted, int(to_come_s * 1000 / turn_ms)))


def kept_awake(turns: Turns, entry: str) -> Generator[Observation]:
    """A short turn of each other server that was frozen for long while this one warms up, where it took more
    than a moment to warm up itself."""
    for other, running in list(turns.running.items()):
        if other == entry or running.needed_s <= steady.SOON_S or running.frozen_s < AWAKE_S:
            continue
        observed = turns.warm_up(running, AWAKE_MS)
        yield observed
        if isinstance(observed, Slice) and (failed := _forgotten(turns, other)) is not None:
            yield failed


def warmed_again(turns: Turns, entry: str) -> Generator[Observation]:
    """Of a server that was frozen for long since its warm-up, while others started, turns until it is where
    it was, or no longer gets faster."""
    running = turns.running[entry]
    if running.frozen_s < FROZEN_S:
        return
    turns.stage.view.state(entry, "warming")
    before_rps = 0.0
    for number in range(1, MOST_AGAIN + 1):
        observed = turns.warm_up(running, AGAIN_MS)
        yield observed
        if not isinstance(observed, Slice):
            return
        rate_rps = float(steady.rates_rps(observed.bins, observed.bin_ms).mean())
        back = rate_rps >= (1 - steady.SETTLED) * running.level_rps
        if number >= LEAST_AGAIN and (back or rate_rps <= (1 + steady.RISE) * before_rps):
            break
        before_rps = rate_rps
    if (failed := _forgotten(turns, entry)) is not None:
        yield failed


def calmed(turns: Turns, entry: str) -> Generator[Observation]:
    """Of a server whose compilers were at work in its last turn, turns until they are done, so many at most.
    Else code that was thrown away is translated beside all that a server does, which is slow for as long."""
    running, for_ms = turns.running[entry], turns.stage.race.slices.warm_up_ms
    for _ in range(MOST_CALMING):
        if running.last_turn is None or not _compiling([running.last_turn]):
            return
        turns.stage.view.state(entry, "warming")
        # The block's histogram, which is of its slices, has a millisecond of this.
        observed = turns.warm_up(running, for_ms, lead_in_ms=for_ms - 1)
        yield observed
        if not isinstance(observed, Slice):
            return


def _compiling(last: Collection[Slice]) -> bool:
    """Whether compilers still had something to do in these turns."""
    known = [turn for turn in last if turn.compilers_cpu_ns is not None]
    taken_ns = sum(turn.took_ns for turn in known)
    return sum(turn.compilers_cpu_ns or 0 for turn in known) > COMPILING * taken_ns


def _forgotten(turns: Turns, entry: str) -> Failed | None:
    """What warm-ups left in the generator's histogram is in no result."""
    try:
        turns.generator.histogram(entry)
    except LoadError as error:
        return turns.failed(entry, str(error))
    return None


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
    """What this contender's watched starts took to be at their level, whichever entry it was: those of this
    race together with those of earlier ones. None where this one is to be watched.

    Those that were let go in time tell nothing of it: whose level is a step of a longer way is found to have
    needed less each time.
    """
    race = stage.race
    contender = race.contender_of(entry)
    same = {e.id for e in race.entries if e.contender == contender}
    here = [
        o.needed_s
        for o in stage.observed
        if isinstance(o, WarmedUp) and o.watched and o.race == race.key and o.entry in same
    ]
    before = race.past.watched.get(contender, 0) if race.past is not None else 0
    if before < steady.WATCHED and not here:
        return None
    earlier = [race.past.warm_up_s[contender]] * before if race.past is not None and before else []
    return steady.known_s([*earlier, *here])


def _grown(least_ms: int, wanted_ms: float) -> int:
    """At least what the plan says, else the next whole multiple of it."""
    return least_ms * max(1, math.ceil(wanted_ms / least_ms))
