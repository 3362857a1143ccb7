"""What a host can do: five verbs for things that run there, three more for measuring them.

Everything that crosses the seam is a plain value: paths are the host's own, process ids are opaque, and
no open file or socket is handed over, so that a later host may be another machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deadheat.meter import Usage
from deadheat.process import ExitedError, StartError
from deadheat.program import Exit, Spec
from deadheat.ready import NotReadyError

__all__ = [
    "Collected",
    "Event",
    "ExitedError",
    "Handle",
    "Host",
    "NotReadyError",
    "Placement",
    "StartError",
]


@dataclass(frozen=True, slots=True)
class Placement:
    """A folder as the host has it."""

    path: Path


@dataclass(frozen=True, slots=True)
class Handle:
    """A started program, as its host names it. `started_ns` is on the host's CLOCK_MONOTONIC."""

    id: int
    name: str
    started_ns: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a program: so far only its end."""

    handle: Handle
    exit: Exit


@dataclass(frozen=True, slots=True)
class Collected:
    """What is left of a program: how it ended (None while it runs) and the end of what it said."""

    exit: Exit | None
    output_tail: str


class Host(Protocol):
    """A place where contenders and generators run. Closing it kills whatever it still has."""

    @property
    def address(self) -> str:
        """Where servers started here are reached."""

    def place(self, folder: Path) -> Placement:
        """Make a folder of the referee's available there."""

    def start(self, spec: Spec) -> Handle:
        """Raises StartError where the program cannot be started."""

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        """What happened to a program since the last call, waiting up to `timeout_s` for the first."""

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        """SIGTERM, then SIGKILL to the whole tree after the grace; what had ended already stays ended."""

    def collect(self, handle: Handle) -> Collected:
        """What is left of it."""

    def freeze(self, handle: Handle) -> None:
        """Stop the whole tree where it is; returns when none of it runs. Raises ExitedError."""

    def thaw(self, handle: Handle) -> None:
        """Let it go on. Raises ExitedError."""

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        """CPU time so far, and memory if asked. Raises ExitedError."""
