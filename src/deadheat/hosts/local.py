"""This machine as a host."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import TracebackType
from typing import Self

from deadheat.hosts.protocol import Collected, Event, Handle, Placement
from deadheat.meter import Usage
from deadheat.process import Launcher, Process
from deadheat.program import Exit, Spec

OUTPUT_TAIL_LINES = 20


class LocalHost:
    """Starts everything through the launcher, so that nothing survives the referee."""

    address = "127.0.0.1"

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or Launcher.find()
        self._processes: dict[int, Process] = {}
        self._told: set[int] = set()
        self._ids = itertools.count(1)

    def place(self, folder: Path) -> Placement:
        return Placement(folder.absolute())

    def start(self, spec: Spec) -> Handle:
        process = self._launcher.start(spec)
        handle = Handle(next(self._ids), spec.argv[0], process.started_ns)
        self._processes[handle.id] = process
        return handle

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        if handle.id in self._told:
            return ()
        try:
            exit_ = self._processes[handle.id].wait(timeout_s)
        except TimeoutError:
            return ()
        self._told.add(handle.id)
        return (Event(handle, exit_),)

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        return self._processes[handle.id].stop(grace_s)

    def collect(self, handle: Handle) -> Collected:
        process = self._processes[handle.id]
        return Collected(process.poll(), process.output_tail(OUTPUT_TAIL_LINES))

    def freeze(self, handle: Handle) -> None:
        self._processes[handle.id].freeze()

    def thaw(self, handle: Handle) -> None:
        self._processes[handle.id].thaw()

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        return self._processes[handle.id].usage(memory=memory)

    def close(self) -> None:
        """Kill whatever still runs."""
        for process in self._processes.values():
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()
