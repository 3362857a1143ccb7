"""A race that is shown while it runs: the same race, and nothing left behind."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from .bench import Deadheat, eventually, twice


def test_the_address_is_told_and_the_race_is_the_same(tmp_path: Path) -> None:
    deadheat = Deadheat(tmp_path / "home", twice(tmp_path / "suite").path)
    ended = deadheat.run("race", "--budget", "3s", "--seed", "7", "--live")
    assert ended.code in (0, 4), ended.err
    assert re.search(r"live: http://127\.0\.0\.1:\d+/[\w-]{20,}/$", ended.err, re.MULTILINE)
    assert (deadheat.runs / "latest" / "report.html").exists()
    assert (deadheat.runs / "latest" / "live.log").read_text() == ""
    eventually(lambda: not _shows(deadheat), "the page's process has ended")


def test_a_port_in_use_ends_it_before_anything_is_built(tmp_path: Path) -> None:
    deadheat = Deadheat(tmp_path / "home", twice(tmp_path / "suite").path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = deadheat.run("race", "--live-port", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert "the live page cannot use port" in ended.error
    assert not deadheat.runs.exists()


def _shows(deadheat: Deadheat) -> bool:
    """Whether a process of the live page has the run's log open."""
    log = (deadheat.runs / "latest").resolve() / "live.log"
    for fd in Path("/proc").glob("[0-9]*/fd/1"):
        try:
            if fd.readlink() == log:
                return True
        except OSError:
            continue
    return False
