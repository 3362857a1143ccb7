"""Compilers of servers: threads that translate hot code while it runs, let onto other CPUs for a while.

On a server's own core such a thread gets its share beside all others, and until it is done the server stands
at the level of code that is not translated yet: docs/method.md has the curves.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from deadheat.hosts.tree import PROC

# HotSpot's, by as much of their names as Linux keeps.
NAMES = frozenset({"C1 CompilerThre", "C2 CompilerThre"})


@dataclass(frozen=True, slots=True)
class Compilers:
    """So many threads, and the CPU time (ns) that those which live have used so far."""

    threads: int = 0
    cpu_ns: int = 0


def bind(pids: Collection[int], cpus: Collection[int]) -> Compilers:
    """All of these processes' compilers run on these CPUs from here on. One that has ended meanwhile is none,
    nor is one whose container has other CPUs, or that is not ours to move."""
    threads = cpu_ns = 0
    for pid in pids:
        for comm in PROC.glob(f"{pid}/task/*/comm"):
            with contextlib.suppress(OSError):
                if comm.read_text().rstrip("\n") in NAMES:
                    os.sched_setaffinity(int(comm.parent.name), cpus)
                    cpu_ns += _spent_ns(comm.parent)
                    threads += 1
    return Compilers(threads, cpu_ns)


def _spent_ns(task: Path) -> int:
    """CPU time of a thread so far (proc_pid_schedstat(5)); 0 where the kernel does not tell."""
    schedstat = task / "schedstat"
    return int(schedstat.read_text().split()[0]) if schedstat.exists() else 0
