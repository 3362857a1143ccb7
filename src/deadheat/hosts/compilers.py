"""Compilers of servers: threads that translate hot code while it runs, let onto other CPUs for a while.

On a server's own core such a thread gets its share beside all others, and until it is done the server stands
at the level of code that is not translated yet: docs/method.md has the curves.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection

from deadheat.hosts.tree import PROC

# HotSpot's, by as much of their names as Linux keeps.
NAMES = frozenset({"C1 CompilerThre", "C2 CompilerThre"})


def bind(pids: Collection[int], cpus: Collection[int]) -> int:
    """All of these processes' compilers run on these CPUs from here on; how many there are. One that has
    ended meanwhile is none, nor is one whose container has other CPUs, or that is not ours to move."""
    found = 0
    for pid in pids:
        for comm in PROC.glob(f"{pid}/task/*/comm"):
            with contextlib.suppress(OSError):
                if comm.read_text().rstrip("\n") in NAMES:
                    os.sched_setaffinity(int(comm.parent.name), cpus)
                    found += 1
    return found
