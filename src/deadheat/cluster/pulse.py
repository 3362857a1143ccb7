"""Signs of life between a driver and its agents: each knows within seconds that the other is gone."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

BEAT_S = 0.5
#: An agent that gives none for so long is lost.
SILENT_S = 4.0


@dataclass
class _Agent:
    actor: Any
    asked: Any
    heard: float | None = None
    ended: str | None = None


class Pulse:
    """Asks each agent for a sign of life, from a thread of its own, until the end of the block."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._agents: dict[str, _Agent] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def add(self, node: str, actor: Any) -> None:
        """From now on the agent on this node too."""
        self._agents[node] = _Agent(actor, actor.alive.remote())

    def lost(self, node: str) -> str | None:
        """Why an agent is taken for lost, None while it is there (or has yet to come up)."""
        agent = self._agents[node]
        if agent.ended is not None:
            return agent.ended
        if agent.heard is not None and time.monotonic() - agent.heard > SILENT_S:
            return f"no sign of life for {SILENT_S:g} s"
        return None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            for agent in list(self._agents.values()):
                if agent.ended is None:
                    self._ask(agent)

    def _ask(self, agent: _Agent) -> None:
        """Once more, where the last was answered."""
        try:
            if self._ray.wait([agent.asked], timeout=0)[0]:
                self._ray.get(agent.asked)
                agent.heard = time.monotonic()
                agent.asked = agent.actor.alive.remote()
        except self._ray.exceptions.RayError as error:
            agent.ended = why(error)


def why(error: Exception) -> str:
    """What Ray says has become of an agent, in a clause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
