"""Servers the way studies load them: one after the other, nothing pinned, a generator from outside."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

from deadheat.generators import outside
from deadheat.generators.outside import GeneratorError, OutsideGenerator, Ran, UnansweredError
from deadheat.hosts import ExitedError, Handle, StartError
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.server.protocol import Ask
from deadheat.kinds.server.started import (
    NotServingError,
    Serving,
    last_words,
    started_server,
    until_right,
)
from deadheat.model.measured import OutsidePlan
from deadheat.model.observation import Ended, Failed, Observation, OutsideRun, Started
from deadheat.model.published import Tool
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Kind, RaceUnavailableError, Stage

# Beyond a run's own length: connecting, printing, and a machine with other things to do.
PATIENCE_S = 30.0
# Of a run that is told a total and no length.
LONGEST_S = 600.0


@dataclass(frozen=True)
class Target:
    """What the generator is pointed at, and a remark where that is not what the study asked for."""

    arguments: tuple[str, ...]
    url: str
    note: str | None = None


# What to load a server at a port with. Raises Wrong where it does not answer that, OSError where nobody does.
Aim = Callable[[Stage, str, int], Target]


@dataclass(frozen=True)
class Loader:
    """A generator, and how it is pointed at a server of this kind."""

    generator: OutsideGenerator
    aim: Aim


class PublishedServers:
    """A study's race: conformance is that of our own kind, and all else the study's.

    `loaders` are the generators that such a race may name.
    """

    def __init__(self, ours: Kind, ask: Ask, loaders: Mapping[Tool, Loader]) -> None:
        self._ours = ours
        self._ask = ask
        self._loaders = loaders

    def unavailable(self, stage: Stage) -> str | None:
        race = stage.race
        assert race.outside is not None
        loader = self._loaders.get(race.outside.tool)
        if loader is None:
            return f"{race.outside.tool} drives no {race.kind} here, {', '.join(self._loaders)} can"
        return loader.generator.missing(stage.generator_host)

    def check(self, stage: Stage, entry: str) -> Check:
        return self._ours.check(stage, entry)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        generator = self._loader(stage).generator
        try:
            generator.prepare(stage.generator_host, stage.stop, frozenset(stage.plan.generator_cpus))
        except GeneratorError as error:
            raise RaceUnavailableError(str(error)) from error
        # In the study's own order, which a block's random one is not.
        for entry in [e.id for e in stage.race.entries if e.id in block.start]:
            yield from self._loaded(stage, block, entry)

    def _loaded(self, stage: Stage, block: Block, entry: str) -> Generator[Observation]:
        """Start, load as often as the study did, stop."""
        stage.view.state(entry, "starting")
        port, token = stage.host.free_port(), block.token("ready", entry)
        at = stage.address(entry, port)
        try:
            with started_server(
                stage.host,
                stage.spec(entry, {"port": port}),
                port,
                until_right(lambda: self._ask(stage, at, token)),
                stage.stop,
            ) as server:
                yield from self._measured(stage, block, entry, server)
        except (StartError, NotServingError) as error:
            yield self._failed(stage, block, entry, str(error))

    def _measured(self, stage: Stage, block: Block, entry: str, server: Serving) -> Generator[Observation]:
        handle = server.handle
        try:
            yield Started(
                race=stage.race.key, block=block.index, entry=entry, first_response_ms=server.ready_ns / 1e6
            )
            target = self._loader(stage).aim(stage, entry, server.port)
            stage.view.state(entry, "racing")
            for number in range(_plan(stage).runs):
                yield self._run(stage, block, entry, handle, target, number)
            yield self._ended(stage, block, entry, handle)
        except ExitedError as error:
            yield self._failed(stage, block, entry, f"{error}{last_words(stage.host, handle)}")
        except Wrong as wrong:
            yield self._failed(stage, block, entry, wrong.reason, wrong_answer=True)
        except (GeneratorError, OSError) as error:
            yield self._lost(stage, block, entry, handle, error)

    def _run(
        self, stage: Stage, block: Block, entry: str, handle: Handle, target: Target, number: int
    ) -> OutsideRun:
        plan, generator = _plan(stage), self._loader(stage).generator
        cpus = frozenset(stage.plan.generator_cpus)
        before = stage.host.usage(handle, memory=False)
        name = f"{generator.name}-{stage.race.setting}-{entry}-{number + 1}"
        output = stage.logs / f"{name.replace(':', '+').replace(', ', '-')}.out"
        ran = outside.run(
            generator,
            generator.argv(target.arguments, target.url, output),
            host=stage.generator_host,
            stop=stage.stop,
            cpus=cpus,
            output=output,
            time_limit_s=PATIENCE_S + (plan.seconds if plan.seconds is not None else LONGEST_S),
        )
        after = stage.host.usage(handle, memory=False)
        return _observed(
            stage, block, entry, number, ran,
            version=generator.version(stage.generator_host),
            server_cpu_s=(after.cpu.total_ns - before.cpu.total_ns) / 1e9,
            note=target.note,
        )  # fmt: skip

    def _ended(self, stage: Stage, block: Block, entry: str, handle: Handle) -> Ended:
        usage = stage.host.usage(handle, memory=True)
        stage.view.state(entry, "stopping")
        memory = usage.memory
        return Ended(
            race=stage.race.key,
            block=block.index,
            entry=entry,
            memory_bytes=memory.proportional_bytes if memory else None,
            private_bytes=memory.private_bytes if memory else None,
            peak_memory_bytes=memory.peak_bytes if memory else None,
            threads=usage.threads,
        )

    def _loader(self, stage: Stage) -> Loader:
        return self._loaders[_plan(stage).tool]

    def _lost(self, stage: Stage, block: Block, entry: str, handle: Handle, error: Exception) -> Failed:
        """No figures. A dead server says more than the generator that lost it; one that is there is not to
        blame for a generator that broke."""
        try:
            stage.host.usage(handle, memory=False)
        except ExitedError as exited:
            return self._failed(stage, block, entry, f"{exited}{last_words(stage.host, handle)}")
        broke = isinstance(error, GeneratorError) and not isinstance(error, UnansweredError)
        return self._failed(stage, block, entry, str(error), unavailable=broke)

    def _failed(
        self,
        stage: Stage,
        block: Block,
        entry: str,
        reason: str,
        *,
        wrong_answer: bool = False,
        unavailable: bool = False,
    ) -> Failed:
        stage.view.state(entry, "failed")
        return Failed(
            race=stage.race.key,
            block=block.index,
            entry=entry,
            reason=reason,
            wrong_answer=wrong_answer,
            unavailable=unavailable,
        )


def _observed(
    stage: Stage,
    block: Block,
    entry: str,
    number: int,
    ran: Ran,
    *,
    version: str,
    server_cpu_s: float,
    note: str | None,
) -> OutsideRun:
    plan, figures = _plan(stage), ran.figures
    cpus = set(stage.plan.server_cpus) | set(stage.plan.generator_cpus)
    return OutsideRun(
        race=stage.race.key,
        block=block.index,
        entry=entry,
        run=number,
        tool=plan.tool,
        version=version,
        argv=ran.argv,
        in_flight=plan.in_flight.get(entry),
        requests=figures.requests,
        seconds=figures.seconds,
        throughput_rps=figures.throughput_rps,
        latency_ms=dict(figures.latency_ms),
        errors=dict(figures.errors),
        bytes_in=figures.bytes_in,
        within_stdev_percent=figures.within_stdev_percent,
        thread_rps=dict(figures.thread_rps),
        histogram=figures.histogram,
        statuses=dict(figures.statuses),
        wall_s=ran.exit.wall_ns / 1e9,
        generator_cpu_s=ran.exit.cpu.total_ns / 1e9,
        server_cpu_s=server_cpu_s,
        cpus=len(cpus),
        threads=figures.threads,
        output=f"logs/{ran.output.name}",
        shown=figures.shown,
        note=note,
    )


def _plan(stage: Stage) -> OutsidePlan:
    assert stage.race.outside is not None
    return stage.race.outside


def arguments(stage: Stage, entry: str) -> Sequence[str]:
    """An entry's own, as the plan fixes them."""
    return _plan(stage).arguments[entry]
