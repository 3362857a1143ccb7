"""A runner whose kind plays made-up observations: no process, no server, no time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from pathlib import Path
from typing import Any

from deadheat.build.built import Build
from deadheat.hosts import interference
from deadheat.model.contender import Contender
from deadheat.model.observation import BlockEnded, BlockStarted, Built, Interference, Observation
from deadheat.model.plan import Plan, RacePlan
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Stage
from deadheat.run.progress import NoView, View
from deadheat.run.runner import Runner
from deadheat.storage.journal import read
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import Suite, load
from deadheat.util.interrupt import Stop

from .observed import observations, race, suite


class Playing:
    """A kind whose blocks are made up, each entry's as fast as `speeds` says; `raced`: who was in each."""

    def __init__(self, noise: float = 0.6, speeds: dict[str, float] | None = None) -> None:
        self.noise, self.speeds = noise, speeds
        self.raced: list[tuple[str, ...]] = []

    def unavailable(self, stage: Stage) -> str | None:
        return None

    def check(self, stage: Stage, entry: str) -> Check:
        return Check(True, 12, None, None)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        self.raced.append(block.start)
        changed = self.changed(stage)
        for o in observations(race(block.index + 1), self.speeds, noise=self.noise, changed=changed):
            inner = not isinstance(o, BlockStarted | BlockEnded | Interference)
            there = getattr(o, "entry", None) in block.start
            if inner and there and getattr(o, "block", None) == block.index:
                yield o

    def changed(self, stage: Stage) -> dict[str, dict[str, Any]]:
        """What the slices of an entry say instead."""
        return {}


class Ready:
    """Everything is built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, contender: Contender, _say: object) -> Build:
        made = Built(workload="echo", contender=contender.id, status="ready", key="1")
        folder = self.folder / "builds" / contender.id / contender.name
        folder.mkdir(parents=True, exist_ok=True)
        return Build(contender, folder, made)


class Idle:
    """A host on which nothing of ours has used any CPU."""

    def interference(self, cpus: Collection[int]) -> interference.Reading:
        return interference.read(cpus)


def suite_in(tmp_path: Path) -> Suite:
    """The suite of these runs, written once."""
    folder = tmp_path / "suite"
    return load(folder) if folder.exists() else suite(folder)


def run(
    tmp_path: Path,
    plan: Plan,
    kind: Playing,
    seen: Collection[Observation] = (),
    view: View | None = None,
    begins: Callable[[RacePlan], None] = lambda _race: None,
    more: Mapping[str, int] | None = None,
    builder: Ready | None = None,
) -> list[Observation]:
    """A whole run of a plan with this kind, as a journal has it."""
    folder = RunFolder(tmp_path / "run")
    folder.logs.mkdir(parents=True, exist_ok=True)
    with Stop() as stop:
        runner = Runner(
            plan,
            suite_in(tmp_path),
            folder,
            {("http", "deadheat"): kind},
            Idle(),  # type: ignore[arg-type]
            view or NoView(),
            stop,
            list(seen),
            builder or Ready(tmp_path),  # type: ignore[arg-type]
            begins=begins,
            more=more or {},
        )
        runner.run()
    return read(folder.journal)[0]
