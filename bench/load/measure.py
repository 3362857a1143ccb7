"""Runs programs on a core of their own and reads what CPU time they took."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVER_CPU = 0
GENERATOR_CPU = 1
LOAD = Path(__file__).parents[2] / "target" / "release" / "deadheat-load"


@dataclass(frozen=True)
class Cost:
    """What one run of a program took and printed."""

    cpu_s: float
    wall_s: float
    stdout: str


def run(argv: Sequence[str], cpu: int = GENERATOR_CPU) -> Cost:
    """Runs `argv` on one core; CPU time is the kernel's own figure for just this child.

    Raises RuntimeError with the program's stderr if it fails.
    """
    started = time.monotonic()
    with subprocess.Popen(
        ["taskset", "-c", str(cpu), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        # Read to the end before waiting, as wait4 alone gives this child's usage.
        stdout, stderr = child.stdout.read(), child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {stderr.strip() or child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, stdout)


@contextlib.contextmanager
def server(*options: str, kind: str = "http") -> Iterator[str]:
    """`deadheat-load serve` on the server's core; gives its `host:port`."""
    argv = [str(LOAD), "serve", kind, "--port", "0", *options]
    pinned = ["taskset", "-c", str(SERVER_CPU), *argv]
    with subprocess.Popen(pinned, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stderr is not None
            line = child.stderr.readline()
            yield line.strip().removeprefix("listening on ")
        finally:
            child.terminate()
