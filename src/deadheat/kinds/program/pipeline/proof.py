"""That every reply of a pipeline was read is proved by a digest before any timing, and that just its commands
were sent by a service that tells; each timed invocation must have sent as many as were asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from deadheat.hosts.program import Spec
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.conformance import run as run_cases
from deadheat.kinds.program import arguments, invocations
from deadheat.kinds.program.pipeline import running as programs
from deadheat.kinds.program.pipeline import stream, trace
from deadheat.kinds.program.pipeline.depth import Withholding
from deadheat.kinds.program.pipeline.digest import digest
from deadheat.kinds.program.pipeline.running import Asked, Refused
from deadheat.kinds.program.proof import Ran
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import AllRunning, Running, placeholders_of
from deadheat.model.observation import Failed, Observation
from deadheat.model.pipeline import DEPTH, ROUNDS, Pipeline
from deadheat.model.service import Service
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Stage

# Sizes and rounds of the conformance cases.
CHECKED = ((1, 1), (1000, 1), (1000, 2))
# Commands at a time of another; in a race of its own, the race's, though not the largest.
CHECKED_DEPTH, LARGEST_CHECKED_DEPTH = 7, 1000


@dataclass(frozen=True)
class PipelineProof:
    """Of the programs of a workload with this pipeline."""

    pipeline: Pipeline

    def check(self, stage: Stage, entry: str) -> Check:
        with ExitStack() as stack:
            genuine, server = self._started(stage, stack, self._genuine(stage))
            listening, sink = self._started(stage, stack, self._reporting(stage))
            # The last is many times what socket buffers hold: there a client that never reads hangs.
            whole = Asked(arguments.work(stage).n.default)
            several = ROUNDS in stage.workload.parameters
            asked = [*(Asked(n, rounds) for n, rounds in CHECKED if rounds == 1 or several), whole]
            replies = [partial(self._verify, genuine, entry, server, each) for each in asked]
            commands = [partial(self._sent, listening, entry, sink, each) for each in asked]
            depths = [CHECKED_DEPTH] if DEPTH in stage.workload.parameters else []
            return run_cases(
                [*replies, *commands, *(partial(self._depth_if_taken, stage, entry, d) for d in depths)]
            )

    def unfit(self, stage: Stage, block: Block) -> Iterator[Failed]:
        """The entries that do not run at the race's depth, each with what it says."""
        depth = Asked.of(stage).depth
        for entry in block.start if depth is not None else ():
            assert depth is not None
            try:
                self._depth(stage, entry, min(depth, LARGEST_CHECKED_DEPTH))
            except Wrong as wrong:
                yield invocations.failed(stage, block, entry, wrong, not_run=isinstance(wrong, Refused))

    def invoke(self, stage: Stage, entry: str, running: AllRunning, *, traced: bool) -> Ran:
        asked = Asked.of(stage)
        exit_, said = programs.complete(stage, programs.spec(stage, entry, asked, traced=traced))
        expected = self.pipeline.commands(asked.n, asked.rounds)
        if said.get("commands") != expected:
            what = f"it says that it sent {said.get('commands')} commands, not {expected}"
            raise Wrong(what, json.dumps(said))
        return Ran(exit_, asked.n, said["wall_ns"] / 1e9)

    def apart(
        self, stage: Stage, block: Block, entries: Sequence[str], running: AllRunning
    ) -> Iterator[Observation]:
        """What each does on its connection; a depth or several rounds would only repeat it."""
        asked = Asked.of(stage)
        if asked.depth is None and asked.rounds == 1:
            yield from trace.of_each(stage, block, entries, self._named(running), self.pipeline)

    def _verify(self, stage: Stage, entry: str, server: Running, asked: Asked) -> None:
        """All replies, as the values that the library hands over, are those that the service gives."""
        with server.beside(entry):
            server.reset()
            _, said = programs.complete(stage, self._verifying(stage, entry, asked))
        self._compare_digest(asked, said)

    def _sent(self, stage: Stage, entry: str, sink: Running, asked: Asked) -> None:
        """Exactly the pipeline's commands, in order, on one connection."""
        known = len(stream.streams(sink))
        with sink.beside(entry):
            sink.reset()
            programs.complete(stage, programs.spec(stage, entry, asked))
        stream.compare(self.pipeline, stream.last(sink, known), asked.n, asked.rounds)

    def _depth(self, stage: Stage, entry: str, depth: int) -> None:
        """So many commands are handed over at a time and no more, and all replies are read."""
        # Some pipelines that are full, and a rest.
        asked = Asked(max(10, depth), depth=depth)
        host = stage.host.address
        with Withholding(host, self.pipeline, asked.n, depth) as server:
            addresses = placeholders_of(self.pipeline.service, host, server.port)
            _, said = programs.complete(stage, self._verifying(stage, entry, asked, addresses))
        self._compare_digest(asked, said)
        server.judge()

    def _depth_if_taken(self, stage: Stage, entry: str, depth: int) -> None:
        """Refusing depths is allowed, and keeps a client out of those settings alone; cheating is not."""
        with suppress(Refused):
            self._depth(stage, entry, depth)

    def _verifying(
        self, stage: Stage, entry: str, asked: Asked, addresses: Mapping[str, object] | None = None
    ) -> Spec:
        return programs.spec(stage, entry, asked, [self.pipeline.digest.word], addresses=addresses)

    def _compare_digest(self, asked: Asked, said: Mapping[str, Any]) -> None:
        expected = digest(self.pipeline, asked.n, asked.rounds)
        if said.get("digest") != expected:
            what = f"{asked}: expected digest {expected}  got {said.get('digest')}"
            raise Wrong(what, json.dumps(dict(said)))

    def _genuine(self, stage: Stage) -> Service:
        """The service that replies are compared on: the race's or another that does not tell, where one can
        be had."""
        chosen = stage.workload.services_at(stage.race.values)
        for service in (*chosen, *stage.workload.services):
            real = service.name == self.pipeline.service and not service.tells
            if real and services.missing(stage.host, [service]) is None:
                return service
        return self._reporting(stage)

    def _reporting(self, stage: Stage) -> Service:
        """One that tells what it was sent; a workload with a pipeline has one."""
        name = self.pipeline.service
        return next(one for one in stage.workload.services if one.name == name and one.tells)

    def _started(self, stage: Stage, stack: ExitStack, service: Service) -> tuple[Stage, Running]:
        """That service, and those that race beside it. Raises RaceUnavailableError."""
        stage, running = services.beside(stage, stack, (), {**stage.race.values, **service.when})
        return stage, self._named(running)

    def _named(self, running: AllRunning) -> Running:
        """The one that the pipeline goes to."""
        return next(one for one in running.each if one.service.name == self.pipeline.service)
