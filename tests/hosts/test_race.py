"""A whole race on hosts that write down what they are asked for: nothing goes past the seam."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest

from deadheat.app import race as racing
from deadheat.build.builder import Builder
from deadheat.hosts import Host, Spec
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.cpus import default_cpus
from deadheat.model.observation import (
    BlockEnded,
    Checked,
    Ended,
    Interference,
    Invocation,
    Observation,
    Slice,
)
from deadheat.model.plan import Plan
from deadheat.plan import Asked
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Kind, Stage
from deadheat.run.progress import NoView
from deadheat.run.runner import Runner
from deadheat.storage import run_folder
from deadheat.studies.drivers import DRIVERS
from deadheat.suite.suite import load
from deadheat.util.interrupt import Stop
from tests.end_to_end.bench import SuiteFolder, hello, twice

from .recording import RecordingHost

#: What a program's start, and a look at other programs and at the machine, cannot be without.
STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec", "os.system", "os.kill"}
LOOKS = ("/proc/", "/sys/")
RACED = Path(RecordingHost.__getattr__.__code__.co_filename)


@dataclass
class Past:
    """What went past the seam, with the functions on the way to it."""

    seen: list[str]
    watching: bool = False

    def audit(self, event: str, given: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event in STARTS or (event == "open" and str(given[0]).startswith(LOOKS)):
            way = list(_way(sys._getframe(1)))
            if not any(file == str(RACED) for file, _ in way):
                self.seen.append(f"{event} {given[0]} by {' < '.join(name for _, name in way[:6])}")


def _way(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_code.co_qualname
        frame = frame.f_back


PAST = Past([])


@cache
def _audit() -> None:
    """For good: a hook cannot be taken away again."""
    sys.addaudithook(PAST.audit)


@contextmanager
def watched() -> Iterator[list[str]]:
    """What goes past the seam in this thread or any other, until the end of the block."""
    _audit()
    PAST.seen.clear()
    PAST.watching = True
    try:
        yield PAST.seen
    finally:
        PAST.watching = False


@pytest.fixture(autouse=True)
def of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))


@dataclass(frozen=True)
class LoadedFrom:
    """A kind whose servers are under load from another host."""

    kind: Kind
    other: Host

    def unavailable(self, stage: Stage) -> str | None:
        return self.kind.unavailable(stage)

    def check(self, stage: Stage, entry: str) -> Check:
        return self.kind.check(stage, entry)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        return self.kind.block(replace(stage, load_from=(self.other,)), block)


def raced(
    folder: SuiteFolder, host: RecordingHost, kinds: Mapping[tuple[str, str], Kind] = DRIVERS
) -> tuple[Plan, list[Observation], list[str]]:
    """The plan of a race, all that was observed in it, and what went past the host meanwhile."""
    suite = load(folder.path)
    cpus = default_cpus(host.cores())
    asked = Asked(
        budget_s=10.0, seed=3, until="the end", server_cpus=cpus.servers, generator_cpus=cpus.generators
    )
    plan = racing.planned(asked, suite)
    kept = run_folder.create(folder.path.parent / "runs", plan, host.machine(0).to_dict())
    seam = cast(Host, host)
    with Stop() as stop, on_cpus(plan.generator_cpus), watched() as past:
        runner = Runner(plan, suite, kept, kinds, seam, NoView(), stop, [], Builder(seam, stop))
        runner.run()
        host.close()
    return plan, runner.observations, list(past)


def test_servers_and_their_load(tmp_path: Path) -> None:
    host = RecordingHost()
    plan, observed, past = raced(hello(tmp_path / "suite", copies=["copy"]), host)
    assert past == []
    blocks = [o.block for o in observed if isinstance(o, BlockEnded)]
    assert len(blocks) >= plan.workloads[0].blocks
    assert host.calls["interference"] == 2 * len(blocks) == 2 * _count(observed, Interference)
    assert sum(one.piped for one in host.started) == len(blocks)
    # Two are checked; three, the reference twice, start in each block.
    assert _count(observed, Checked) == 2
    assert len(host.started) - len(blocks) == 2 + 3 * len(blocks)
    assert host.calls["freeze"] == host.calls["thaw"] + 3 * len(blocks)
    assert host.calls["stop"] >= host.calls["start"] == len(host.started)
    assert host.calls["send"] == host.calls["receive"] > _count(observed, Slice)
    slices = [o for o in observed if isinstance(o, Slice)]
    assert slices and all(o.server_cpu_ns and o.replies for o in slices if not o.warm_up)


def test_servers_on_one_host_and_their_load_from_another(tmp_path: Path) -> None:
    """Nothing of the generator's is on the servers' host, which reads its servers' CPU time itself."""
    servers, load = RecordingHost(), RecordingHost()
    kinds = {**DRIVERS, ("http", "deadheat"): LoadedFrom(DRIVERS["http", "deadheat"], cast(Host, load))}
    _, observed, past = raced(hello(tmp_path / "suite", copies=["copy"]), servers, kinds)
    load.close()
    assert past == []
    assert not any(one.piped for one in servers.started)
    assert [one.argv[1:] for one in load.started] == [("drive",)] * _count(observed, BlockEnded)
    assert {*load.calls} == {"now_ns", "programs", "start", "send", "receive", "stop", "close"}
    slices = [o for o in observed if isinstance(o, Slice) and not o.warm_up]
    assert {o.entry for o in slices} == {"good", "good'", "copy"}
    assert all(o.replies for o in slices)
    # A host that is too busy to read it in time has none for that slice.
    assert sum(o.server_cpu_ns or 0 for o in slices) > 0
    assert all([one.replies for one in o.generators] == [o.replies] for o in slices)
    assert all(o.memory_bytes for o in observed if isinstance(o, Ended))


def test_programs(tmp_path: Path) -> None:
    host = RecordingHost()
    _, observed, past = raced(twice(tmp_path / "suite", ["none"]), host)
    assert past == []
    invocations = _count(observed, Invocation)
    assert invocations and host.calls["start"] > invocations
    assert host.calls["interference"] == 2 * _count(observed, BlockEnded)
    assert not any(one.piped for one in host.started)


def test_what_goes_past_is_seen(tmp_path: Path) -> None:
    """The tests above can fail: what is asked of the machine itself is noticed, and of the host is not."""
    host = RecordingHost()
    spec = Spec(argv=("true",), cwd=tmp_path, env={"PATH": os.environ["PATH"]})
    with watched() as past:
        host.start(spec)
        host.interference({0})
        host.close()
        assert past == []
        Path("/proc/self/stat").read_text()
        host.near.interference({0})
    assert past[0].startswith("open /proc/self/stat by")
    assert any("interference.read" in one or "running" in one for one in past[1:])


def _count(observed: list[Observation], of: type) -> int:
    return sum(isinstance(o, of) for o in observed)
