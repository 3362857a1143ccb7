"""The headline figures of a contender, as dashboards that follow a project over time want them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deadheat.export.source import Race
from deadheat.model.result import ContenderResult, Interval, Measure
from deadheat.report import words


@dataclass(frozen=True)
class Figure:
    """One figure with its 95% interval where it has one. `name` is a slug, `unit` what it counts."""

    name: str
    value: float
    ci: Interval | None
    unit: str
    more_is_better: bool


def figures(race: Race, row: ContenderResult) -> Iterator[Figure]:
    """The ratio to the reference first: it is what holds on a shared machine."""
    if row.against_reference is not None:
        against = row.against_reference
        yield Figure("ratio", against.ratio, against.ci, _times(race), True)
    yield from _measure(
        "throughput", row.figures.throughput_rps, words.rate(race.result.kind), more_is_better=True
    )
    yield from _measure("wall-time", row.figures.wall_s, "s")
    yield from _measure("cpu-time", row.figures.cpu_s, "s")
    yield from _measure("first-reply", row.figures.first_reply_s, "s")
    yield from _measure("reply-100", row.figures.reply_100_s, "s")
    yield from _measure("reply-10000", row.figures.reply_10000_s, "s")
    yield from _measure("cpu-time-per-request", row.figures.cpu_us_per_request, "µs")
    if row.figures.cpu_against_reference is not None:
        used = row.figures.cpu_against_reference
        yield Figure("cpu-ratio", used.ratio, used.ci, f"times the CPU of {race.result.reference}", False)
    if row.figures.latency_ms is not None and row.figures.latency_ms.p99 is not None:
        yield Figure("latency-p99", row.figures.latency_ms.p99, None, "ms", False)
    if row.peak_memory_bytes is not None:
        yield Figure("peak-memory", row.peak_memory_bytes, None, "bytes", False)
    if row.artifact_bytes is not None:
        yield Figure("file-size", row.artifact_bytes, None, "bytes", False)


def _times(race: Race) -> str:
    return f"times {words.as_good(race.result.judged_by)} as {race.result.reference}"


def _measure(
    name: str, measure: Measure | None, unit: str, *, more_is_better: bool = False
) -> Iterator[Figure]:
    if measure is not None:
        yield Figure(name, measure.estimate, measure.ci, unit, more_is_better)


def measured(race: Race) -> list[ContenderResult]:
    return [row for row in race.result.contenders if row.status == "measured"]
