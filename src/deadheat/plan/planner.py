"""What a method of racing must be able to say before a race: ours, or that of published studies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from deadheat.model.plan import RacePlan
from deadheat.plan.asked import Asked
from deadheat.suite.suite import Suite


class Planner(Protocol):
    """How races by one method are planned."""

    def races(self, asked: Asked, suite: Suite, names: Sequence[str]) -> Sequence[RacePlan]:
        """The races of these workloads. Raises UserError for what was asked and this method does not have."""

    def estimated_s(self, race: RacePlan, asked: Asked) -> float:
        """About how long a race takes, builds and conformance apart, seconds."""
