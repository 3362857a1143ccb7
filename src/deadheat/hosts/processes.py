"""Every process of this machine, who its parent is, and the CPU time that it has used: /proc/PID/stat."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat behind the name, from 0 (proc_pid_stat(5) counts the state as 3).
_PARENT, _SPENT, _STARTED = 1, slice(11, 15), 19


@dataclass(frozen=True, slots=True)
class Process:
    """`spent_ns` is its own CPU time and that of the children it has waited for; `started` is in ticks."""

    pid: int
    parent: int
    name: str
    started: int
    spent_ns: int


Processes = Mapping[int, Process]


def running(root: Path) -> dict[int, Process]:
    """All that run now, by pid. Some 40 microseconds of CPU each: not within a measurement."""
    try:
        folders = [folder for folder in (root / "proc").iterdir() if folder.name.isdigit()]
    except OSError:
        return {}
    return {process.pid: process for process in map(_read, folders) if process is not None}


def tree(processes: Processes, pid: int) -> set[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    members, left = set(), [pid]
    while left:
        members.add(member := left.pop())
        left += children.get(member, [])
    return members


def spent_ns(before: Processes, after: Processes, ours: Collection[int]) -> dict[int, int]:
    """CPU time that each process but `ours` used from one reading to the other, by pid.

    What ended meanwhile is in the time of whoever waited for it, from which what it had used before the
    first reading is taken off again.
    """
    used = {
        pid: process.spent_ns - (before[pid].spent_ns if _same(before.get(pid), process) else 0)
        for pid, process in after.items()
        if pid not in ours
    }
    for pid, ended in before.items():
        if _same(after.get(pid), ended) or pid in ours:
            continue
        waited = before.get(ended.parent)
        while waited is not None and not _same(after.get(waited.pid), waited):
            waited = before.get(waited.parent)
        if waited is not None and waited.pid in used:
            used[waited.pid] -= ended.spent_ns
    return used


def _same(one: Process | None, other: Process) -> bool:
    return one is not None and one.started == other.started


def _read(folder: Path) -> Process | None:
    """None where it has ended, or cannot be understood."""
    try:
        text = (folder / "stat").read_bytes()
    except OSError:
        return None
    # The name may hold anything, blanks and brackets too: it ends with the last bracket.
    head, _, behind = text.rpartition(b") ")
    fields = behind.split()
    if len(fields) <= _STARTED:
        return None
    return Process(
        pid=int(folder.name),
        parent=int(fields[_PARENT]),
        name=head.partition(b"(")[2].decode(errors="replace"),
        started=int(fields[_STARTED]),
        spent_ns=sum(map(int, fields[_SPENT])) * TICK_NS,
    )
