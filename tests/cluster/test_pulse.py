"""Within five seconds of silence it is told, and nothing of ours runs on."""

from __future__ import annotations

from typing import Any

import pytest

from deadheat.cluster import agent, driver, pulse
from deadheat.cluster.pulse import Pulse
from deadheat.generators import several

WITHIN_S = 5.0


class Actor:
    """Whose call is answered at once, or never."""

    def __init__(self) -> None:
        self.alive = self

    def remote(self) -> Actor:
        return self


class Ray:
    """As much of it as a pulse asks for."""

    class exceptions:  # noqa: N801 (as Ray calls it)
        class RayError(Exception):
            pass

    def __init__(self) -> None:
        self.answers = True

    def wait(self, asked: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return (asked, []) if self.answers else ([], asked)

    def get(self, asked: Any) -> None:
        return None


def test_the_driver_is_told_in_time() -> None:
    """The last answer may be a beat old when the silence begins, and is looked for once in a while."""
    assert pulse.BEAT_S + pulse.SILENT_S + driver.POLL_S < WITHIN_S
    assert several.AHEAD_NS / 1e9 + several.SILENT_S < WITHIN_S


def test_an_agent_ends_in_time() -> None:
    """It was last asked a moment before the driver was gone, and looks ten times in that time."""
    assert agent.ALONE_S * 1.1 < WITHIN_S
    # But not between two signs of life, of which some come late.
    assert agent.ALONE_S > 4 * pulse.BEAT_S


def test_silence_is_told_after_just_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ray, now_s = Ray(), 100.0
    monkeypatch.setattr("deadheat.cluster.pulse.time.monotonic", lambda: now_s)
    watched = Pulse(ray)
    watched.add("n1", Actor())
    # One that has yet to come up is not lost.
    now_s += 60
    assert watched.lost("n1") is None
    watched._ask(watched._agents["n1"])
    ray.answers = False
    now_s += pulse.SILENT_S
    watched._ask(watched._agents["n1"])
    assert watched.lost("n1") is None
    now_s += 0.01
    assert watched.lost("n1") == "no sign of life for 4 s"
    # It may come back.
    ray.answers = True
    watched._ask(watched._agents["n1"])
    assert watched.lost("n1") is None
