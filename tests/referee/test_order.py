"""What is done to contenders, in which order: against a host that only writes it down, and for real."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from deadheat import schedule
from deadheat.build import Build
from deadheat.hosts import Collected, Event, Exit, ExitedError, Handle, Placement, Spec, Usage
from deadheat.interrupt import Stop
from deadheat.kinds import server
from deadheat.kinds.base import Stage
from deadheat.kinds.server import ServerBlock
from deadheat.meter import CpuTime
from deadheat.model.observation import Built, Failed, Observation, Slice
from deadheat.model.plan import Entry, Plan, WorkloadPlan
from deadheat.program import Why
from deadheat.report.live import NoView
from deadheat.schedule import Block
from deadheat.suite import load

from .bench import CALCULATE, Deadheat, hello, twice

Step = tuple[str, str]


@dataclass
class FakeHost:
    """Starts nothing, and writes down who was to do what."""

    steps: list[Step]
    dies_at: Step | None = None
    dead: set[str] = field(default_factory=set)
    address = "127.0.0.1"

    def start(self, spec: Spec) -> Handle:
        assert spec.stdout is not None
        name = spec.stdout.stem
        self._step("start", name)
        return Handle(name, name, 0)

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        self._step("stop", handle.name)
        return _exit()

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

    def place(self, folder: Path) -> Placement:
        return Placement(folder)

    def now_ns(self) -> int:
        return 0

    def free_port(self) -> int:
        return 1

    def close(self) -> None: ...

    def _living(self, verb: str, handle: Handle) -> None:
        self._step(verb, handle.name)
        if handle.name in self.dead:
            raise ExitedError(_exit())

    def _step(self, verb: str, name: str) -> None:
        self.steps.append((verb, name))
        if (verb, name) == self.dies_at:
            self.dead.add(name)


class FakeEngine:
    """Counts nothing, and writes down whom it was to load."""

    steps: list[Step]

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> Self:
        self.steps.append(("engine", "up"))
        return self

    def __exit__(self, *_: object) -> None:
        self.steps.append(("engine", "down"))

    def open(self, target: str, **_: object) -> None:
        self.steps.append(("open", target))

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **_: object) -> dict[str, Any]:
        self.steps.append(("warm" if lead_in_ms == 0 else "load", target))
        zero = (
            "started_ns counted_from_ns counted_until_ns drained_ns replies replies_all bin_ms bytes_in "
            "bytes_out latency_sum_ns latency_max_ns in_flight_ns reconnects engine_cpu_ns server_cpu_ns "
            "loop_delay_max_ns"
        )
        counts = dict.fromkeys(zero.split(), 0)
        return {**counts, "token": token, "bins": (), "errors": {}, "first_error": None}

    def histogram(self, target: str) -> str:
        return ""

    def histograms(self, target: str) -> tuple[str, str | None]:
        return "", None

    def close_target(self, target: str) -> None:
        self.steps.append(("close", target))


class WarmingEngine(FakeEngine):
    """Its servers answer with these mean latencies (ms), a warm-up each; it notes how long slices were."""

    means_ms: Sequence[float]
    lengths_ms: list[tuple[int, int]]

    def turn(
        self, target: str, token: str, lead_in_ms: int, counted_ms: int, **given: object
    ) -> dict[str, Any]:
        warm_ups = self.steps.count(("warm", target))
        counted = super().turn(target, token, lead_in_ms, counted_ms, **given)
        if lead_in_ms:
            self.lengths_ms.append((lead_in_ms, counted_ms))
            return counted
        return {**counted, "replies": 2, "latency_sum_ns": int(2e6 * self.means_ms[warm_ups])}


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    written: list[Step] = []
    monkeypatch.setattr(FakeEngine, "steps", written, raising=False)
    monkeypatch.setattr(server, "Engine", FakeEngine)
    return written


@pytest.fixture
def stage(tmp_path: Path, steps: list[Step]) -> Stage:
    suite = load(hello(tmp_path / "suite", copies=["copy"]).path)
    entries = (
        Entry(id="good", contender="good"),
        Entry(id="copy", contender="copy"),
        Entry(id="good'", contender="good", null=True),
    )
    race = WorkloadPlan(
        workload="hello",
        kind="http",
        metric="throughput_rps",
        reference="good",
        entries=entries,
        blocks=3,
        rounds=2,
        warm_up_ms=5,
        lead_in_ms=5,
        counted_ms=10,
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
    def right(_stage: Stage, _port: int, _token: str) -> None: ...

    def target(_stage: Stage, _port: int) -> Mapping[str, Any]:
        return {}

    return ServerBlock(stage, block, right, target, stack).observe()


def test_a_block_from_start_to_stop(stage: Stage, steps: list[Step]) -> None:
    for block in schedule.blocks(stage.race, stage.plan.seed):
        del steps[:]
        with ExitStack() as stack:
            list(_observe(stage, block, stack))
        assert steps == [
            ("engine", "up"),
            *(step for e in block.start for step in (("start", e), ("open", e), ("freeze", e))),
            *(step for e in block.start for step in (("thaw", e), ("warm", e), ("freeze", e))),
            *(step for t in block.turns for step in _turn(t.entry)),
            *(step for e in block.start for step in (("close", e), ("stop", e))),
            # The stack's own stops, should the block have ended early; then the engine.
            *(("stop", e) for e in reversed(block.start)),
            ("engine", "down"),
        ]


@pytest.mark.parametrize(
    ("means_ms", "warm_ups", "lengths_ms"),
    [
        ([0.5], 1, (5, 10)),  # slices of 10 ms hold 20 times the latency
        ([600, 0.5], 2, (5, 10)),  # cold at first: warmed up again, its slices stay short
        ([6, 5], 2, (50, 100)),  # slow it is, and no longer warming
        ([600, 300, 100, 20], 4, (200, 400)),  # not for ever
    ],
)
def test_a_cold_server_is_warmed_up_until_it_is_no_faster(
    stage: Stage,
    steps: list[Step],
    monkeypatch: pytest.MonkeyPatch,
    means_ms: Sequence[float],
    warm_ups: int,
    lengths_ms: tuple[int, int],
) -> None:
    monkeypatch.setattr(server, "Engine", WarmingEngine)
    monkeypatch.setattr(WarmingEngine, "means_ms", means_ms, raising=False)
    monkeypatch.setattr(WarmingEngine, "lengths_ms", [], raising=False)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(_observe(stage, block, stack))
    assert {steps.count(("warm", entry)) for entry in block.start} == {warm_ups}
    assert set(WarmingEngine.lengths_ms) == {lengths_ms}
    warming = [(o.entry, o.turn) for o in observed if isinstance(o, Slice) and o.warm_up]
    assert sorted(warming) == sorted((entry, n) for entry in block.start for n in range(warm_ups))


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
