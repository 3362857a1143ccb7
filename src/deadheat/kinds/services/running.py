"""A service that runs: asked, metered, and told from the contenders that it fails or serves."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deadheat.hosts import ExitedError, Handle
from deadheat.hosts.program import Exit
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.server.started import last_words
from deadheat.kinds.services import probe, tools
from deadheat.model.observation import Failed, Observation, ServiceRan
from deadheat.model.service import Service
from deadheat.run.check import Check
from deadheat.run.kind import RaceUnavailableError, Stage

# A connection is lost a moment before its server's end is known.
ENDED_WITHIN_S = 0.5
READ_WITHIN_S = 10.0


def placeholders_of(name: str, host: str, port: int) -> dict[str, object]:
    """What contenders may say of a service that is there: `{name}`, `{name_host}`, `{name_port}`."""
    return {name: f"{host}:{port}", f"{name}_host": host, f"{name}_port": port}


@dataclass(frozen=True)
class Running:
    """It is ours: its data may be dropped, and it goes with the stack that it was given. `entry`: whose it
    is, where each has one of its own; `log` is what it says of itself."""

    stage: Stage
    service: Service
    handle: Handle
    port: int
    values: Mapping[str, object]
    cpus: frozenset[int]
    version: str | None
    ready_ns: int
    log: Path
    entry: str | None = None

    @property
    def program(self) -> str:
        """What it is called in messages."""
        return self.service.image or Path(self.service.program).name

    def reset(self) -> None:
        """As the first invocation found it; nothing where it has no such. Raises OSError."""
        if self.service.reset is not None:
            probe.ask(self.stage, self.service.reset, self.port, self.values)

    def said(self, after: int) -> str:
        """What it has said of itself, but for so many lines. Raises OSError."""
        last = ("tail", "-n", f"+{after + 1}", str(self.log))
        return tools.run(self.stage.services_host, *last, limit_s=READ_WITHIN_S).stdout

    def cpu_ns(self) -> int:
        """CPU time it has used so far."""
        return self.stage.services_host.usage(self.handle, memory=False).cpu.total_ns

    @contextmanager
    def beside(self, entry: str) -> Iterator[None]:
        """A contender runs meanwhile. What goes wrong because the service has ended is not its fault.

        Raises RaceUnavailableError then, and where the service does not answer the referee as it should;
        a Wrong while the service goes on is the contender's, and passes.
        """
        try:
            yield
        except (OSError, Wrong, ExitedError) as error:
            ended = self._ended()
            if ended is None and isinstance(error, Wrong):
                raise
            what = f": {error}" if ended is None else f" {ended.describe()}"
            raise self._failed(what, entry) from error

    def still_runs(self, entry: str) -> None:
        """While a contender failed. Raises RaceUnavailableError where it has ended: that was why."""
        if (ended := self._ended()) is not None:
            raise self._failed(f" {ended.describe()}", entry)

    def ran(self, block: int) -> ServiceRan:
        """What a block's service was and used, before it is stopped. Raises RaceUnavailableError."""
        try:
            usage = self.stage.services_host.usage(self.handle, memory=True)
        except ExitedError as error:
            raise RaceUnavailableError(f"{self.program} {error}") from error
        return ServiceRan(
            race=self.stage.race.key,
            block=block,
            service=self.service.name,
            host=None if self.stage.services_on is None else self.stage.services_address,
            entry=self.entry,
            program=self.program,
            version=self.version,
            cpus=tuple(sorted(self.cpus)),
            beside_load=self.stage.loads_beside(self.cpus),
            ready_ms=self.ready_ns / 1e6,
            cpu_s=usage.cpu.total_ns / 1e9,
            peak_memory_bytes=usage.memory.peak_bytes if usage.memory else None,
            container=self.stage.services_host.collect(self.handle).container,
        )

    def _failed(self, what: str, entry: str) -> RaceUnavailableError:
        said = last_words(self.stage.services_host, self.handle)
        return RaceUnavailableError(f"{self.program}{what}, while {entry} ran{said}")

    def _ended(self) -> Exit | None:
        for event in self.stage.services_host.events(self.handle, ENDED_WITHIN_S):
            return event.exit
        return self.stage.services_host.collect(self.handle).exit


@dataclass(frozen=True)
class AllRunning:
    """The services of a race, which may be none."""

    each: tuple[Running, ...]

    def reset(self) -> None:
        """As the first invocation found them. Raises OSError."""
        for one in self.each:
            one.reset()

    def cpu_ns(self) -> int | None:
        """CPU time that all of them have used so far; None where there is none."""
        return sum(one.cpu_ns() for one in self.each) if self.each else None

    def cpu_s(self) -> float | None:
        """The same in seconds."""
        used = self.cpu_ns()
        return None if used is None else used / 1e9

    @contextmanager
    def beside(self, entry: str) -> Iterator[None]:
        """A contender runs meanwhile, as `Running.beside` has it for each that it knows of."""
        with ExitStack() as stack:
            for one in self.each:
                if one.entry in (None, entry):
                    stack.enter_context(one.beside(entry))
            yield

    def asked(self, entry: str, found: Check) -> Check:
        """How a contender answered. Raises RaceUnavailableError where it did not because a service has
        ended."""
        if not found.ok:
            self._still_run(entry)
        return found

    def loaded(self, observed: Generator[Observation]) -> Generator[Observation]:
        """What is observed of servers in front of them, up to one that fails because a service has ended:
        RaceUnavailableError is raised in its place."""
        with closing(observed):
            for one in observed:
                if isinstance(one, Failed):
                    self._still_run(one.entry)
                yield one

    def _still_run(self, entry: str) -> None:
        for one in self.each:
            if one.entry in (None, entry):
                one.still_runs(entry)

    def ran(self, block: int) -> Iterator[ServiceRan]:
        """What each was and used, before they are stopped."""
        for one in self.each:
            yield one.ran(block)
