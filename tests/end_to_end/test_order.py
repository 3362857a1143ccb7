"""What is done to contenders, in which order: against a host that only writes it down, and for real."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from deadheat.build.built import Build
from deadheat.generators.load_generator import Counted
from deadheat.hosts import Collected, Event, Exit, ExitedError, Handle, Spec, Usage, interference, programs
from deadheat.hosts.container_engine import ContainerEngine
from deadheat.hosts.counters import Counters
from deadheat.hosts.cpus import Cores
from deadheat.hosts.images import Image
from deadheat.hosts.machine import Machine
from deadheat.hosts.meter import CpuTime
from deadheat.hosts.output import Output
from deadheat.hosts.program import Why
from deadheat.hosts.programs import Programs
from deadheat.kinds.server.block import ServerBlock
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.model.address import Address
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
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

from .bench import CALCULATE, Deadheat, hello, twice

Step = tuple[str, str]


@dataclass(eq=False)
class FakeHost:
    """Starts nothing, and writes down who was to do what."""

    steps: list[Step]
    dies_at: Step | None = None
    dead: set[str] = field(default_factory=set)
    address = "127.0.0.1"

    def programs(self) -> Programs:
        return programs.here()

    def cores(self) -> Cores:
        raise AssertionError("the plan says which CPUs are whose")

    def machine(self, window_s: float) -> Machine:
        raise AssertionError("a block looks at no machine")

    def hold(self, what: str) -> None: ...

    def start(self, spec: Spec) -> Handle:
        assert spec.stdout is not None
        name = spec.stdout.stem
        self._step("start", name)
        return Handle(name, name, 0)

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        self._step("stop", handle.name)
        return _exit()

    def send(self, handle: Handle, line: bytes) -> None:
        raise AssertionError("nothing here is talked to")

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        raise AssertionError("nothing here is talked to")

    def freeze(self, handle: Handle) -> None:
        self._living("freeze", handle)

    def thaw(self, handle: Handle) -> None:
        self._living("thaw", handle)

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        if handle.name in self.dead:
            raise ExitedError(_exit())
        return Usage(0, (1,), 1, CpuTime(0, 0), 0, None)

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        return ()

    def collect(self, handle: Handle) -> Collected:
        return Collected(None, b"", b"", "")

    def now_ns(self) -> int:
        return 0

    def free_port(self) -> int:
        return 1

    def network(self, name: str) -> Path:
        raise AssertionError("nobody has a network of its own here")

    def counters(self, handle: Handle) -> Counters:
        raise AssertionError("nobody explains anything here")

    def images(self, handle: Handle) -> tuple[Image, ...]:
        raise AssertionError("nobody explains anything here")

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, stdin: str = ""
    ) -> Output:
        raise AssertionError("a block asks for no tool")

    def container_engine(self) -> ContainerEngine:
        raise AssertionError("nothing is in a container here")

    def interference(self, cpus: Collection[int]) -> interference.Reading:
        raise AssertionError("a block asks nothing of what is around it")

    def close(self) -> None: ...

    def _living(self, verb: str, handle: Handle) -> None:
        self._step(verb, handle.name)
        if handle.name in self.dead:
            raise ExitedError(_exit())

    def _step(self, verb: str, name: str) -> None:
        self.steps.append((verb, name))
        if (verb, name) == self.dies_at:
            self.dead.add(name)


NOTHING: str = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS).encode().decode()


class FakeEngine:
    """Counts nothing, and writes down whom it was to load, from where, and whose CPU time it was to read."""

    steps: list[Step]
    where: list[object]
    read_along: list[list[int]]

    def __init__(self, host: object, *_: object) -> None:
        self.where.append(host)

    def __enter__(self) -> Self:
        self.steps.append(("engine", "up"))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.steps.append(("engine", "down"))

    def open(self, target: str, *_: object, **_more: object) -> None:
        self.steps.append(("open", target))

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        self.read_along.append(more["pids"])
        self.steps.append(("warm" if lead_in_ms == 0 else "load", target))
        zero = (
            "started_ns counted_from_ns counted_until_ns drained_ns replies replies_all bytes_in "
            "bytes_out latency_sum_ns latency_max_ns in_flight_ns reconnects resent engine_cpu_ns "
            "server_cpu_ns loop_delay_max_ns"
        )
        counts = dict.fromkeys(zero.split(), 0)
        # As flat as a warm-up can be: no start has to go on for it.
        bins = (50,) * (counted_ms // 5) if lead_in_ms == 0 else ()
        return {**counts, "bin_ms": 5, "token": token, "bins": bins, "errors": {}, "first_error": None}

    def histogram(self, target: str) -> Counted:
        return Counted(NOTHING)

    def runqueue_wait_ns(self) -> int:
        return 0

    def close_target(self, target: str) -> None:
        self.steps.append(("close", target))


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
        assert steps == [
            ("engine", "up"),
            # No connection waits for its first request while others start and warm up.
            *(step for e in block.start for step in _begun(e)),
            *(step for t in block.turns for step in _turn(t.entry)),
            *(step for e in block.start for step in (("close", e), ("stop", e))),
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
        ([10, 30, 40, 45, 50, 50, 50, 50, 50, 50, 50], 0.5, 6, 11, (5, 10), False),  # until it is no faster
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
    """Also where this one looks steady at once; the null entry's starts are its contender's."""
    _warming(monkeypatch, [50], 0.5)
    earlier = [
        WarmedUp(race=stage.race.key, block=0, entry=entry, loaded_s=4, needed_s=needed_s, rising=False)
        for entry, needed_s in [("good", 2.0), ("good'", 3.0), ("good", 30.0), ("copy", 0.1)]
    ]
    stage = replace(stage, observed=earlier)
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        list(_observe(stage, block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 6, "good'": 6, "copy": 1}


def test_a_start_that_is_slower_than_earlier_ones_is_loaded_until_it_is_at_its_own_level(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a little longer: what is behind its level must be long enough to tell whether it still rises."""
    _warming(monkeypatch, [10, 30, *[50] * 20], 0.5)
    earlier = [
        WarmedUp(race=stage.race.key, block=0, entry=entry, loaded_s=1, needed_s=0.2, rising=False)
        for entry in ("good", "good'", "copy")
    ]
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        observed = list(_observe(replace(stage, observed=earlier), block, stack))
    assert {e: steps.count(("warm", e)) for e in block.start} == {"good": 4, "good'": 4, "copy": 4}
    assert not any(o.rising for o in observed if isinstance(o, WarmedUp))


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


def _exit() -> Exit:
    return Exit(7, None, Why.EXIT, 0, 0, CpuTime(0, 0), None, None, 0, 0, 0, None)
