"""A process and its descendants by way of /proc: found, frozen and metered without a launcher."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from deadheat.hosts.meter import CpuTime, Memory, Usage, process_cpu_ns
from deadheat.hosts.processes import TICK_NS

PROC = Path("/proc")
# A signal reaches a process in microseconds, on a busy machine in milliseconds.
SETTLES_S, POLL_S = 5.0, 0.001
# Who has ended, and was not waited for yet, runs no more either.
_ENDED = frozenset("ZX")
_AT_REST = _ENDED | frozenset("Tt")
# Fields of /proc/PID/stat behind the name, from 0; what children have used is of those that were waited for.
_STATE, PARENT, _WAITED_FOR, STARTED = 0, 1, slice(13, 15), 19


def tree_of(pid: int) -> list[int]:
    """A process and its descendants that live."""
    members, left = list[int](), [pid]
    while left:
        members.append(member := left.pop())
        for task in _entries(PROC / str(member) / "task"):
            with contextlib.suppress(OSError, ValueError):
                left += [int(child) for child in (task / "children").read_text().split()]
    return members


def freeze(pid: int) -> None:
    """Stop all of it, however often it forks meanwhile, until two looks in a row find the same processes, all
    of them stopped or ended: a first one may have missed whom one of them started before it stopped. After
    some seconds, whatever there is. Raises PermissionError where nobody of us may stop it."""
    deadline = time.monotonic() + SETTLES_S
    all_stopped: list[int] | None = None
    while time.monotonic() <= deadline:  # what it uses behind that is on record
        members = tree_of(pid)
        found = members if all(_is_at_rest(member) for member in members) else None
        if found is not None and found == all_stopped:
            return
        if found is None:
            send(pid, signal.SIGSTOP)
            time.sleep(POLL_S)
        all_stopped = found


def send(pid: int, number: signal.Signals) -> None:
    """A signal to each of it that is there."""
    for member in tree_of(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, number)


def usage(pid: int, *, memory: bool) -> Usage:
    """CPU time, how long threads that live waited for a CPU, and memory if asked, of what lives of it."""
    return usage_of(tree_of(pid), memory=memory)


def usage_of(pids: Collection[int], *, memory: bool) -> Usage:
    """The same of these processes."""
    spent = waited_for = threads = 0
    waits: list[int] = []
    for member in pids:
        with contextlib.suppress(OSError, ValueError):
            spent += process_cpu_ns(member)
            waited_for += sum(map(int, stat(member)[_WAITED_FOR])) * TICK_NS
            tasks = list((PROC / str(member) / "task").iterdir())
            threads += len(tasks)
            waits += [wait for task in tasks if (wait := _runqueue_wait_ns(task)) is not None]
    return Usage(
        at_ns=time.monotonic_ns(),
        pids=tuple(pids),
        threads=threads,
        cpu=CpuTime(spent + waited_for, 0),
        runqueue_wait_ns=sum(waits) if waits else None,
        memory=_memory(pids) if memory else None,
    )


def _runqueue_wait_ns(task: Path) -> int | None:
    """How long a thread was ready to run and did not; None where the kernel does not tell, or it is gone."""
    try:
        return int((task / "schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None


def lives(pid: int, born: str) -> bool:
    """Whether it is there, and no other by the same number; `born` is its `STARTED`."""
    try:
        fields = stat(pid)
    except OSError:
        return False
    return fields[STARTED] == born and fields[_STATE] not in _ENDED


def exists(pid: int) -> bool:
    return (PROC / str(pid)).exists()


def stat(pid: int) -> list[str]:
    """The fields behind the name; raises OSError where it is gone."""
    return (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_at_rest(pid: int) -> bool:
    """Stopped, ended, or gone."""
    try:
        return stat(pid)[_STATE] in _AT_REST
    except OSError:
        return True


def _memory(pids: Iterable[int]) -> Memory:
    """Sums over processes, bytes (proc_pid_smaps(5), proc_pid_status(5))."""
    shares = [_kilobytes(PROC / str(pid) / "smaps_rollup") for pid in pids]
    status = [_kilobytes(PROC / str(pid) / "status") for pid in pids]
    proportional = sum(one.get("Pss", 0) for one in shares) * 1024
    private = sum(one.get("Private_Clean", 0) + one.get("Private_Dirty", 0) for one in shares) * 1024
    peak = sum(one.get("VmHWM", 0) for one in status) * 1024
    return Memory(proportional or None, private or None, peak or None)


def _kilobytes(file: Path) -> dict[str, int]:
    """`name: 12 kB` of each line that has it."""
    found = dict[str, int]()
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            name, _, rest = line.partition(":")
            words = rest.split()
            if len(words) == 2 and words[1] == "kB":
                found[name] = int(words[0])
    return found
