"""How it is known that a program did what it was asked: what `ProgramKind` asks of whoever knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from deadheat.hosts.program import Exit
from deadheat.kinds.services.running import AllRunning
from deadheat.model.observation import Failed, Observation
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Stage


@dataclass(frozen=True)
class Ran:
    """One invocation that was right: its size, and its time by its own clock where it has one, seconds."""

    exit: Exit
    n: int
    own_wall_s: float | None = None


class Proof(Protocol):
    """One way to know. Services are started by `ProgramKind`, but for what a check needs."""

    def check(self, stage: Stage, entry: str) -> Check:
        """Full conformance of one entry, alone, before any timing."""

    def unfit(self, stage: Stage, block: Block) -> Iterator[Failed]:
        """Before the first block: the entries that do not do what the race's setting asks."""

    def invoke(self, stage: Stage, entry: str, running: AllRunning, *, traced: bool) -> Ran:
        """One invocation, its answer looked at. Raises Wrong. `traced`: its memory is seen, not its time."""

    def apart(
        self, stage: Stage, block: Block, entries: Sequence[str], running: AllRunning
    ) -> Iterator[Observation]:
        """After the first block's turns: what invocations that are not timed show of each entry."""
