"""How long a server is loaded before its slices: against an engine whose servers answer at given rates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

import pytest

from deadheat.hosts import Handle, Host
from deadheat.kinds.server import turns, warm_up
from deadheat.kinds.server.rest import Rest
from deadheat.model.observation import Observation, Slice, WarmedUp
from deadheat.model.past import Past
from deadheat.plan import learnt, schedule
from deadheat.run.kind import Stage
from deadheat.stats import steady
from tests.made.warming import WarmingEngine, clock, reporting, warms_up
from tests.made.written_down import UNKNOWN, Step, observe


@pytest.mark.parametrize(
    ("rates", "mean_ms", "least", "most", "lengths_ms", "rising"),
    [
        ([50], 0.5, UNKNOWN, UNKNOWN, (5, 10), False),  # steady at once, and slices as short as planned
        ([50], 5, UNKNOWN, UNKNOWN, (25, 50), False),  # slow: slices hold 10 times the latency
        ([10, 30, 40, 45, 50, 50, 50, 50, 50, 50, 50], 0.5, 6, 14, (5, 10), False),  # until it is no faster
        ([10 + n for n in range(300)], 0.5, 60, 60, (5, 10), True),  # not for ever
    ],
)
def test_a_server_is_warmed_up_until_it_is_no_faster(
    stage: Stage,
    steps: list[Step],
    monkeypatch: pytest.MonkeyPatch,
    rates: Sequence[int],
    mean_ms: float,
    least: int,
    most: int,
    lengths_ms: tuple[int, int],
    rising: bool,
) -> None:
    warms_up(monkeypatch, rates, mean_ms)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    turns = {steps.count(("warm", entry)) for entry in block.start}
    assert len(turns) == 1 and least <= turns.copy().pop() <= most
    assert set(WarmingEngine.lengths_ms) == {lengths_ms}
    warmed_up = [o for o in observed if isinstance(o, WarmedUp)]
    assert {(o.entry, o.rising) for o in warmed_up} == {(entry, rising) for entry in block.start}
    assert {o.loaded_s for o in warmed_up} == {0.5 * turns.pop()}
    warming = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert len(warming) == len(set(warming))


@pytest.mark.parametrize(
    ("at_work", "loads", "working", "rested_s"),
    [
        ([False], UNKNOWN, False, 0.1 * UNKNOWN),
        ([False, *[True] * 9, False], 10, False, 1.0),  # a compiler that has put things off
        ([False, True], 60, True, 6.0),  # not for ever
        ([True], UNKNOWN, False, 0.0),  # it polls, and did before it was asked anything
    ],
)
def test_a_server_that_is_at_work_with_nothing_to_answer_is_not_warm(
    stage: Stage,
    steps: list[Step],
    monkeypatch: pytest.MonkeyPatch,
    at_work: Sequence[bool],
    loads: int,
    working: bool,
    rested_s: float,
) -> None:
    """Whatever its rate is. `at_work`: when it has started, then behind each turn, the last one for ever."""
    warms_up(monkeypatch, [50], 0.5)
    rests = {
        entry.id: itertools.chain(at_work, itertools.repeat(at_work[-1])) for entry in stage.race.entries
    }
    monkeypatch.setattr(turns, "rest", lambda _host, handle, *_most_s: Rest(0.1, next(rests[handle.name])))
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    assert {entry: steps.count(("warm", entry)) for entry in block.start} == dict.fromkeys(block.start, loads)
    warmed_up = [o for o in observed if isinstance(o, WarmedUp)]
    assert {(o.working, o.rising, o.rested_s) for o in warmed_up} == {(working, False, round(rested_s, 3))}


def test_no_server_is_left_alone_for_longer_than_it_is_loaded(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    warms_up(monkeypatch, [50], 0.5)
    most: list[float] = []
    started: set[str] = set()

    def left_alone(_host: Host, handle: Handle, most_s: float | None = None) -> Rest:
        if most_s is None:
            started.add(handle.name)
            return Rest(0.0, False)
        most.append(most_s)
        return Rest(most_s, True)

    monkeypatch.setattr(turns, "rest", left_alone)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        list(observe(stage, block, stack))
    assert started == set(block.start)
    assert sum(most) == steady.LONGEST_S * len(block.start)


def test_a_start_is_loaded_for_as_long_as_earlier_ones_needed(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a little longer, also where this one looks steady at once; the null entry's starts are its
    contender's. Those that nobody watched tell nothing: of each step of a way the last is its level."""
    warms_up(monkeypatch, [50], 0.5)
    watched = [("good", 2.0), ("good'", 3.0), ("good", 30.0), ("good", 2.5), ("copy", 0.1),
               ("copy", 0.2)]  # fmt: skip
    earlier = [
        WarmedUp(
            race=stage.race.key, block=0, entry=entry, loaded_s=4, needed_s=s, watched=long, rising=False
        )
        for entry, s, long in [*((*one, True) for one in watched), *[("good", 0.1, False)] * 9]
    ]
    stage = replace(stage, observed=earlier)
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        list(observe(stage, block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 8, "good'": 8, "copy": 1}


def _needing(stage: Stage, known_s: float) -> Stage:
    """Its contenders are known to need so long."""
    ids = {entry.contender for entry in stage.race.entries}
    past = learnt.with_warm_ups(Past(), dict.fromkeys(ids, [known_s] * steady.WATCHED))
    return replace(stage, race=stage.race.replaced(past=past))


@pytest.mark.parametrize(("known_s", "loaded_s"), [(29.5, 30.0), (60.0, 60.0)])
def test_the_longest_warm_up_is_exceeded_only_where_so_much_is_known_to_be_needed(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch, known_s: float, loaded_s: float
) -> None:
    """No race finds that out by itself: `bench.warmed_starts` asks for it."""
    warms_up(monkeypatch, [50], 0.5)
    stage = _needing(stage, known_s)
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    assert {o.loaded_s for o in observed if isinstance(o, WarmedUp) and not o.watched} == {loaded_s}


@pytest.mark.parametrize(
    ("drain_ms", "turns_ms"),
    [
        (0, [500] * 14),
        (100, [500] * 14),
        (600, [500, 2500, 2500, 500, 500, 500]),  # no further than where earlier starts were at their level
    ],
)
def test_turns_are_longer_where_the_last_replies_take_long(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, drain_ms: int, turns_ms: list[int]
) -> None:
    warms_up(monkeypatch, [50], 0.5)

    def drained(_target: str, _lead_in_ms: int, counted_ms: int) -> dict[str, object]:
        until_ns = counted_ms * 1_000_000
        return {"counted_until_ns": until_ns, "drained_ns": until_ns + drain_ms * 1_000_000}

    reporting(monkeypatch, drained)
    stage = _needing(stage, 6.0)
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    for entry in block.start:
        of = [o for o in observed if isinstance(o, Slice) and o.warm_up and o.entry == entry]
        assert [o.counted_until_ns // 1_000_000 for o in of] == turns_ms
    assert {o.loaded_s for o in observed if isinstance(o, WarmedUp)} == {7.0}


def test_a_start_that_is_slower_than_earlier_ones_is_loaded_until_it_is_at_its_own_level(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a little longer: what is behind its level must be long enough to tell whether it still rises."""
    warms_up(monkeypatch, [10, 30, *[50] * 20], 0.5)
    earlier = [
        WarmedUp(
            race=stage.race.key, block=0, entry=entry, loaded_s=1, needed_s=0.2, watched=True, rising=False
        )
        for entry in ("good", "good'", "copy", "copy")
    ]
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        observed = list(observe(replace(stage, observed=earlier), block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 4, "good'": 4, "copy": 4}
    assert not any(o.rising for o in observed if isinstance(o, WarmedUp))


@pytest.mark.parametrize(
    ("means", "again"),
    [
        ([500, 500], 2),  # at once where it was, which two turns tell
        ([200, 400, 500], 3),  # slower at first
        ([200, 300, 400, 400], 4),  # never where it was
        ([250 * 1.04**n for n in range(30)], 16),  # not for ever
    ],
)
def test_a_server_that_was_frozen_for_long_is_warmed_up_again(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch, means: Sequence[float], again: int
) -> None:
    """Before its first slice, while others started and warmed up; these turns count for nothing either."""
    edges = [500.0] * UNKNOWN
    for mean in means:
        edges.append(2 * mean - edges[-1])
    warms_up(monkeypatch, [*map(round, edges)], 0.5)
    monkeypatch.setattr(warm_up, "FROZEN_S", 0.0)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == dict.fromkeys(block.start, UNKNOWN + again)
    last = max(place for place, step in enumerate(steps) if step[0] == "warm")
    first = min(place for place, step in enumerate(steps) if step == ("load", block.turns[0].entry))
    assert last < first
    warming = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert len(warming) == len(set(warming)) == len(block.start) * (UNKNOWN + again)


@pytest.mark.parametrize(("rates", "awake"), [([10, 30, 40, 45, *[50] * 20], True), ([50], False)])
def test_who_warmed_up_is_kept_awake_while_others_do(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch, rates: Sequence[int], awake: bool
) -> None:
    """A JVM whose connections and threads have been idle for so long throws compiled code away. Who was at
    its level at once has nothing to lose."""
    warms_up(monkeypatch, rates, 0.5)
    now = itertools.count(step=1.0)
    clock(monkeypatch, lambda: next(now))
    monkeypatch.setattr(warm_up, "FROZEN_S", math.inf)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    first = block.start[0]
    warmed = [next(n for n, o in enumerate(observed) if _is_warmed(o, entry)) for entry in block.start]
    later = [o for o in observed[warmed[0] + 1 : warmed[-1]] if isinstance(o, Slice) and o.entry == first]
    assert bool(later) == awake and all(o.warm_up for o in later)
    lengths = {len(o.bins) * o.bin_ms for o in later}
    assert lengths <= {warm_up.AWAKE_MS}
    turns = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert len(turns) == len(set(turns))


def _is_warmed(observed: Observation, entry: str) -> bool:
    return isinstance(observed, WarmedUp) and observed.entry == entry


def test_a_slice_that_may_begin_with_new_connections_has_a_longer_lead_in(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where it closed none after it was frozen for as long."""
    warms_up(monkeypatch, [50], 0.5)
    now = itertools.count(step=10.0)
    clock(monkeypatch, lambda: next(now))
    lead_ins: dict[str, list[int]] = {entry.id: [] for entry in stage.race.entries}

    def reopened(target: str, lead_in_ms: int, _counted_ms: int) -> dict[str, object]:
        if lead_in_ms:
            lead_ins[target].append(lead_in_ms)
        return {"reconnects": 8 if target == "good" else 0}

    reporting(monkeypatch, reopened)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        list(observe(stage, block, stack))
    longer = 5 + turns.REOPENED_MS
    assert set(lead_ins.pop("good")) == {longer}
    # Theirs was no shorter before their warm-ups, in which they closed none.
    assert {lead_in_ms for own in lead_ins.values() for lead_in_ms in own} == {5}
