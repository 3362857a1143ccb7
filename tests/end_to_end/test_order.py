"""What is done to contenders, in which order: against a host that only writes it down, and for real."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deadheat.build.built import Build
from deadheat.kinds.server import turns, warm_up
from deadheat.kinds.server.block import ServerBlock
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.model.address import Address
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import Built, Failed, Observation, Slice, WarmedUp
from deadheat.model.plan import Entry, Plan, RacePlan
from deadheat.model.suite_facts import SuiteFacts
from deadheat.plan import schedule
from deadheat.plan.schedule import Block
from deadheat.run import kind
from deadheat.run.kind import Stage
from deadheat.run.progress import NoView
from deadheat.stats import steady
from deadheat.suite.suite import load
from deadheat.util.interrupt import Stop
from tests.made.written_down import FakeEngine, FakeHost, Step

from .bench import CALCULATE, Deadheat, hello, twice


class WarmingEngine(FakeEngine):
    """Its servers answer at these rates (replies in 5 ms), a warm-up turn each, the last one for ever; it
    notes how long slices were."""

    rates: Sequence[int]
    mean_ms: float
    lengths_ms: list[tuple[int, int]]

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **given: Any) -> dict[str, Any]:
        warm_ups = self.steps.count(("warm", target))
        counted = super().turn(target, token, lead_in_ms, counted_ms, **given)
        if lead_in_ms:
            self.lengths_ms.append((lead_in_ms, counted_ms))
            return counted
        first = [0] if len(self.rates) > 1 else []  # a cold one begins with nothing
        start, stop = [*first, *self.rates, *[self.rates[-1]] * 60][warm_ups : warm_ups + 2]
        bins = tuple(int(rate) for rate in np.linspace(start, stop, counted_ms // 5))
        took = {"bins": bins, "replies": sum(bins)}
        return {**counted, **took, "latency_sum_ns": int(sum(bins) * self.mean_ms * 1e6)}


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    written: list[Step] = []
    monkeypatch.setattr(FakeEngine, "steps", written, raising=False)
    monkeypatch.setattr(FakeEngine, "where", [], raising=False)
    monkeypatch.setattr(FakeEngine, "read_along", [], raising=False)
    monkeypatch.setattr(kind, "Engine", FakeEngine)
    return written


@pytest.fixture
def stage(tmp_path: Path, steps: list[Step]) -> Stage:
    suite = load(hello(tmp_path / "suite", copies=["copy"]).path)
    entries = (
        Entry(id="good", contender="good"),
        Entry(id="copy", contender="copy"),
        Entry(id="good'", contender="good", null=True),
    )
    race = RacePlan(
        workload="hello",
        kind="http",
        metric="throughput_rps",
        reference="good",
        entries=entries,
        blocks=3,
        rounds=2,
        measured=SlicePlan(connections=8, warm_up_ms=500, lead_in_ms=5, counted_ms=10),
    )
    plan = Plan(
        run="test",
        version="0",
        started="now",
        command=(),
        suite=str(suite.folder),
        preset="quick",
        seed=1,
        margin=0.02,
        server_cpus=(0,),
        generator_cpus=(0,),
        workloads=(race,),
        facts=SuiteFacts(),
    )
    builds = {
        contender.id: Build(
            contender, tmp_path, Built(workload="hello", contender=contender.id, status="ready")
        )
        for contender in suite.contenders["hello"]
    }
    return Stage(
        plan=plan,
        race=race,
        workload=suite.workloads["hello"],
        workload_folder=suite.folder / "hello",
        builds=builds,
        host=FakeHost(steps),
        view=NoView(),
        stop=Stop(),
        logs=tmp_path,
    )


def _observe(stage: Stage, block: Block, stack: ExitStack) -> Iterator[Observation]:
    def right(_stage: Stage, _at: Address, _token: str) -> None: ...

    def target(_stage: Stage, _at: Address) -> Mapping[str, Any]:
        return {"url": "http://127.0.0.1:1", "connections": 4}

    return ServerBlock(stage, block, ServerProtocol(right, target), stack).observe()


# Turns of half a second in which a start of which nothing is known is watched.
UNKNOWN = round(steady.UNKNOWN_S / 0.5)


def _begun(entry: str) -> list[Step]:
    warm_up: list[Step] = [("thaw", entry), ("warm", entry), ("freeze", entry)]
    return [("start", entry), ("open", entry), ("freeze", entry), *warm_up * UNKNOWN]


def test_a_block_from_start_to_stop(stage: Stage, steps: list[Step]) -> None:
    for block in schedule.blocks(stage.race, stage.plan.seed):
        del steps[:]
        with ExitStack() as stack:
            list(_observe(stage, block, stack))
        # They are stopped side by side, so in any order.
        first = min(place for place, step in enumerate(steps) if step[0] == "stop")
        last = first + len(block.start)
        steps[first:last] = sorted(steps[first:last])
        assert steps == [
            ("engine", "up"),
            # No connection waits for its first request while others start and warm up.
            *(step for e in block.start for step in _begun(e)),
            *(step for t in block.turns for step in _turn(t.entry)),
            *(("close", e) for e in block.start),
            *sorted(("stop", e) for e in block.start),
            # The stack's own stops, should the block have ended early; then the engine.
            *(("stop", e) for e in reversed(block.start)),
            ("engine", "down"),
        ]


def _warming(monkeypatch: pytest.MonkeyPatch, rates: Sequence[int], mean_ms: float) -> None:
    """The engine finds every server at these rates, a warm-up turn after the other."""
    monkeypatch.setattr(kind, "Engine", WarmingEngine)
    monkeypatch.setattr(WarmingEngine, "rates", rates, raising=False)
    monkeypatch.setattr(WarmingEngine, "mean_ms", mean_ms, raising=False)
    monkeypatch.setattr(WarmingEngine, "lengths_ms", [], raising=False)


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
    _warming(monkeypatch, rates, mean_ms)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(_observe(stage, block, stack))
    turns = {steps.count(("warm", entry)) for entry in block.start}
    assert len(turns) == 1 and least <= turns.copy().pop() <= most
    assert set(WarmingEngine.lengths_ms) == {lengths_ms}
    warmed_up = [o for o in observed if isinstance(o, WarmedUp)]
    assert {(o.entry, o.rising) for o in warmed_up} == {(entry, rising) for entry in block.start}
    assert {o.loaded_s for o in warmed_up} == {0.5 * turns.pop()}
    warming = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert len(warming) == len(set(warming))


def test_a_start_is_loaded_for_as_long_as_earlier_ones_needed(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a little longer, also where this one looks steady at once; the null entry's starts are its
    contender's. Those that nobody watched tell nothing: of each step of a way the last is its level."""
    _warming(monkeypatch, [50], 0.5)
    watched = [("good", 2.0), ("good'", 3.0), ("good", 30.0), ("copy", 0.1)]
    earlier = [
        WarmedUp(
            race=stage.race.key, block=0, entry=entry, loaded_s=4, needed_s=s, watched=long, rising=False
        )
        for entry, s, long in [*((*one, True) for one in watched), *[("good", 0.1, False)] * 9]
    ]
    stage = replace(stage, observed=earlier)
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        list(_observe(stage, block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 8, "good'": 8, "copy": 1}


def test_a_start_that_is_slower_than_earlier_ones_is_loaded_until_it_is_at_its_own_level(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a little longer: what is behind its level must be long enough to tell whether it still rises."""
    _warming(monkeypatch, [10, 30, *[50] * 20], 0.5)
    earlier = [
        WarmedUp(
            race=stage.race.key, block=0, entry=entry, loaded_s=1, needed_s=0.2, watched=True, rising=False
        )
        for entry in ("good", "good'", "copy")
    ]
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        observed = list(_observe(replace(stage, observed=earlier), block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 4, "good'": 4, "copy": 4}
    assert not any(o.rising for o in observed if isinstance(o, WarmedUp))


@pytest.mark.parametrize(
    ("means", "again"),
    [
        ([500, 500], 2),  # at once where it was, which two turns tell
        ([200, 400, 500], 3),  # slower at first
        ([200, 300, 400, 400], 4),  # never where it was
        ([250 * 1.04**n for n in range(20)], 10),  # not for ever
    ],
)
def test_a_server_that_was_frozen_for_long_is_warmed_up_again(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch, means: Sequence[float], again: int
) -> None:
    """Before its first slice, while others started and warmed up; these turns count for nothing either."""
    edges = [500.0] * UNKNOWN
    for mean in means:
        edges.append(2 * mean - edges[-1])
    _warming(monkeypatch, [*map(round, edges)], 0.5)
    monkeypatch.setattr(warm_up, "FROZEN_S", 0.0)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(_observe(stage, block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == dict.fromkeys(block.start, UNKNOWN + again)
    last = max(place for place, step in enumerate(steps) if step[0] == "warm")
    first = min(place for place, step in enumerate(steps) if step == ("load", block.turns[0].entry))
    assert last < first
    warming = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert len(warming) == len(set(warming)) == len(block.start) * (UNKNOWN + again)


def test_a_slice_that_may_begin_with_new_connections_has_a_longer_lead_in(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where it closed none after it was frozen for as long."""
    _warming(monkeypatch, [50], 0.5)
    now = itertools.count(step=10.0)
    monkeypatch.setattr(turns, "time", SimpleNamespace(monotonic=lambda: next(now)))
    lead_ins: dict[str, list[int]] = {entry.id: [] for entry in stage.race.entries}
    usual = WarmingEngine.turn

    def turn(
        engine: WarmingEngine, target: str, token: str, lead_in_ms: int, counted_ms: int, **given: Any
    ) -> dict[str, Any]:
        if lead_in_ms:
            lead_ins[target].append(lead_in_ms)
        counted = usual(engine, target, token, lead_in_ms, counted_ms, **given)
        return {**counted, "reconnects": 8 if target == "good" else 0}

    monkeypatch.setattr(WarmingEngine, "turn", turn)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        list(_observe(stage, block, stack))
    longer = 5 + turns.REOPENED_MS
    assert set(lead_ins.pop("good")) == {longer}
    # Theirs was no shorter before their warm-ups, in which they closed none.
    assert {lead_in_ms for own in lead_ins.values() for lead_in_ms in own} == {5}


def test_load_comes_from_beside_the_servers(stage: Stage, steps: list[Step]) -> None:
    """And there the generator reads their CPU time, at the edges of what is counted."""
    with ExitStack() as stack:
        list(_observe(stage, schedule.blocks(stage.race, stage.plan.seed)[0], stack))
    assert FakeEngine.where == [stage.host]
    assert FakeEngine.read_along and {tuple(pids) for pids in FakeEngine.read_along} == {(1,)}


def test_load_from_another_host_reads_nobody_s_cpu_time(stage: Stage, steps: list[Step]) -> None:
    """A process's number means something on its own host only."""
    other = FakeHost([])
    with ExitStack() as stack:
        away = replace(stage, load_from=(other,))
        observed = list(_observe(away, schedule.blocks(stage.race, stage.plan.seed)[0], stack))
    assert FakeEngine.where == [other] and not other.steps
    assert FakeEngine.read_along and not any(FakeEngine.read_along)
    assert {o.entry for o in observed if isinstance(o, Slice)} == {"good", "copy", "good'"}


def test_blocks_start_in_orders_of_their_own(stage: Stage) -> None:
    race = stage.race.model_copy(update={"blocks": 40})
    assert len({block.start for block in schedule.blocks(race, 1)}) == 6


@pytest.mark.parametrize("after", [0, 1, 3, 4, 8, 14])
def test_wherever_it_ends_all_that_was_started_is_stopped(
    stage: Stage, steps: list[Step], after: int
) -> None:
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observations = _observe(stage, block, stack)
        for _ in range(after):
            next(observations)
    started = [entry for verb, entry in steps if verb == "start"]
    assert {entry for verb, entry in steps if verb == "stop"} == set(started)
    assert steps[-1] == ("engine", "down")


def test_only_one_runs_at_a_time(stage: Stage, steps: list[Step]) -> None:
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        list(_observe(stage, block, stack))
    thawed: set[str] = set()
    for verb, entry in steps:
        match verb:
            case "start" | "thaw":
                assert not thawed
                thawed.add(entry)
            case "freeze":
                thawed.remove(entry)
            case "warm" | "load":
                assert thawed == {entry}
    assert not thawed


@pytest.mark.parametrize("verb", ["start", "thaw", "freeze"])
def test_who_dies_has_no_more_turns_and_the_others_have_theirs(
    stage: Stage, steps: list[Step], verb: str
) -> None:
    host = stage.host
    assert isinstance(host, FakeHost)
    host.dies_at = (verb, "copy")
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observations = list(_observe(stage, block, stack))
    failed = [o for o in observations if isinstance(o, Failed)]
    assert [o.entry for o in failed] == ["copy"]
    assert "exited with status 7" in failed[0].reason
    death = steps.index((verb, "copy"))
    assert ("load", "copy") not in steps[death + 1 :]
    loads = [entry for what, entry in steps if what == "load" and entry != "copy"]
    assert loads == [t.entry for t in block.turns if t.entry != "copy"]


def test_programs_run_in_the_order_of_the_plan(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite")
    shutil.rmtree(suite.path / "twice" / "good")
    for name in ("good", "copy"):
        suite.contender("twice", name, f"{CALCULATE} logs {tmp_path / 'log'} {name}")
    deadheat = Deadheat(home, suite.path)
    assert deadheat.run("race", "--budget", "6s", "--seed", "11").code in (0, 4)

    plan = Plan.model_validate_json((deadheat.runs / "latest" / "plan.json").read_bytes())
    race = plan.workloads[0]
    contender = {entry.id: entry.contender for entry in race.entries}
    expected = [
        contender[entry]
        for block in schedule.blocks(race, plan.seed)
        for entry in (*block.start, *(turn.entry for turn in block.turns))
    ]
    ran = re.findall(r"^30 (\w+)$", (tmp_path / "log").read_text(), re.MULTILINE)
    assert ran == expected


def _turn(entry: str) -> tuple[Step, ...]:
    return (("thaw", entry), ("load", entry), ("freeze", entry))
