"""Published claims beside what was found here, on one axis a study."""

from collections.abc import Iterator
from dataclasses import dataclass

from deadheat.model.claim import ClaimResult
from deadheat.model.result import Interval, Results
from deadheat.report import claims_table
from deadheat.report.axis import Axis
from deadheat.report.html.forest_view import percent

TICKS = 6
WIDEST = 30.0


@dataclass(frozen=True)
class ClaimLine:
    """Positions 0 to 100, None where there is no such figure."""

    statement: str
    published: str
    direction: str
    size: str
    here: str
    published_x: float | None
    here_x: float | None
    left: float | None
    right: float | None


@dataclass(frozen=True)
class Study:
    name: str
    totals: str
    one: float
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[ClaimLine, ...]
    not_run: tuple[tuple[str, int], ...]
    broken: tuple[str, ...]
    notes: tuple[str, ...]


def studies(results: Results) -> Iterator[Study]:
    for name, rows, broken in claims_table.by_study(results):
        listed = claims_table.shown(rows)
        lines, notes = claims_table.reported(
            [row for row in listed if claims_table.direction(row) != "not run"]
        )
        ends = [1.0, *(end for line in lines for end in _ends(line.row))]
        axis = Axis(max(min(ends), 1 / WIDEST) / 1.15, min(max(ends), WIDEST) * 1.15)
        yield Study(
            name,
            claims_table.totals(listed),
            percent(axis, 1.0),
            tuple((percent(axis, t), f"{t:g}") for t in axis.ticks(TICKS)),
            tuple(_line(line, axis) for line in lines),
            tuple(claims_table.not_run(rows).items()),
            tuple(claims_table.gate(gate) for gate in broken),
            tuple(filter(None, (*notes, claims_table.adjusted(listed)))),
        )


def _line(line: claims_table.ClaimRow, axis: Axis) -> ClaimLine:
    row = line.row
    published, here, ci = row.published.get("ratio"), _here(row), _ci(row)
    return ClaimLine(
        claims_table.name(row),
        claims_table.published(row),
        line.direction,
        line.size,
        line.here,
        percent(axis, published) if isinstance(published, float) and published > 0 else None,
        percent(axis, here) if here else None,
        percent(axis, ci[0]) if ci else None,
        percent(axis, ci[1]) if ci else None,
    )


def _ends(row: ClaimResult) -> list[float]:
    published, here, ci = row.published.get("ratio"), _here(row), _ci(row)
    ends = [published if isinstance(published, float) else None, here, *(ci or ())]
    return [end for end in ends if end is not None and end > 0]


def _here(row: ClaimResult) -> float | None:
    ratio = row.here["ratio"] if row.here else None
    return ratio if isinstance(ratio, float) else None


def _ci(row: ClaimResult) -> Interval | None:
    ci = row.here["ci"] if row.here else None
    return (ci[0], ci[1]) if isinstance(ci, tuple | list) else None
