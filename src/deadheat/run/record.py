"""What a run has observed so far, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deadheat.model.observation import Observation
from deadheat.storage.journal import Journal


@dataclass(frozen=True)
class Record:
    """`observations` grows by each that is added, once it is in the journal; then `told` has it."""

    journal: Journal
    observations: list[Observation]
    told: Callable[[Observation], None] = lambda _observation: None

    def add(self, observation: Observation) -> None:
        """The next one."""
        self.journal.append(observation)
        self.observations.append(observation)
        self.told(observation)
