"""What kinds of servers have in common whose workloads have services and no database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import ExitStack

from deadheat.kinds.conformance import Case
from deadheat.kinds.server import check as server_check
from deadheat.kinds.server.check import Listening
from deadheat.kinds.server.cold import driven
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.services import start as services
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Stage


class ServerKind(ABC):
    """A kind that says what its servers are asked; how they are driven, its protocol says."""

    protocol: ServerProtocol

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    @abstractmethod
    def cases(self, stage: Stage, entry: str, server: Listening) -> Iterator[Case]:
        """All that a server is asked before any timing."""

    def check(self, stage: Stage, entry: str) -> Check:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, [entry])
            found = server_check.check(stage, entry, lambda server: self.cases(stage, entry, server))
            return running.asked(entry, found)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, block.start)
            yield from running.loaded(driven(stage, block, self.protocol, stack))
            yield from running.ran(block.index)
