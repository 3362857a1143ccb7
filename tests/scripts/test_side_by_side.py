"""Commands side by side: what each said is seen, a failure is one, and Ctrl-C ends them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "side_by_side.py"


def start(logs: Path, *parts: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, SCRIPT, logs, *parts], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, _ = process.communicate(timeout=120)
    return process.returncode, out


def test_a_part_that_fails_is_shown_whole_and_the_others_end(tmp_path: Path) -> None:
    dots = "......... [ 50%]"
    good = f"sh -c 'echo \"{dots}\"; echo 3 passed'"
    bad = f"sh -c 'echo \"{dots}\"; exit 3'"
    code, out = end(start(tmp_path, f"good={good}", f"bad={bad}"))
    assert code == 1
    assert "== good: passed in" in out
    assert "  3 passed" in out
    assert "== bad: FAILED in" in out
    assert "failed: bad" in out
    # Progress is shown of the one that failed only.
    assert out.count(dots) == 1
    assert (tmp_path / "good.log").read_text() == f"{dots}\n3 passed\n"


def test_all_that_pass_pass(tmp_path: Path) -> None:
    code, out = end(start(tmp_path, "one=true", "another one=true"))
    assert code == 0
    assert "all passed" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_every_part_and_what_it_started(number: signal.Signals, tmp_path: Path) -> None:
    fifo = tmp_path / "lives"
    os.mkfifo(fifo)
    # The shell and its child hold the pipe open for as long as they live.
    part = f"sh -c 'exec 3> {fifo}; sleep 600 & echo up >&3; wait'"
    process = start(tmp_path, f"one={part}")
    with fifo.open() as lives:
        assert lives.readline() == "up\n"
        process.send_signal(number)
        code, out = end(process)
        assert lives.read() == "", "the end: nobody holds it any more"
    assert code == 130
    assert "stopped: one" in out
