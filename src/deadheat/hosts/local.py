"""This machine as a host."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from deadheat.hosts import compilers, counters, images, interference, lock, machine, output, programs
from deadheat.hosts.attached import Attached
from deadheat.hosts.container import Container
from deadheat.hosts.container_engine import ContainerEngine
from deadheat.hosts.containers import Containers
from deadheat.hosts.cpus import Cores, cores_of
from deadheat.hosts.elsewhere import Elsewhere
from deadheat.hosts.listening import ports_of
from deadheat.hosts.meter import Usage
from deadheat.hosts.network import Networks
from deadheat.hosts.piped import Piped
from deadheat.hosts.ports import Ports
from deadheat.hosts.process import ExitedError, Launcher, LauncherError, Process
from deadheat.hosts.program import Exit, Spec
from deadheat.hosts.protocol import Collected, Event, Handle

OUTPUT_TAIL_LINES = 20
# Started by us, found here, or asked elsewhere.
Program = Process | Piped | Attached | Elsewhere | Container


class LocalHost:
    """Starts everything through the launcher, so that nothing survives the referee. `address`: where servers
    are reached, one of this machine's; `kin`: processes here that are of the same race, with all below them.
    """

    def __init__(
        self,
        launcher: Launcher | None = None,
        ports: Ports | None = None,
        address: str = "127.0.0.1",
        kin: Collection[int] = (),
    ) -> None:
        self.address = address
        self._kin = kin
        self._launcher = launcher
        # What it could use when it became a host: the referee is bound to fewer CPUs while it races.
        self._usable = frozenset(os.sched_getaffinity(0))
        self._held = ExitStack()
        self._ports = ports or Ports()
        self._networks = Networks()
        self._processes: dict[str, Program] = {}
        self._containers = Containers()
        self._reported: set[str] = set()
        self._ids = (f"local-{os.getpid()}-{id(self):x}-{count}" for count in itertools.count(1))

    def programs(self) -> programs.Programs:
        return programs.here()

    def cores(self) -> Cores:
        return cores_of(self._usable)

    def machine(self, window_s: float) -> machine.Machine:
        return machine.read(window_s=window_s, usable=self._usable)

    def hold(self, what: str) -> None:
        self._held.enter_context(lock.machine(what))

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def free_port(self) -> int:
        return self._ports.take()

    def network(self, name: str) -> Path:
        return self._networks.of(name)

    def start(self, spec: Spec) -> Handle:
        process: Program
        if spec.elsewhere:
            process = Elsewhere(spec)
        elif spec.piped:
            process = Piped(spec)
        elif spec.attached is not None:
            process = Attached(spec, spec.attached, freezes=spec.freezes)
        else:
            if self._launcher is None:
                self._launcher = Launcher.find()
            if spec.container is not None:
                process = self._containers.start(spec, self._launcher)
            else:
                process = self._launcher.start(spec)
        handle = Handle(next(self._ids), spec.argv[0], process.started_ns)
        self._processes[handle.id] = process
        return handle

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        process = self._process(handle)
        if handle.id in self._reported:
            return ()
        try:
            with _launcher_watched(process):
                exit = process.wait(timeout_s)
        except TimeoutError:
            return ()
        except ExitedError as error:
            exit = error.exit
        self._reported.add(handle.id)
        return (Event(handle, exit),)

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        process = self._process(handle)
        try:
            with _launcher_watched(process):
                return process.stop(grace_s)
        except ExitedError as error:
            return error.exit

    def collect(self, handle: Handle) -> Collected:
        process = self._process(handle)
        exit = process.poll()  # first: what it said last is complete once it has ended
        return Collected(
            exit=exit,
            stdout=_kept(process.spec.stdout),
            stderr=_kept(process.spec.stderr),
            output_tail=process.output_tail(OUTPUT_TAIL_LINES),
            ports=_ports(process),
            container=process.contained if isinstance(process, Container) else None,
        )

    def send(self, handle: Handle, line: bytes) -> None:
        self._piped(handle).send(line)

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        return self._piped(handle).receive(timeout_s)

    def freeze(self, handle: Handle) -> None:
        process = self._process(handle)
        with _launcher_watched(process):
            process.freeze()

    def thaw(self, handle: Handle) -> None:
        process = self._process(handle)
        with _launcher_watched(process):
            process.thaw()

    def compilers_on(self, handle: Handle, cpus: Collection[int] | None) -> compilers.Compilers:
        process = self._process(handle)
        if process.spec.cpus is None or isinstance(process, Attached):
            return compilers.Compilers()
        return compilers.bind(self.usage(handle, memory=False).pids, cpus or process.spec.cpus)

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        process = self._process(handle)
        with _launcher_watched(process):
            return process.usage(memory=memory)

    def counters(self, handle: Handle) -> counters.Counters:
        return counters.read(self.usage(handle, memory=False).pids)

    def images(self, handle: Handle) -> tuple[images.Image, ...]:
        return images.read(self.usage(handle, memory=False).pids)

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, stdin: str = ""
    ) -> output.Output:
        return output.of(argv, env, timeout_s, stdin)

    def container_engine(self) -> ContainerEngine:
        return self._containers.engine()

    def interference(self, cpus: Collection[int]) -> interference.Reading:
        return interference.read(cpus, self._spent_ns(), self._containers.outside(), kin=self._kin)

    def _spent_ns(self) -> dict[frozenset[int], int]:
        """CPU time of the programs started here that have ended, by the CPUs that they were bound to."""
        spent: dict[frozenset[int], int] = {}
        for process in self._processes.values():
            if process.spec.cpus is not None and process.exit is not None:
                spent[process.spec.cpus] = spent.get(process.spec.cpus, 0) + process.exit.cpu.total_ns
                if isinstance(process, Container):
                    spent[process.spec.cpus] += process.outside_ns()
        return spent

    def close(self) -> None:
        with self._held:
            for process in self._processes.values():
                process.close()
            self._containers.close()
            self._networks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _process(self, handle: Handle) -> Program:
        try:
            return self._processes[handle.id]
        except KeyError:
            raise ValueError(f"{handle.name} ({handle.id}) was not started by this host") from None

    def _piped(self, handle: Handle) -> Piped:
        process = self._process(handle)
        if not isinstance(process, Piped):
            raise ValueError(f"{handle.name} ({handle.id}) was not started to be talked to")
        return process


@contextmanager
def _launcher_watched(process: Program) -> Iterator[None]:
    """A launcher that fails takes its program with it: above the seam, a program that has ended."""
    try:
        yield
    except LauncherError as error:
        raise ExitedError(process.stop(0)) from error


def _kept(path: Path | None) -> bytes:
    """What a program's output file holds. The launcher has kept it short."""
    return path.read_bytes() if path is not None and path.is_file() else b""


def _ports(process: Program) -> tuple[int, ...]:
    try:
        if isinstance(process, Container):
            return process.ports() if process.exit is None else ()
        return ports_of(process.usage(memory=False).pids)
    except ExitedError:
        return ()
