"""An engine whose servers warm up as a test says"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deadheat.kinds.server import rest, turns
from deadheat.run import kind
from tests.made.written_down import FakeEngine


class WarmingEngine(FakeEngine):
    """Its servers answer at these rates (replies in 5 ms), a warm-up turn each, the last one for ever; it
    notes how long slices were."""

    rates: Sequence[int]
    mean_ms: float
    lengths_ms: list[tuple[int, int]]

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **given: Any) -> dict[str, Any]:
        warm_ups = self.steps.count(("warm", target))
        counted = super().turn(target, token, lead_in_ms, counted_ms, **given)
        if lead_in_ms:
            self.lengths_ms.append((lead_in_ms, counted_ms))
            return counted
        first = [0] if len(self.rates) > 1 else []  # a cold one begins with nothing
        start, stop = [*first, *self.rates, *[self.rates[-1]] * 120][warm_ups : warm_ups + 2]
        bins = tuple(int(rate) for rate in np.linspace(start, stop, counted_ms // 5))
        took = {"bins": bins, "replies": sum(bins)}
        return {**counted, **took, "latency_sum_ns": int(sum(bins) * self.mean_ms * 1e6)}


def warms_up(monkeypatch: pytest.MonkeyPatch, rates: Sequence[int], mean_ms: float) -> None:
    """The engine finds every server at these rates, a warm-up turn after the other."""
    monkeypatch.setattr(kind, "Engine", WarmingEngine)
    monkeypatch.setattr(WarmingEngine, "rates", rates, raising=False)
    monkeypatch.setattr(WarmingEngine, "mean_ms", mean_ms, raising=False)
    monkeypatch.setattr(WarmingEngine, "lengths_ms", [], raising=False)
    monkeypatch.setattr(rest, "LOOK_S", 0.0)
    clock(monkeypatch, lambda: 0.0)  # nobody was frozen for long, however long this machine takes


def clock(monkeypatch: pytest.MonkeyPatch, now: Callable[[], float]) -> None:
    """By which it is told how long a server was frozen."""
    monkeypatch.setattr(turns, "time", SimpleNamespace(monotonic=now))


def reporting(monkeypatch: pytest.MonkeyPatch, more: Callable[[str, int, int], Mapping[str, Any]]) -> None:
    """What each turn says besides, by its server, its lead-in and what is counted of it (ms)."""
    usual = WarmingEngine.turn

    def turn(
        engine: WarmingEngine, target: str, token: str, lead_in_ms: int, counted_ms: int, **given: Any
    ) -> dict[str, Any]:
        besides = more(target, lead_in_ms, counted_ms)
        return {**usual(engine, target, token, lead_in_ms, counted_ms, **given), **besides}

    monkeypatch.setattr(WarmingEngine, "turn", turn)
