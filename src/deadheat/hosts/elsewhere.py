"""A server that runs already where nobody here can look: it is asked, and nothing else."""

from __future__ import annotations

import threading
import time

from deadheat.hosts.meter import CpuTime, Usage
from deadheat.hosts.program import Exit, Spec, Why


class Elsewhere:
    """As `Process`, for whoever drives a race: never frozen, never metered, never ended."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.started_ns = time.monotonic_ns()
        self.exit: Exit | None = None

    def freeze(self) -> int:
        """It runs on."""
        return time.monotonic_ns()

    def thaw(self) -> int:
        """It runs anyway."""
        return time.monotonic_ns()

    def usage(self, *, memory: bool = True) -> Usage:
        """No process that could be read, so no memory, and CPU time that means nothing."""
        return Usage(
            at_ns=time.monotonic_ns(),
            pids=(),
            threads=0,
            cpu=CpuTime(0, 0),
            runqueue_wait_ns=None,
            memory=None,
        )

    def stop(self, grace_s: float = 0.0) -> Exit:
        """We part, and it goes on."""
        if self.exit is None:
            self.exit = Exit.unseen(self.started_ns, Why.STOPPED)
        return self.exit

    def wait(self, timeout_s: float | None = None) -> Exit:
        """Raises TimeoutError: its end cannot be seen."""
        if self.exit is None:
            threading.Event().wait(timeout_s)
            raise TimeoutError(f"{self.spec.argv[0]} runs elsewhere")
        return self.exit

    def poll(self) -> Exit | None:
        """None until we part."""
        return self.exit

    def close(self) -> None:
        """It goes on without us."""

    def output_tail(self, lines: int = 20) -> str:
        """What it prints is not ours to read."""
        return ""
