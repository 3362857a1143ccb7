"""What a study printed of a contender, column by column, and the same by its own method here, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from deadheat.model.observation import OutsideRun
from deadheat.model.published import PublishedRow
from deadheat.model.result import ContenderResult, RaceResult
from deadheat.model.statement import Column
from deadheat.report import words

MB = 1 << 20
LATENCIES = ("min", "mean", "stdev", "max")

Printed = Callable[[PublishedRow], str | None]
Here = Callable[[ContenderResult, OutsideRun | None], str | None]


def published(column: Column, row: PublishedRow) -> str | None:
    """What the study printed there; None where it printed nothing."""
    return _PRINTED[column](row)


def here(column: Column, row: ContenderResult) -> str | None:
    """The same of this run; None where the tool prints no such thing."""
    return _HERE[column](row, row.figures.outside)


HEADER = ("contender", "column", "published", "here")


def rows(result: RaceResult) -> Iterator[tuple[str, str, str, str]]:
    """In the order of HEADER: every column that the study printed of a contender."""
    for row in result.contenders:
        for column in get_args(Column):
            printed = published(column, row.published) if row.published is not None else None
            found = here(column, row) if row.status == "measured" else None
            if printed is not None:
                yield row.id, column, printed, found or words.DASH


def _latency(figures: Mapping[str, float]) -> str | None:
    return _joined(f"{name} {words.figure(figures[name])} ms" for name in LATENCIES if name in figures)


def _percentiles(figures: Mapping[str, float]) -> str | None:
    known = sorted((float(name[1:]), ms) for name, ms in figures.items() if name[1:2].isdigit())
    return _joined(f"p{at:g} {words.figure(ms)} ms" for at, ms in known)


def _histogram(cells: Sequence[tuple[float, int]]) -> str | None:
    """The share of calls below each edge, so that histograms with other edges can be read together."""
    total = sum(count for _, count in cells)
    below, shares = 0, []
    for edge, count in cells:
        below += count
        shares.append(f"{below / total:.1%} below {words.figure(edge)} ms")
    return _joined(shares[1:4]) if total else None


def _thread_rates(figures: Mapping[str, float]) -> str | None:
    if not figures:
        return None
    within = figures.get("within_stdev_percent")
    of = [f"{name} {words.figure(figures[name])}" for name in ("mean", "stdev", "max") if name in figures]
    return _joined([*of, *([f"{within:.1f}% within one stdev"] if within is not None else [])])


def _bytes(read: float | None, requests: int | None, seconds: float | None) -> str | None:
    """Megabytes of 2^20, as wrk counts them."""
    if not read:
        return None
    of = [f"{words.figure(read / MB)} MB"]
    of += [f"{words.figure(read / MB / seconds)} MB/s"] if seconds else []
    of += [f"{words.figure(read / requests)} bytes a response"] if requests else []
    return _joined(of)


def _counts(counted: Mapping[str, int]) -> str | None:
    return _joined(f"{name} {count:,}" for name, count in counted.items())


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.0f}%"


def _seconds(value: float | None) -> str | None:
    return None if value is None else words.seconds(value)


def _user_and_system(user_s: float | None, system_s: float | None) -> str | None:
    if user_s is None or system_s is None:
        return None
    return f"{words.seconds(user_s)} user, {words.seconds(system_s)} system"


def _wall(clock_s: float | None, process_s: float | None) -> str | None:
    named = {"own clock": clock_s, "the process": process_s}
    return _joined(f"{name} {words.seconds(value)}" for name, value in named.items() if value is not None)


def _joined(parts: Iterator[str] | Sequence[str]) -> str | None:
    return ", ".join(parts) or None


def _printed_read(row: PublishedRow) -> str | None:
    return _bytes(row.mb_read * MB if row.mb_read is not None else None, row.requests, row.seconds)


def _estimate(row: ContenderResult, metric: str) -> float | None:
    measure = getattr(row.figures, metric)
    return None if measure is None else float(measure.estimate)


def _process_cpu(row: ContenderResult) -> str | None:
    """As time has it: user and system time over what passed."""
    cpu_s, wall_s = _estimate(row, "cpu_s"), _estimate(row, "wall_s")
    return _percent(100 * cpu_s / wall_s) if cpu_s is not None and wall_s else None


def _service_cpu(row: ContenderResult) -> str | None:
    """Of the server that a program talks to, while the program's own clock ran."""
    share = next((gate.value for gate in row.gates if gate.name == "server-limited"), None)
    return None if share is None else _percent(100 * share)


