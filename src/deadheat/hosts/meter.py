"""CPU time and memory of a process tree, as the launcher reads them (docs/launcher-protocol.md).

Times are nanoseconds, moments are on CLOCK_MONOTONIC (`time.monotonic_ns()` is the same clock).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CpuTime:
    """CPU time of a tree.

    The sum is exact for a program that has exited and for a frozen tree; a thread that runs while it is
    read counts up to its last scheduler tick. The split follows the kernel's ticks.
    """

    user_ns: int
    system_ns: int

    @property
    def total_ns(self) -> int:
        return self.user_ns + self.system_ns

    def __sub__(self, earlier: CpuTime) -> CpuTime:
        return CpuTime(self.user_ns - earlier.user_ns, self.system_ns - earlier.system_ns)


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a living tree in bytes; None where the system does not report it.

    `proportional` counts a page shared by n processes as 1/n in each (PSS); `private` counts only
    pages of no other process; `peak` sums the resident high-water mark (VmHWM) of each living process,
    so with several processes it is an upper bound: pages they share count in each.
    """

    proportional_bytes: int | None
    private_bytes: int | None
    peak_bytes: int | None


@dataclass(frozen=True, slots=True)
class Usage:
    """One reading of a living tree. `memory` is None where it was not asked for."""

    at_ns: int
    pids: tuple[int, ...]
    threads: int
    cpu: CpuTime
    runqueue_wait_ns: int | None
    memory: Memory | None

    @classmethod
    def from_event(cls, event: Mapping[str, Any], *, memory: bool) -> Usage:
        """From the launcher's `usage` event."""
        return cls(
            at_ns=event["at_ns"],
            pids=tuple(event["pids"]),
            threads=event["threads"],
            cpu=CpuTime(event["user_ns"], event["system_ns"]),
            runqueue_wait_ns=event["runqueue_wait_ns"],
            memory=Memory(event["memory_bytes"], event["private_bytes"], event["peak_memory_bytes"])
            if memory
            else None,
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """What a tree used between two readings."""

    wall_ns: int
    cpu: CpuTime
    runqueue_wait_ns: int | None

    @property
    def cores(self) -> float:
        """CPU time over wall time: 1.0 is one core, fully used. NaN over no time."""
        return self.cpu.total_ns / self.wall_ns if self.wall_ns else float("nan")


def between(before: Usage, after: Usage) -> Spent:
    """What the tree used from `before` to `after`, its members that have died meanwhile included."""
    waits = (before.runqueue_wait_ns, after.runqueue_wait_ns)
    return Spent(
        wall_ns=after.at_ns - before.at_ns,
        cpu=after.cpu - before.cpu,
        # A thread takes its waiting time with it when it ends: a negative difference says nothing.
        runqueue_wait_ns=max(0, waits[1] - waits[0])
        if waits[0] is not None and waits[1] is not None
        else None,
    )


def process_cpu_ns(pid: int) -> int:
    """CPU time of one process, its ended threads included, from its CPU clock.

    Threads that are running this instant count up to the last scheduler tick (1 to 10 ms); a frozen
    process is read exactly. Raises ProcessLookupError if there is no such process.
    Source: the clock id is `MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED)` of the kernel's posix-timers.
    """
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError as error:
        raise ProcessLookupError(f"no process {pid}") from error
