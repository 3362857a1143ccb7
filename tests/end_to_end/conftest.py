"""One race that went well, for all tests that only look at what it left; and a block on a host that only
writes down."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.build.built import Build
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import Built
from deadheat.model.plan import Entry, Plan, RacePlan
from deadheat.model.suite_facts import SuiteFacts
from deadheat.run import kind
from deadheat.run.kind import Stage
from deadheat.run.progress import NoView
from deadheat.suite.suite import load
from deadheat.util.interrupt import Stop
from tests.made.written_down import FakeEngine, FakeHost, Step

from .bench import Deadheat, Ended, hello, twice


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Deadheat, Ended]:
    """Two equal programs, raced: three entries, six blocks of one round."""
    home = tmp_path_factory.mktemp("finished")
    suite = twice(home / "suite", ["none"])
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "14s", "--seed", "7")
    assert ended.code in (0, 4), ended
    return deadheat, ended


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


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
