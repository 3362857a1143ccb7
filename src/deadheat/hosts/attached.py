"""A server that runs already: found by its port, metered, frozen where that is asked for; never started and
never ended by us."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from deadheat.hosts.listening import listeners_at
from deadheat.hosts.meter import CpuTime, Memory, Usage, process_cpu_ns
from deadheat.hosts.process import ExitedError, StartError
from deadheat.hosts.processes import TICK_NS
from deadheat.hosts.program import Exit, Spec, Why

PROC = Path("/proc")
# A signal reaches a process in microseconds, on a busy machine in milliseconds.
SETTLES_S, POLL_S = 5.0, 0.001
_STOPPED = frozenset("Tt")
# Fields of /proc/PID/stat behind the name, from 0; what children have used is of those that were waited for.
_STATE, _PARENT, _WAITED_FOR, _STARTED = 0, 1, slice(13, 15), 19

# When each was born that was attached in this process, by pid: what they use is no interference.
_RACED: dict[int, str] = {}


class Attached:
    """The process that listens at a port, and its descendants. As `Process`, for whoever drives a race.

    `freezes`: whether it is stopped while it is another's turn; else it is idle then, and runs. Two of them
    may share a process (the reference and its second entry): whoever's turn it is lets it go on.
    """

    def __init__(self, spec: Spec, port: int, *, freezes: bool) -> None:
        self.spec = spec
        self.freezes = freezes
        self.started_ns = time.monotonic_ns()
        self._began = self.started_ns
        self._exit: Exit | None = None
        self.pid = owner_of(port)
        self._born = _stat(self.pid)[_STARTED]
        _RACED[self.pid] = self._born
        self._go_on()

    @property
    def exit(self) -> Exit | None:
        """How it ended, as far as is known."""
        return self._exit

    def freeze(self) -> int:
        """Stops the tree, where it is to be; raises ExitedError where it is gone."""
        if self.freezes:
            self._alive()
            deadline = time.monotonic() + SETTLES_S
            while not self._stopped():
                for pid in tree_of(self.pid):
                    _signal(pid, signal.SIGSTOP)
                if time.monotonic() > deadline:
                    break  # what it then uses is on record
                time.sleep(POLL_S)
        return time.monotonic_ns()

    def thaw(self) -> int:
        """Lets it go on."""
        self._alive()
        self._go_on()
        return time.monotonic_ns()

    def usage(self, *, memory: bool = True) -> Usage:
        """CPU time, and memory if asked, of what lives of the tree."""
        self._alive()
        pids = tree_of(self.pid)
        spent = waited_for = threads = 0
        for pid in pids:
            with contextlib.suppress(OSError, ValueError):
                spent += process_cpu_ns(pid)
                waited_for += sum(map(int, _stat(pid)[_WAITED_FOR])) * TICK_NS
                threads += len(list((PROC / str(pid) / "task").iterdir()))
        return Usage(
            at_ns=time.monotonic_ns(),
            pids=tuple(pids),
            threads=threads,
            cpu=CpuTime(spent + waited_for, 0),
            runqueue_wait_ns=None,
            memory=_memory(pids) if memory else None,
        )

    def stop(self, grace_s: float = 0.0) -> Exit:
        """Nothing is stopped: it goes on, and we part."""
        self._go_on()
        if self._exit is None:
            self._exit = Exit.unseen(self._began, Why.STOPPED)
        return self._exit

    def wait(self, timeout_s: float | None = None) -> Exit:
        """Raises TimeoutError while it lives."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self.poll() is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{self.spec.argv[0]} still runs")
            time.sleep(POLL_S)
        assert self._exit is not None
        return self._exit

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs."""
        if self._exit is None and not self.lives():
            self._exit = Exit.unseen(self._began, Why.EXIT)
        return self._exit

    def close(self) -> None:
        """It goes on without us."""
        self._go_on()

    def output_tail(self, lines: int = 20) -> str:
        """What it prints is not ours to read."""
        return ""

    def _go_on(self) -> None:
        if self.freezes and self.lives():
            for pid in tree_of(self.pid):
                _signal(pid, signal.SIGCONT)

    def _stopped(self) -> bool:
        return all(_is_stopped(pid) for pid in tree_of(self.pid))

    def lives(self) -> bool:
        """Whether it is there, whoever looks after it."""
        return _lives(self.pid, self._born)

    def _alive(self) -> None:
        if (exit_ := self.poll()) is not None:
            raise ExitedError(exit_)


def raced_pids() -> frozenset[int]:
    """Of all that were attached in this process and live, and of their descendants."""
    living = [pid for pid, born in _RACED.items() if _lives(pid, born)]
    return frozenset(member for pid in living for member in tree_of(pid))


def owner_of(port: int) -> int:
    """The process that listens at a port: of several (a parent and its workers) the eldest.

    Raises StartError where nobody does, and where it cannot be seen who.
    """
    there = listeners_at(port)
    if not there.listens:
        raise StartError(f"nothing listens on port {port}")
    if not there.pids:
        raise StartError(f"who listens on port {port} cannot be seen: run as that user, or as root")
    parents = {pid: int(_stat(pid)[_PARENT]) for pid in there.pids if _exists(pid)}
    eldest = [pid for pid, parent in parents.items() if parent not in parents]
    return min(eldest or there.pids)


def tree_of(pid: int) -> list[int]:
    """A process and its descendants that live."""
    members, left = list[int](), [pid]
    while left:
        members.append(member := left.pop())
        for task in _entries(PROC / str(member) / "task"):
            with contextlib.suppress(OSError, ValueError):
                left += [int(child) for child in (task / "children").read_text().split()]
    return members


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _lives(pid: int, born: str) -> bool:
    """Whether it is there, and no other by the same number."""
    try:
        stat = _stat(pid)
    except OSError:
        return False
    return stat[_STARTED] == born and stat[_STATE] not in ("Z", "X")


def _is_stopped(pid: int) -> bool:
    """Also of one that is gone."""
    try:
        return _stat(pid)[_STATE] in _STOPPED
    except OSError:
        return True


def _exists(pid: int) -> bool:
    return (PROC / str(pid)).exists()


def _stat(pid: int) -> list[str]:
    """The fields behind the name; raises OSError where it is gone."""
    return (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


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
