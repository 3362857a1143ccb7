"""The referee's own helpers are killed in the midst of a race (out of memory, an administrator)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from .bench import Deadheat, Kin, Running, all_gone, hello, kin


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    return Deadheat(home, hello(tmp_path / "suite", copies=["copy"]).path)


def _under_load(race: Running) -> list[Kin]:
    race.until_journal(lambda j: sum(o["type"] == "slice" for o in j) >= 4, "servers are under load")
    return kin(race.pid)


def test_a_launcher_dies_and_its_contender_leaves_the_race(deadheat: Deadheat) -> None:
    with deadheat.start("race", "--budget", "20s") as race:
        started = _under_load(race)
        launcher = next(process for process in started if process.name.endswith("deadheat-launch"))
        os.kill(launcher.pid, signal.SIGKILL)
        race.until_journal(lambda j: any(o["type"] == "failed" for o in j), "it has left")
        race.signal(signal.SIGINT)
        ended = race.end()
    all_gone(started)
    assert ended.code == 130
    assert "Traceback" not in ended.err
    assert "leaves the race" in ended.err
    failed = [line for line in deadheat.journal() if line["type"] == "failed"]
    assert len(failed) == 1
    assert "had to be killed" in failed[0]["reason"]


def test_the_engine_dies_and_the_race_can_be_resumed(deadheat: Deadheat) -> None:
    with deadheat.start("race", "--budget", "20s") as race:
        started = _under_load(race)
        engine = next(process for process in started if "deadheat-load" in process.name)
        os.kill(engine.pid, signal.SIGKILL)
        ended = race.end()
    all_gone(started)
    assert ended.code == 3
    assert "Traceback" not in ended.err
    assert "deadheat-load ended with -9; its log is " in ended.error
    with deadheat.start("race", "--resume", "latest") as race:
        race.until_journal(lambda j: any(o["type"] == "block-ended" for o in j), "it goes on")
        all_gone(race.kill())
