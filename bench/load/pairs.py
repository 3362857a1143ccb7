"""The comparisons: a server, its peer, ours, and the goal."""

from __future__ import annotations

import shutil
import statistics
from dataclasses import dataclass, field

from .generators import Generator, Sample, oha, ours, wrk
from .measure import server


@dataclass(frozen=True)
class Pair:
    """Generators that take turns on one server; the first is the peer that others are held to."""

    name: str
    setting: str
    goal: float | None
    serve: tuple[str, ...]
    generators: tuple[Generator, ...]
    needs: str


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


def pairs(pipeline_script: str) -> list[Pair]:
    """Every HTTP/1.1 comparison. `pipeline_script`: path of wrk's Lua script."""
    open_loop = ("-R", "20000", "-c", "64")
    return [
        *(
            Pair(
                f"wrk-{c}", f"{c} keep-alive connections, generator the limit", 0.78, (),
                (wrk("wrk", c), ours("deadheat-load", "-c", str(c))), "wrk",
            )
            for c in (64, 256)
        ),
        *(
            Pair(
                f"wrk-{c}-server-limit", f"{c} connections, server the limit (10 us a request)",
                0.65, ("--burn-us", "10"),
                (
                    wrk("wrk", c),
                    ours("deadheat-load --coalesce auto", "-c", str(c), "--coalesce", "auto"),
                    ours("deadheat-load", "-c", str(c)),
                ),
                "wrk",
            )
            for c in (64, 256)
        ),
        Pair(
            "wrk-pipeline", "64 connections, pipeline 16", 0.60, (),
            (
                wrk("wrk + Lua", 64, pipeline_script),
                ours("deadheat-load --pipeline 16", "-c", "64", "--pipeline", "16"),
            ),
            "wrk",
        ),
        Pair(
            "oha-open", "open loop, 20,000/s on 64 connections", 0.75, (),
            (
                oha("oha", 20_000, 64),
                ours("deadheat-load --pacing burst", *open_loop, "--pacing", "burst"),
                ours("deadheat-load --pacing exact", *open_loop),
            ),
            "oha",
        ),
    ]  # fmt: skip


def available(pair: Pair) -> bool:
    """Whether the peer is installed."""
    return shutil.which(pair.needs) is not None


def compare(pair: Pair, rounds: int, seconds: float) -> Result:
    """Runs a pair: its generators take turns, in the other direction every second round."""
    result = Result(pair, {generator.name: [] for generator in pair.generators})
    with server(*pair.serve) as address:
        for round_number in range(rounds):
            step = 1 if round_number % 2 == 0 else -1
            for generator in pair.generators[::step]:
                result.samples[generator.name].append(generator.sample(address, seconds))
    return result
