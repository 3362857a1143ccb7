"""What a run tells whoever watches it, as it goes."""

from typing import Protocol

from deadheat.model.observation import Disturbance
from deadheat.model.plan import RacePlan
from deadheat.model.progress import Progress
from deadheat.model.result import RaceResult


class View(Protocol):
    """What the runner tells whoever watches."""

    def note(self, text: str) -> None:
        """Something done, worth a line that stays."""

    def warn(self, text: str) -> None:
        """Something wrong that the race survives."""

    def race(self, race: RacePlan, estimated_s: float) -> None:
        """A race begins."""

    def state(self, entry: str, state: str) -> None:
        """What an entry is doing: building, checking, starting, warming, racing, frozen, failed."""

    def progress(self, so_far: Progress) -> None:
        """How far the race is."""

    def disturbed(self, block: int, by: Disturbance) -> None:
        """Somebody got into a block, which does not count: one more is raced instead, where there is time."""

    def interim(self, result: RaceResult) -> None:
        """The verdicts so far."""

    def close(self) -> None:
        """Nothing more comes."""


class NoView:
    """Nobody watches."""

    def note(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def race(self, race: RacePlan, estimated_s: float) -> None: ...
    def state(self, entry: str, state: str) -> None: ...
    def progress(self, so_far: Progress) -> None: ...
    def disturbed(self, block: int, by: Disturbance) -> None: ...
    def interim(self, result: RaceResult) -> None: ...
    def close(self) -> None: ...
