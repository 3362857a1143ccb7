"""What each contender costs beside its speed: a table with a bar in each cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deadheat.model.result import ContenderResult, RaceResult
from deadheat.model.workload import COLD
from deadheat.report import cpu_ratios, words

Value = Callable[[ContenderResult], float | None]


@dataclass(frozen=True)
class Cell:
    """A figure as text, its value to sort by, and its share of the column's greatest (0 to 100)."""

    text: str
    value: float | None
    share: float


@dataclass(frozen=True)
class Column:
    title: str
    hint: str
    more_is_better: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class _Asked:
    """A column before its cells: what a row has in it, and how that is said. `cell`: where more is said than
    the value."""

    title: str
    hint: str
    more_is_better: bool
    value: Value
    text: Callable[[float], str]
    cell: Callable[[ContenderResult], str] | None = None


def columns(result: RaceResult) -> tuple[Column, ...]:
    """Only columns in which somebody has a figure; cells in the order of the race's contenders."""
    loads = {
        round(r.figures.latency_ms.at_rps)
        for r in result.contenders
        if r.figures.latency_ms and r.figures.latency_ms.at_rps
    }
    rate = words.rate(result.kind)
    at = f"at {words.figure(max(loads))} {rate} for each" if loads else "each at its own full speed"
    asked = [
        _Asked(rate, "replies a second", True, lambda r: _estimate(r.figures.throughput_rps), words.figure),
        _Asked("wall time", "of one invocation", False, lambda r: _estimate(r.figures.wall_s), words.seconds),
        _Asked("its own clock", "wall time by the program itself", False,
               lambda r: _estimate(r.figures.own_wall_s), words.seconds),
        _Asked("CPU time", "user and system, of one invocation", False,
               lambda r: _estimate(r.figures.cpu_s), words.seconds),
        _Asked(f"CPU a {words.asked(result.kind)}", "CPU time of the server for each reply", False,
               lambda r: _estimate(r.figures.cpu_us_per_request), lambda v: f"{words.figure(v)} µs"),
        _Asked(cpu_ratios.title(result), "by block, with its 95% interval", False,
               _cpu_ratio, words.ratio, lambda r: cpu_ratios.cell(result, r)),
        *(_Asked(words.UNITS[one], "from its start", False, _of(one), words.seconds) for one in COLD),
        _Asked("of ceiling", "of what the least possible work reaches here", True,
               lambda r: r.figures.of_ceiling, lambda v: f"{v:.0%}"),
        _Asked("p50", at, False, lambda r: _percentile(r, "p50"), _ms),
        _Asked("p99", at, False, lambda r: _percentile(r, "p99"), _ms),
        _Asked("p99.9", at, False, lambda r: _percentile(r, "p99_9"), _ms),
        _Asked("first response", "from its start to its first right answer", False,
               lambda r: r.figures.first_response_ms, _ms),
        _Asked("peak memory", "of the whole process tree", False,
               lambda r: _float(r.peak_memory_bytes), _size),
        _Asked("artifact", "what is deployed", False, lambda r: _float(r.artifact_bytes), _size),
        _Asked("runtime", "what must be shipped with it: interpreter or virtual machine, its library", False,
               lambda r: _float(r.runtime_bytes), _size),
        _Asked("build", "from clean sources", False, lambda r: r.build_s, words.seconds),
    ]  # fmt: skip
    found = (_column(result.contenders, one) for one in asked)
    return tuple(column for column in found if any(cell.value is not None for cell in column.cells))


def _column(rows: Sequence[ContenderResult], asked: _Asked) -> Column:
    values = [asked.value(row) for row in rows]
    most = max((v for v in values if v is not None), default=0.0)
    cells = (
        Cell(words.DASH, None, 0.0)
        if v is None
        else Cell(
            asked.cell(row) if asked.cell else asked.text(v), v, round(100 * v / most, 1) if most > 0 else 0.0
        )
        for row, v in zip(rows, values, strict=True)
    )
    return Column(asked.title, asked.hint, asked.more_is_better, tuple(cells))


def _estimate(measure: object) -> float | None:
    found = getattr(measure, "estimate", None)
    return None if found is None else float(found)


def _of(metric: str) -> Value:
    return lambda row: _estimate(row.figures.measure(metric))


def _cpu_ratio(row: ContenderResult) -> float | None:
    used = row.figures.cpu_against_reference
    return None if used is None else used.ratio


def _percentile(row: ContenderResult, name: str) -> float | None:
    found = getattr(row.figures.latency_ms, name, None)
    return None if found is None else float(found)


def _float(value: int | None) -> float | None:
    return None if value is None else float(value)


def _ms(value: float) -> str:
    return f"{words.figure(value)} ms"


def _size(value: float) -> str:
    return words.size(int(value))
