"""A host and an engine that do nothing, and write down what they were to do, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from hdrh.histogram import HdrHistogram

from deadheat.generators.load_generator import Counted
from deadheat.hosts import Collected, Event, Exit, ExitedError, Handle, Spec, Usage, interference, programs
from deadheat.hosts.compilers import Compilers
from deadheat.hosts.container_engine import ContainerEngine
from deadheat.hosts.counters import Counters
from deadheat.hosts.cpus import Cores
from deadheat.hosts.images import Image
from deadheat.hosts.machine import Machine
from deadheat.hosts.meter import CpuTime
from deadheat.hosts.output import Output
from deadheat.hosts.program import Why
from deadheat.hosts.programs import Programs
from deadheat.kinds.server.block import ServerBlock
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.model.address import Address
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block
from deadheat.run.kind import Stage
from deadheat.stats import steady

Step = tuple[str, str]


@dataclass(eq=False)
class FakeHost:
    """Starts nothing, and writes down who was to do what."""

    steps: list[Step]
    dies_at: Step | None = None
    dead: set[str] = field(default_factory=set)
    compilers: dict[str, Collection[int] | None] = field(default_factory=dict)
    compiled_ns: int = 0
    address = "127.0.0.1"

    def programs(self) -> Programs:
        return programs.here()

    def cores(self) -> Cores:
        raise AssertionError("the plan says which CPUs are whose")

    def machine(self, window_s: float) -> Machine:
        raise AssertionError("a block looks at no machine")

    def hold(self, what: str) -> None: ...

    def start(self, spec: Spec) -> Handle:
        assert spec.stdout is not None
        name = spec.stdout.stem
        self._step("start", name)
        return Handle(name, name, 0)

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        self._step("stop", handle.name)
        return ended()

    def send(self, handle: Handle, line: bytes) -> None:
        raise AssertionError("nothing here is talked to")

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        raise AssertionError("nothing here is talked to")

    def freeze(self, handle: Handle) -> None:
        self._living("freeze", handle)

    def thaw(self, handle: Handle) -> None:
        self._living("thaw", handle)

    def compilers_on(self, handle: Handle, cpus: Collection[int] | None) -> Compilers:
        self.compilers[handle.name] = cpus
        return Compilers(1, self.compiled_ns)

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        if handle.name in self.dead:
            raise ExitedError(ended())
        return Usage(0, (1,), 1, CpuTime(0, 0), 0, None)

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        return ()

    def collect(self, handle: Handle) -> Collected:
        return Collected(None, b"", b"", "")

    def now_ns(self) -> int:
        return 0

    def free_port(self) -> int:
        return 1

    def network(self, name: str) -> Path:
        raise AssertionError("nobody has a network of its own here")

    def counters(self, handle: Handle) -> Counters:
        raise AssertionError("nobody explains anything here")

    def images(self, handle: Handle) -> tuple[Image, ...]:
        raise AssertionError("nobody explains anything here")

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, stdin: str = ""
    ) -> Output:
        raise AssertionError("a block asks for no tool")

    def container_engine(self) -> ContainerEngine:
        raise AssertionError("nothing is in a container here")

    def interference(self, cpus: Collection[int]) -> interference.Reading:
        raise AssertionError("a block asks nothing of what is around it")

    def close(self) -> None: ...

    def _living(self, verb: str, handle: Handle) -> None:
        self._step(verb, handle.name)
        if handle.name in self.dead:
            raise ExitedError(ended())

    def _step(self, verb: str, name: str) -> None:
        self.steps.append((verb, name))
        if (verb, name) == self.dies_at:
            self.dead.add(name)


NOTHING: str = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS).encode().decode()


class FakeEngine:
    """Counts nothing, and writes down whom it was to load, from where, and whose CPU time it was to read."""

    steps: list[Step]
    where: list[object]
    read_along: list[list[int]]

    def __init__(self, host: object, *_: object) -> None:
        self.where.append(host)

    def __enter__(self) -> Self:
        self.steps.append(("engine", "up"))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.steps.append(("engine", "down"))

    def open(self, target: str, *_: object, **_more: object) -> None:
        self.steps.append(("open", target))

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        self.read_along.append(more["pids"])
        self.steps.append(("warm" if lead_in_ms == 0 else "load", target))
        zero = (
            "started_ns counted_from_ns counted_until_ns drained_ns replies replies_all bytes_in "
            "bytes_out latency_sum_ns latency_max_ns in_flight_ns reconnects resent engine_cpu_ns "
            "server_cpu_ns loop_delay_max_ns"
        )
        counts = dict.fromkeys(zero.split(), 0)
        # As flat as a warm-up can be: no start has to go on for it.
        bins = (50,) * (counted_ms // 5) if lead_in_ms == 0 else ()
        return {**counts, "bin_ms": 5, "token": token, "bins": bins, "errors": {}, "first_error": None}

    def histogram(self, target: str) -> Counted:
        return Counted(NOTHING)

    def runqueue_wait_ns(self) -> int:
        return 0

    def close_target(self, target: str) -> None:
        self.steps.append(("close", target))


def ended() -> Exit:
    """Of who died."""
    return Exit(7, None, Why.EXIT, 0, 0, CpuTime(0, 0), None, None, 0, 0, 0, None)


def observe(stage: Stage, block: Block, stack: ExitStack) -> Iterator[Observation]:
    def right(_stage: Stage, _at: Address, _token: str) -> None: ...

    def target(_stage: Stage, _at: Address) -> Mapping[str, Any]:
        return {"url": "http://127.0.0.1:1", "connections": 4}

    return ServerBlock(stage, block, ServerProtocol(right, target), stack).observe()


# Turns of half a second in which a start of which nothing is known is watched.
UNKNOWN = round(steady.UNKNOWN_S / 0.5)
