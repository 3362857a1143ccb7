"""A server that runs already: found by its port, metered, frozen where that is asked for; never started and
never ended by us."""

from __future__ import annotations

import signal
import time

from deadheat.hosts import tree
from deadheat.hosts.listening import listeners_at
from deadheat.hosts.meter import Usage
from deadheat.hosts.process import ExitedError, StartError
from deadheat.hosts.program import Exit, Spec, Why
from deadheat.hosts.tree import POLL_S

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
        self._born = tree.stat(self.pid)[tree.STARTED]
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
            tree.freeze(self.pid)
        return time.monotonic_ns()

    def thaw(self) -> int:
        """Lets it go on."""
        self._alive()
        self._go_on()
        return time.monotonic_ns()

    def usage(self, *, memory: bool = True) -> Usage:
        """CPU time, and memory if asked, of what lives of the tree."""
        self._alive()
        return tree.usage(self.pid, memory=memory)

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
            tree.send(self.pid, signal.SIGCONT)

    def lives(self) -> bool:
        """Whether it is there, whoever looks after it."""
        return tree.lives(self.pid, self._born)

    def _alive(self) -> None:
        if (exit_ := self.poll()) is not None:
            raise ExitedError(exit_)


def raced_pids() -> frozenset[int]:
    """Of all that were attached in this process and live, and of their descendants."""
    living = [pid for pid, born in _RACED.items() if tree.lives(pid, born)]
    return frozenset(member for pid in living for member in tree.tree_of(pid))


def owner_of(port: int) -> int:
    """The process that listens at a port: of several (a parent and its workers) the eldest.

    Raises StartError where nobody does, and where it cannot be seen who.
    """
    there = listeners_at(port)
    if not there.listens:
        raise StartError(f"nothing listens on port {port}")
    if not there.pids:
        raise StartError(f"who listens on port {port} cannot be seen: run as that user, or as root")
    parents = {pid: int(tree.stat(pid)[tree.PARENT]) for pid in there.pids if tree.exists(pid)}
    eldest = [pid for pid, parent in parents.items() if parent not in parents]
    return min(eldest or there.pids)