_PRINTED: dict[Column, Printed] = {
    "throughput": lambda row: words.figure(row.throughput_rps) if row.throughput_rps is not None else None,
    "latency": lambda row: _latency(row.latency_ms),
    "latency within one stdev": lambda row: _percent(row.within_stdev_percent),
    "percentiles": lambda row: _percentiles(row.latency_ms),
    "histogram": lambda row: _histogram(row.histogram),
    "requests a thread": lambda row: _thread_rates(row.thread_rps),
    "requests": lambda row: None if row.requests is None else f"{row.requests:,}",
    "bytes read": _printed_read,
    "errors": lambda row: _counts(row.errors),
    "statuses": lambda row: _counts(row.statuses),
    "duration": lambda row: _seconds(row.seconds),
    "server CPU": lambda row: _percent(row.cpu_percent),
    "generator CPU": lambda row: _percent(row.generator_cpu_percent),
    "process CPU": lambda row: _percent(row.process_cpu_percent),
    "service CPU": lambda row: _percent(row.service_cpu_percent),
    "binary size": lambda row: row.binary,
    "memory": lambda row: row.memory,
    "wall time": lambda row: _wall(row.own_wall_s, row.wall_s),
    "user and system time": lambda row: _user_and_system(row.user_s, row.system_s),
}


def _of_run(of: Callable[[OutsideRun], str | None]) -> Here:
    return lambda _, run: None if run is None else of(run)


_HERE: dict[Column, Here] = {
    "throughput": _of_run(lambda run: words.figure(run.throughput_rps)),
    "latency": _of_run(lambda run: _latency(run.latency_ms)),
    "latency within one stdev": _of_run(lambda run: _percent(run.within_stdev_percent)),
    "percentiles": _of_run(lambda run: _percentiles(run.latency_ms)),
    "histogram": _of_run(lambda run: _histogram(run.histogram)),
    "requests a thread": _of_run(lambda run: _thread_rates(run.thread_rps)),
    "requests": _of_run(lambda run: f"{run.requests:,}"),
    "bytes read": _of_run(lambda run: _bytes(run.bytes_in, run.requests, run.seconds)),
    "errors": _of_run(lambda run: _counts(run.errors) or "none"),
    "statuses": _of_run(lambda run: _counts(run.statuses)),
    "duration": _of_run(lambda run: words.seconds(run.seconds)),
    "server CPU": _of_run(
        lambda run: None if run.server_cpu_s is None else _percent(100 * run.server_cpu_s / run.wall_s)
    ),
    "generator CPU": _of_run(lambda run: _percent(100 * run.generator_cpu_s / run.wall_s)),
    "process CPU": lambda row, _: _process_cpu(row),
    "service CPU": lambda row, _: _service_cpu(row),
    "binary size": lambda row, _: words.size(row.artifact_bytes) if row.artifact_bytes else None,
    "memory": lambda row, _: words.size(row.peak_memory_bytes) if row.peak_memory_bytes else None,
    "wall time": lambda row, _: _wall(_estimate(row, "own_wall_s"), _estimate(row, "wall_s")),
    "user and system time": lambda row, _: _user_and_system(
        _estimate(row, "user_s"), _estimate(row, "system_s")
    ),
}
