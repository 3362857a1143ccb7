"""What a load generator is here: how it is called, and what it counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .measure import GENERATOR_CPU, LOAD, run

PATH = "/abc"
BODY = "Hello from abc!"


@dataclass(frozen=True)
class Sample:
    """One run: CPU seconds per million requests, and requests a second."""

    cpu_s_per_million: float
    requests_per_s: float
    p50_ms: float | None
    version: str | None = None


@dataclass(frozen=True)
class Counted:
    """What a generator says of its run."""

    requests: int
    seconds: float | None = None
    """Where it tells how long it took; else what it was asked for."""
    p50_ms: float | None = None
    version: str | None = None
    """Its own, where it tells it and no package fixes it."""


class Broken(RuntimeError):
    """A run that cannot be counted: errors in it, or output that cannot be read."""


@dataclass(frozen=True)
class Generator:
    """A named way to load `host:port` for some seconds; `count` reads what it printed.

    `count` raises Broken where requests failed: a failed request costs something else.
    """

    name: str
    argv: Callable[[str, float], Sequence[str]]
    count: Callable[[str], Counted]
    cpus: str = str(GENERATOR_CPU)
    """The cores that it may use."""

    def sample(self, address: str, seconds: float) -> Sample:
        """One run of `seconds` against `address`."""
        cost = run(self.argv(address, seconds), self.cpus)
        counted = self.count(cost.stdout)
        if counted.requests == 0:
            raise Broken(f"{self.name} counted no request")
        return Sample(
            cost.cpu_s / counted.requests * 1e6,
            counted.requests / (counted.seconds or seconds),
            counted.p50_ms,
            counted.version,
        )


def ours(name: str, url: Callable[[str], str], *options: str, cpus: str = str(GENERATOR_CPU)) -> Generator:
    """deadheat-load; `url` makes one of `host:port`."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        duration = f"{round(seconds * 1000)}ms"
        return [str(LOAD), url(address), "-d", duration, "--json", "-q", *options]

    def count(stdout: str) -> Counted:
        summary = json.loads(stdout)
        if summary["errors"]:
            raise Broken(f"{name}: {summary['first_error']}")
        return Counted(summary["requests"], summary["duration_s"], summary["latency_ms"]["p50"])

    return Generator(name, argv, count, cpus)


def ours_http(name: str, *options: str, scheme: str = "http", cpus: str = str(GENERATOR_CPU)) -> Generator:
    """Every reply's status, length and body checked."""
    checks = ("--expect-status", "200", "--expect-body", BODY)
    return ours(name, lambda address: f"{scheme}://{address}{PATH}", *checks, *options, cpus=cpus)
