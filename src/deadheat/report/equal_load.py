"""Latency at equal load: what each contender's clients waited, at the same fixed rates."""

from collections.abc import Iterator

from deadheat.model.result import LatencyAtLoad, Measure, RaceResult
from deadheat.report import words

CAPTION = (
    "Latency in milliseconds at equal load, from the intended send time (open loop): median and 99th "
    "percentile with 95% intervals over blocks."
)


def table(result: RaceResult) -> list[list[str]] | None:
    """The header, then a row a contender: p50 and p99 at each load; None where none was measured."""
    loads = {at.load: at.at_rps for row in result.contenders for at in row.figures.latency_at_load}
    if not loads:
        return None
    header = [""]
    for load, rate in loads.items():
        at = f"at {words.figure(rate)}/s ({load:.0%} of the slowest)"
        header += [f"p50 {at}", f"p99 {at}"]
    return [header, *_rows(result, list(loads))]


def lines(result: RaceResult) -> Iterator[str]:
    """For the terminal, a line a load: the 99th percentile of each contender, best first."""
    loads = {at.load: at.at_rps for row in result.contenders for at in row.figures.latency_at_load}
    for load, rate in loads.items():
        found = [
            (measure.estimate, row.id)
            for row in result.contenders
            if (measure := _percentile(_at(row.figures.latency_at_load, load), "p99")) is not None
        ]
        if found:
            listed = ", ".join(f"{id_} {words.figure(p99)}" for p99, id_ in sorted(found))
            yield f"p99 at {words.figure(rate)}/s, ms ({load:.0%} of the slowest one's capacity): {listed}"


def _rows(result: RaceResult, loads: list[float]) -> Iterator[list[str]]:
    for row in result.contenders:
        if not row.figures.latency_at_load:
            continue
        cells = [row.id]
        for load in loads:
            at = _at(row.figures.latency_at_load, load)
            cells += [_cell(_percentile(at, "p50")), _cell(_percentile(at, "p99"))]
        yield cells


def _at(measured: tuple[LatencyAtLoad, ...], load: float) -> LatencyAtLoad | None:
    return next((at for at in measured if at.load == load), None)


def _percentile(at: LatencyAtLoad | None, name: str) -> Measure | None:
    return None if at is None else at.latency_ms.get(name)


def _cell(measure: Measure | None) -> str:
    if measure is None:
        return words.DASH
    interval = f" ({words.interval(measure.ci)})" if measure.ci is not None else ""
    return words.figure(measure.estimate) + interval
