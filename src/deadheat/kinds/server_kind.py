"""What kinds of servers have in common whose workloads have services and no database."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.kinds.server.cold import driven
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.services import start as services
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block
from deadheat.run.kind import Stage


class ServerKind:
    """A kind that says how its servers are checked; how they are driven, its protocol says."""

    protocol: ServerProtocol

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, block.start)
            yield from running.loaded(driven(stage, block, self.protocol, stack))
            yield from running.ran(block.index)
