"""What a host can do: five verbs for what runs there, and a few more for measuring it.

Everything that crosses the seam is a plain value that can be pickled: paths are the host's own,
process ids mean something only there, moments are on its own clock, and no open file or socket is handed
over. So a later host may be another machine. tests/hosts says what each must do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from deadheat.hosts.meter import Usage
from deadheat.hosts.process import ExitedError, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.model.container import Contained

# What reads a machine cannot be imported on every system, and this is imported where runs are only looked at.
if TYPE_CHECKING:
    from deadheat.hosts.compilers import Compilers
    from deadheat.hosts.container_engine import ContainerEngine
    from deadheat.hosts.counters import Counters
    from deadheat.hosts.cpus import Cores
    from deadheat.hosts.images import Image
    from deadheat.hosts.interference import Reading
    from deadheat.hosts.machine import Machine
    from deadheat.hosts.output import Output
    from deadheat.hosts.programs import Programs

__all__ = [
    "Collected",
    "Event",
    "ExitedError",
    "Handle",
    "Host",
    "NotReadyError",
    "StartError",
]


class NotReadyError(Exception):
    """It did not answer right by the deadline. `reason` is the last thing that was wrong, `errno` its number
    where it was an error of the operating system."""

    def __init__(self, timeout_s: float, reason: str, errno: int | None = None) -> None:
        super().__init__(timeout_s, reason, errno)  # all of them, so that it can be pickled
        self.timeout_s, self.reason, self.errno = timeout_s, reason, errno

    def __str__(self) -> str:
        return f"not ready after {self.timeout_s:g} s: {self.reason}"


@dataclass(frozen=True, slots=True)
class Handle:
    """A started program, as its host names it. `started_ns` is on the host's clock (`now_ns`)."""

    id: str
    name: str
    started_ns: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a program: so far only its end."""

    handle: Handle
    exit: Exit


@dataclass(frozen=True, slots=True)
class Collected:
    """What is left of a program: how it ended (None while it runs) and what it said.

    `stdout` and `stderr` are as much as its `Spec` lets be kept; empty where it names no file.
    `output_tail` is the last lines of stderr, else of stdout, for messages. `ports` are those on which
    it listens (TCP), while it runs. `container`: how it is contained, where it is.
    """

    exit: Exit | None
    stdout: bytes
    stderr: bytes
    output_tail: str
    ports: tuple[int, ...] = ()
    container: Contained | None = None


class Host(Protocol):
    """A place where contenders and generators run. Closing it kills whatever it still has, and leaves it to
    others.

    A handle of another host, or one that was never given, raises ValueError.
    """

    def __hash__(self) -> int:
        """What was found on a host is kept by it: each is itself alone."""

    @property
    def address(self) -> str:
        """Where servers started here are reached."""

    def programs(self) -> Programs:
        """Where programs are found there."""

    def cores(self) -> Cores:
        """The CPUs that programs may use there, by physical core; whoever was bound to some since."""

    def machine(self, window_s: float) -> Machine:
        """What the host is, for machine.json; takes `window_s`, to see what else goes on there."""

    def hold(self, what: str) -> None:
        """Take the host for `what`, until it is closed: nobody else of us races or builds there meanwhile.
        Raises UserError that says who has it."""

    def now_ns(self) -> int:
        """The host's CLOCK_MONOTONIC: the clock of all moments that it reports."""

    def free_port(self) -> int:
        """A TCP port that a server may listen on there. Never the same twice. Raises UserError."""

    def network(self, name: str) -> Path:
        """A network of its own, with a loopback alone, for programs that are started there: one for each
        name, until the host is closed. Raises UserError where there is none to be had."""

    def start(self, spec: Spec) -> Handle:
        """Returns when it runs. Raises StartError where the program cannot be started, and where nothing
        listens at the port of one that should run already (`Spec.attached`)."""

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        """What happened to a program since the last call, waiting up to `timeout_s` for the first."""

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        """SIGTERM (where it was started `piped` the end of its input), then SIGKILL to the whole tree after
        the grace; what had ended already stays ended."""

    def collect(self, handle: Handle) -> Collected:
        """What is left of it."""

    def send(self, handle: Handle, line: bytes) -> None:
        """A line, without its end, to a program that was started `piped`. Raises ExitedError."""

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        """The next line of such a program, without its end. Raises TimeoutError where it says nothing for so
        long, ExitedError where there is none to come."""

    def freeze(self, handle: Handle) -> None:
        """Stops the whole tree where it is; returns when none of it runs. Raises ExitedError."""

    def thaw(self, handle: Handle) -> None:
        """Lets it go on. Raises ExitedError."""

    def compilers_on(self, handle: Handle, cpus: Collection[int] | None) -> Compilers:
        """Its compilers, threads that translate hot code while it runs, run on these CPUs from here on, on
        its own where None. A program that is not bound to CPUs, or that ran already, has none. Raises
        ExitedError."""

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        """CPU time so far, and memory if asked. Raises ExitedError."""

    def counters(self, handle: Handle) -> Counters:
        """Context switches and page faults of its tree so far. Raises ExitedError."""

    def images(self, handle: Handle) -> tuple[Image, ...]:
        """What its processes consist of. Raises ExitedError, and OSError where it may not be looked into."""

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, stdin: str = ""
    ) -> Output:
        """A short command to its end, for what it prints: never while anything is measured. It has the host's
        own environment and `env`, whose PATH leads to it.

        Raises StartError where it is not there or cannot be run, TimeoutError where it takes longer.
        """

    def container_engine(self) -> ContainerEngine:
        """podman or docker, by which it starts what is in a container. Raises UserError that says why there
        is none."""

    def interference(self, cpus: Collection[int]) -> Reading:
        """The host's own counters now, of these CPUs and of all its processes: `interference.between` two of
        them is what else went on there, and who it was."""

    def close(self) -> None:
        """Kills whatever was started and still runs there."""
