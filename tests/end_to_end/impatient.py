"""`deadheat` with less patience: the same command line, but tests need not sit through its time limits.

Run as `python impatient.py race ...`. Only waits are cut, and what noise would decide: nothing that a
test looks at.
"""

import math
import os
from dataclasses import replace
from types import ModuleType

import deadheat.app.ad_hoc
import deadheat.kinds.grpc.frames
import deadheat.kinds.grpc.kind
import deadheat.kinds.http_asking
import deadheat.kinds.server.cold
import deadheat.kinds.server.started
import deadheat.kinds.server.turns
import deadheat.kinds.server.warm_up
import deadheat.plan.duration
import deadheat.plan.equal_load
import deadheat.plan.learnt
import deadheat.plan.long_turns
import deadheat.plan.races
import deadheat.results.derive
import deadheat.results.gates.registry
import deadheat.run.repeats
import deadheat.stats.steady
import deadheat.studies.server
from deadheat.cli import main
from deadheat.model.plan import DisturbanceLimits

READY_TIMEOUT_S = float(os.environ.get("DEADHEAT_TEST_READY_TIMEOUT_S", "6"))
# What a plan takes a program's run to last, whatever it lasts on a busy machine.
TOOK_S = 0.02

OF_THE_MACHINE = ("loop-delay", "runqueue-wait", "frozen", "drift")


def cut(module: ModuleType, **values: object) -> None:
    """Give constants of a module other values; one that is not there any more is a mistake."""
    assert values.keys() <= vars(module).keys(), (
        f"{module.__name__} has lost {values.keys() - vars(module).keys()}"
    )
    vars(module).update(values)


def hurry() -> None:
    cut(deadheat.kinds.server.started, READY_TIMEOUT_S=READY_TIMEOUT_S, STOP_GRACE_S=1.0)
    # Slices do not grow with a latency that is the busy machine's, so that blocks of one plan are alike.
    cut(deadheat.kinds.server.warm_up, LEAD_IN_LATENCIES=0, COUNTED_LATENCIES=0, ANSWERED=0)
    # How long others take to start on a busy machine must not decide who has how many turns.
    cut(deadheat.kinds.server.warm_up, FROZEN_S=math.inf)
    cut(deadheat.kinds.server.turns, REOPENED_MS=0)
    cut(deadheat.kinds.grpc.kind, CONCURRENT=100)
    cut(deadheat.kinds.grpc.frames, ANSWER_S=3.0, STOP_GRACE_S=2.0)
    cut(deadheat.kinds.http_asking, IDLE_S=0.05)
    if answer_timeout_s := os.environ.get("DEADHEAT_TEST_ANSWER_TIMEOUT_S"):
        cut(deadheat.kinds.http_asking, TIMEOUT_S=float(answer_timeout_s))
    if outside_limit_s := os.environ.get("DEADHEAT_TEST_OUTSIDE_LIMIT_S"):
        cut(deadheat.studies.server, PATIENCE_S=0.0, LONGEST_S=float(outside_limit_s))
    cut(deadheat.plan.duration, START_S=0.1, WARMED_S=0.1, COLD_S=0.3)
    # How many blocks a test finds must not depend on how long they take on a busy machine, nor took before.
    cut(deadheat.plan.learnt, overrun=lambda _race, _ledger: 1.0)
    cut(deadheat.run.repeats, LONGEST=1e9)
    cut(deadheat.kinds.server.cold, REPLIES=(20, 200))
    # How busy the machine is beside a test is nobody's business; where blocks are to be dropped for another
    # reason, limits are there that no neighbour reaches.
    drops = "DEADHEAT_TEST_DROPS" in os.environ
    limits = DisturbanceLimits(others=1.0, steal=1.0, throttled=1.0) if drops else None
    # A server that is slow has too few replies in a bin of a short turn for its level to be seen.
    warm_up_ms = int(os.environ.get("DEADHEAT_TEST_WARM_UP_MS", "50"))
    cut(
        deadheat.plan.races,
        WARM_UP_MS=warm_up_ms,
        LEAD_IN_MS=20,
        COUNTED_MS=40,
        DISTURBANCE=limits,
        LEAVING=None,
    )
    usual = deadheat.app.ad_hoc.recorded
    cut(
        deadheat.app.ad_hoc,
        APART_S=0.0,
        recorded=lambda *words, **options: replace(usual(*words, **options), took_s=TOOK_S),
    )
    cut(deadheat.stats.steady, SHORTEST_S=0.05, LONGEST_S=0.05, UNKNOWN_S=0.05)
    cut(deadheat.plan.equal_load, LEAD_IN_MS=10, LONGEST=1)
    sizes = deadheat.plan.duration.SIZES
    for preset, size in sizes.items():
        entry_s = float(os.environ.get("DEADHEAT_TEST_ENTRY_S", size.entry_s))
        sizes[preset] = replace(size, open_loop_ms=30, entry_s=entry_s)
    cut(deadheat.plan.long_turns, TURN_MS=400, ROUNDS=5)
    # When a race is settled depends on the machine's noise; how many blocks a test finds must not.
    cut(deadheat.results.derive, settled=lambda _: False)
    # Nor must what others did on the machine take a verdict away: other tests run at the same time.
    # What the machine does to a race is not these tests' matter.
    registry = deadheat.results.gates.registry
    cut(
        registry,
        CONTENDER_GATES={n: g for n, g in registry.CONTENDER_GATES.items() if n not in OF_THE_MACHINE},
        RACE_GATES={"enough-blocks": registry.RACE_GATES["enough-blocks"]},
    )


if __name__ == "__main__":
    hurry()
    main()
