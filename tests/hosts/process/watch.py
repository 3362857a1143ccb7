"""Running programs and looking at what they do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

_PRELUDE = r"""
import os, sys, signal, time
def say(*words):
    os.write(1, (' '.join(map(str, words)) + '\n').encode())
"""

#: Long enough for a loaded machine. No test waits for it unless it fails.
PATIENCE_S = 60.0


def python(source: str) -> tuple[str, ...]:
    """A command line that runs `source`. `say` writes a line that a test can wait for."""
    return (sys.executable, "-S", "-E", "-c", _PRELUDE + source)


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.005)


def said(path: Path, lines: int = 1) -> list[str]:
    """Waits until so many whole lines are there."""
    eventually(
        lambda: path.exists() and path.read_text().count("\n") >= lines, f"{lines} lines in {path.name}"
    )
    return path.read_text().splitlines()


def alive(pid: int) -> bool:
    """Whether it can still do anything: a zombie cannot."""
    return state(pid) not in {"", "Z", "X"}


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""
