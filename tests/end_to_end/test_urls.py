"""Servers that run already: raced where they are, and left as they were."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deadheat.hosts.ports import Ports

from .bench import HABITS, PATIENCE_S, Deadheat

BUDGET = ("--budget", "8s", "--seed", "7", "--connections", "4")


@pytest.fixture
def deadheat(home: Path) -> Deadheat:
    """With no suite anywhere."""
    return Deadheat(home, home / "no-suite")


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[[], tuple[str, subprocess.Popen[bytes]]]]:
    """Starts a server and gives its URL."""
    with ExitStack() as stack:

        def start() -> tuple[str, subprocess.Popen[bytes]]:
            port = Ports().take()
            folder = tmp_path / str(port)
            folder.mkdir()
            argv = [sys.executable, "-S", "-E", str(HABITS / "server.py"), str(port)]
            process = stack.enter_context(subprocess.Popen(argv, cwd=folder))
            stack.callback(process.kill)
            deadline = time.monotonic() + PATIENCE_S
            while not _listens(port):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            return f"http://127.0.0.1:{port}", process

        yield start


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("freeze", [(), ("--freeze",)])
def test_two_that_run_already(
    deadheat: Deadheat, serving: Callable[[], tuple[str, subprocess.Popen[bytes]]], freeze: tuple[str, ...]
) -> None:
    (main, one), (branch, other) = serving(), serving()
    lines = ("--url", main, "--url", branch, "-n", "main", "-n", "branch", "--path", "/users")
    ended = deadheat.run("race", *lines, *freeze, *BUDGET)
    assert ended.code in (0, 4), ended
    for name in ("main", "branch"):
        row = deadheat.row(name)
        assert row["status"] == "measured", ended
        assert row["cpu_us_per_request"]["estimate"] > 0 and row["peak_memory_bytes"] > 0
        assert row["first_response_ms"] is None
    notes = [one["text"] for one in deadheat.results()["workloads"][0]["findings"] if "text" in one]
    assert any("branch, main ran already, and were neither started nor ended" in note for note in notes)
    assert any("idle but running" in note for note in notes) == (not freeze)
    assert "leaves the race" not in ended.err, ended
    assert one.poll() is other.poll() is None


def test_nobody_listens(
    deadheat: Deadheat, serving: Callable[[], tuple[str, subprocess.Popen[bytes]]]
) -> None:
    url, _ = serving()
    nobody = f"http://localhost:{Ports().take()}"
    ended = deadheat.run("race", "--url", url, "--url", nobody)
    assert ended.code == 3, ended
    assert f"{nobody}: nothing listens on port" in ended.error
    assert not deadheat.runs.exists() or not list(deadheat.runs.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", "http://127.0.0.1:3000"), "a race takes two"),
        (("--url", "http://127.0.0.1:1", "--url", "http://localhost:1"), "two --url are one server"),
        (("--url", "http://10.0.0.1:1", "--url", "http://127.0.0.1:2"), "no server of this machine"),
        (("--url", "ftp://127.0.0.1:1", "--url", "http://127.0.0.1:2"), "no URL of a server"),
        (("--url", "127.0.0.1:1", "--url", "http://127.0.0.1:2"), "no URL of a server"),
        (("--url", "http://127.0.0.1:1/a", "--url", "http://127.0.0.1:2"), "--url names a server alone"),
        (("--url", "http://127.0.0.1:1", "--command", "true"), "servers that run already race each other"),
        (("--command", "true", "--command", "true", "--freeze"), "--freeze is for servers of --url"),
    ],
)
def test_what_cannot_be_raced_is_one_line(deadheat: Deadheat, words: tuple[str, ...], said: str) -> None:
    ended = deadheat.run("race", *words)
    assert ended.code == 2, ended
    assert said in ended.error
