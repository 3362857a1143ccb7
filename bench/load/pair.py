"""Generators that take turns on one server, and what each cost."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from .generator import Generator, Sample


@dataclass(frozen=True)
class Pair:
    """Generators that take turns on one server; the first is the peer that others are held to."""

    name: str
    setting: str
    goal: float | None
    serve: Callable[[], AbstractContextManager[str]]
    """A fresh server on its core: its `host:port`."""
    generators: tuple[Generator, ...]


@dataclass
class Result:
    """All samples of a pair, by generator."""

    pair: Pair
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def cost(self, name: str) -> float:
        """Median CPU seconds per million requests."""
        return statistics.median(s.cpu_s_per_million for s in self.samples[name])

    def rate(self, name: str) -> float:
        """Median requests a second."""
        return statistics.median(s.requests_per_s for s in self.samples[name])

    def p50_ms(self, name: str) -> float | None:
        """Median of the medians of latency, where the generator tells it."""
        known = [s.p50_ms for s in self.samples[name] if s.p50_ms is not None]
        return statistics.median(known) if known else None

    def ratio(self, name: str) -> float:
        """Median over rounds of cost against the peer's in the same round."""
        peer = self.samples[self.pair.generators[0].name]
        return statistics.median(
            mine.cpu_s_per_million / its.cpu_s_per_million
            for mine, its in zip(self.samples[name], peer, strict=True)
        )


def compare(pair: Pair, rounds: int, seconds: float) -> Result:
    """Runs a pair: its generators take turns, in the other direction every second round.

    Raises Unavailable for what is not on this machine, RuntimeError for what went wrong.
    """
    result = Result(pair, {generator.name: [] for generator in pair.generators})
    with pair.serve() as address:
        for round_number in range(rounds):
            step = 1 if round_number % 2 == 0 else -1
            for generator in pair.generators[::step]:
                result.samples[generator.name].append(generator.sample(address, seconds))
    return result
