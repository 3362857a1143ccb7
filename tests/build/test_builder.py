"""Builds are made once for each state of their sources, whoever asks for them at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.hosts.local import LocalHost
from deadheat.model.contender import Contender, ContenderFile, resolve
from deadheat.util.interrupt import InterruptedRunError, Stop

TOGETHER = 3


def planted(folder: Path, build: str | None) -> Contender:
    """A contender that is built by this line of a shell."""
    sources = folder / "workload" / "good"
    sources.mkdir(parents=True)
    keys = {"title": "Good", "language": "Shell", "class": "idiomatic", "build": build, "run": "true"}
    return resolve("workload", sources, ContenderFile.model_validate(keys))[0]


@pytest.mark.parametrize("built", [True, False], ids=["built", "copied"])
def test_who_comes_while_it_is_built_waits_and_takes_it(built: bool, tmp_path: Path) -> None:
    count = tmp_path / "count"
    made = planted(tmp_path, f"echo built >> {count}; sleep 0.1" if built else None)
    together = threading.Barrier(TOGETHER)

    def build(_: int) -> Build:
        with LocalHost() as host:
            together.wait()
            return Builder(host, Stop(), tmp_path / "cache").build(made)

    with ThreadPoolExecutor(TOGETHER) as pool:
        builds = list(pool.map(build, range(TOGETHER)))
    assert {build.record.status for build in builds} == {"ready"}
    assert len({build.folder for build in builds}) == 1
    if built:
        assert count.read_text() == "built\n"
        assert [build.record.cached for build in builds].count(False) == 1


def test_who_waits_for_a_build_can_be_stopped(tmp_path: Path) -> None:
    begun, finish = tmp_path / "begun", tmp_path / "finish"
    made = planted(tmp_path, f"touch {begun}; until [ -e {finish} ]; do sleep 0.01; done")
    stop = Stop()
    with LocalHost() as host, LocalHost() as other, ThreadPoolExecutor(2) as pool:
        first = pool.submit(Builder(host, Stop(), tmp_path / "cache").build, made)
        while not begun.exists():
            assert not first.done(), first.result()
        second = pool.submit(Builder(other, stop, tmp_path / "cache").build, made)
        stop.requested = True
        with pytest.raises(InterruptedRunError):
            second.result()
        finish.touch()
        assert first.result().record.status == "ready"


def test_a_long_build_says_its_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends only when it has been heard of, so no clock decides."""
    monkeypatch.setattr("deadheat.build.builder.SAY_AFTER_S", 0.01)
    heard, said = tmp_path / "heard", []
    made = planted(tmp_path, f"echo one; echo compiling two; until [ -e {heard} ]; do sleep 0.01; done")

    def say(what: str) -> None:
        said.append(what)
        if what.endswith("s: compiling two"):
            heard.touch()

    with LocalHost() as host:
        built = Builder(host, Stop(), tmp_path / "cache").build(made, say)
    assert built.record.status == "ready"
    assert said[0] == "building"
    assert said[-1].startswith("building for ")
