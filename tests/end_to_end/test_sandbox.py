"""`--sandbox`: what a contender cannot do within, tried for real where bubblewrap is."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deadheat.hosts import sandbox

from .bench import HABITS, SERVE, Deadheat, hello


def why_none() -> str | None:
    """Why there is no sandbox here."""
    try:
        tried = subprocess.run(sandbox.words(sandbox.Walls(()), ["true"]), capture_output=True, check=False)
    except FileNotFoundError:
        return "bubblewrap is not here (Debian: apt-get install bubblewrap)"
    return None if tried.returncode == 0 else f"bubblewrap may not: {tried.stderr.decode().strip()}"


sandboxed = pytest.mark.skipif(bool(why_none()), reason=why_none() or "")


@pytest.fixture
def outside() -> Iterator[int]:
    """Somebody who listens, and whom nobody within reaches."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


@pytest.fixture
def kept() -> Iterator[Path]:
    """A folder that is none for temporary files of the sandbox's own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def probe(outside: int, kept: Path) -> str:
    words = [sys.executable, "-S", "-E", str(HABITS / "walled.py"), str(kept), str(outside)]
    return shlex.join([*words, str(os.getpid())])


@pytest.fixture
def deadheat(home: Path) -> Deadheat:
    return Deadheat(home, home / "no-suite")


def test_without_one_a_contender_has_the_users_rights(deadheat: Deadheat, probe: str) -> None:
    ended = deadheat.run("race", "--program", probe, "--program", probe, "--budget", "1s")
    assert ended.code == 3
    assert "could write, reach the network, signal" in ended.error


@sandboxed
def test_walls_hold_in_a_race(deadheat: Deadheat, probe: str, kept: Path) -> None:
    lines = ("--program", probe, "--program", probe)
    ended = deadheat.run("race", "--sandbox", *lines, "--budget", "8s", "--seed", "7")
    assert ended.code in (0, 4), ended
    assert "sandbox (bwrap): no network but loopback; only runs and builds can be written" in ended.err
    [race] = deadheat.results()["workloads"]
    assert {row["status"] for row in race["contenders"]} == {"measured"}
    assert not list(kept.iterdir())


@sandboxed
def test_a_build_has_a_network_and_a_home_of_its_own(
    home: Path, probe: str, kept: Path, tmp_path: Path
) -> None:
    suite = hello(tmp_path / "suite")
    suite.contender("hello", "built", SERVE, build=f"touch ~/cached && ! {probe} > said", artifact="said")
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("build", "--sandbox", "built")
    assert ended.code == 0, ended
    assert "sandbox (bwrap): the network is there" in ended.err
    [said] = (home / "cache" / "builds" / "built").glob("*/built/said")
    assert said.read_text() == "could reach the network\n"
    assert (home / "cache" / sandbox.HOME / "cached").exists()
    assert not list(kept.iterdir())
    # A race has no network; what is built already is taken.
    ended = deadheat.run("check", "--sandbox", "good", "built")
    assert ended.code == 0, ended
    assert ended.out.count("right ") == 2


@sandboxed
def test_its_exit_code_is_that_of_the_verb_within(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", "--sandbox", "--program", "true")
    assert ended.code == 2
    assert "a race takes two" in ended.error


@pytest.mark.parametrize(
    "words", [("--url", "http://127.0.0.1:1", "--url", "http://127.0.0.1:2"), ("--live",), ("--db", "x")]
)
def test_what_leads_out_of_it_is_refused(deadheat: Deadheat, words: tuple[str, ...]) -> None:
    ended = deadheat.run("race", "--sandbox", *words)
    assert ended.code == 2
    assert f"--sandbox has no network but its own loopback, and so no {words[0]}" in ended.error


def test_where_there_is_no_bubblewrap(deadheat: Deadheat, tmp_path: Path) -> None:
    deadheat.env["PATH"] = str(tmp_path)
    for verb in ("race", "build", "check"):
        ended = deadheat.run(verb, "--sandbox")
        assert ended.code == 2, ended
        assert "no sandbox: bwrap is not here" in ended.error
        assert "apt-get install bubblewrap" in ended.error


def test_where_systemd_runs_all_have_a_limit_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / sandbox.SYSTEMD_RUN
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sandbox, "SYSTEMD", tmp_path)
    assert sandbox.scope()[0] == "systemd-run"
    assert f"TasksMax={sandbox.PROCESSES}" in sandbox.scope()
    assert "tasks in all" in sandbox.said(network=False)
    monkeypatch.setattr(sandbox, "SYSTEMD", tmp_path / "none")
    assert sandbox.scope() == []
    assert "the network is there" in sandbox.said(network=True)
