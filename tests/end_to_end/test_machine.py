"""What the machine does not give: two cores, a free port, or itself for us alone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import deadheat.hosts.ports
from deadheat.app import race as races
from deadheat.errors import UserError
from deadheat.plan import Asked
from deadheat.run.progress import NoView
from deadheat.suite.suite import load

from .bench import Deadheat, all_gone, hello, twice


def test_one_core_only(home: Path, tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    deadheat = Deadheat(home, hello(tmp_path / "suite", copies=["copy"]).path, cpus=frozenset([core]))
    ended = deadheat.run("race", "--budget", "2s")
    assert ended.code in (0, 4), ended
    assert deadheat.row("good")["status"] == deadheat.row("copy")["status"] == "measured"
    assert f"share CPU {core}" in ended.err
    assert "nearer to 1" in ended.err


def test_a_cpu_that_is_not_ours(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, hello(tmp_path / "suite").path)
    ended = deadheat.run("race", "--server-cpus", "4096")
    assert ended.code == 2
    assert "CPU 4096 is not there or not ours" in ended.error
    assert "this process may use" in ended.error


def test_no_free_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(deadheat.hosts.ports.Ports, "_candidates", lambda _: [])
    suite = load(hello(tmp_path / "suite").path)
    with pytest.raises(UserError, match="no free TCP port") as caught:
        races.start(Asked(server_cpus=_all(), generator_cpus=_all()), suite, tmp_path / "runs", NoView())
    assert caught.value.hint
    assert caught.value.code in (2, 3)


def test_one_race_at_a_time(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, hello(tmp_path / "suite").path)
    with deadheat.start("race", "--budget", "100s") as first:
        first.until_journal(lambda j: any(o["type"] == "slice" for o in j), "the first is under way")
        for verb in ("race", "build", "check"):
            ended = deadheat.run(verb)
            assert ended.code == 2
            run = (deadheat.runs / "latest").readlink().name
            assert re.search(rf"a race is on already: {run}, pid {first.pid}, since 20\d\d-", ended.error)
        assert len(list(deadheat.runs.glob("*/plan.json"))) == 2  # the first run, and latest, which is it
        started = first.kill()
    all_gone(started)
    # What the dead one wrote into the lock is still there, and holds nobody up.
    assert f"pid {first.pid}" in deadheat.lock.read_text()
    assert deadheat.run("build").code == 0


def test_a_budget_that_is_too_short(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, twice(tmp_path / "suite").path)
    ended = deadheat.run("race", "--budget", "100ms")
    assert ended.code == 2
    assert "too short for one block of twice" in ended.error
    assert not deadheat.runs.exists()


def _all() -> tuple[int, ...]:
    return tuple(os.sched_getaffinity(0))
