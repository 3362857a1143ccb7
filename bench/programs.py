"""Programs that a measurement runs, races above all: stopped with it, with the time to end what they began"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


def ended(argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None,
          stdout: IO[str] | None = None, timeout_s: float | None = None) -> int:  # fmt: skip
    """A program's exit code. It is told to stop when we are, with all that it runs, as at a terminal, and has
    the time that it needs to end what it has begun: subprocess.run kills it a quarter of a second after
    Ctrl-C. Raises KeyboardInterrupt then, when it has; TimeoutExpired of one that took too long."""
    told = []
    with subprocess.Popen(argv, process_group=0, env=env, cwd=cwd, stdout=stdout) as program:

        def tell(number: int, _frame: object) -> None:
            told.append(number)
            os.killpg(program.pid, number)

        before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            code = program.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGTERM)
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    if told:
        raise KeyboardInterrupt
    return code
