"""csv: the three tidy tables for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io

from deadheat.export.format import Format, Rendered
from deadheat.export.source import Source
from deadheat.export.tables import Cell, Table, tables


def render(source: Source) -> Rendered:
    return Rendered({f"{table.name}.csv": _csv(table).encode() for table in tables(source)})


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(row.get(name)) for name in table.columns])
    return out.getvalue()


def _cell(value: Cell) -> Cell:
    """Booleans as JSON has them; and text that spreadsheets would run as a formula must stay text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


FORMAT = Format(
    "csv",
    "three tidy tables (slices, blocks, verdicts) for spreadsheets, R, pandas",
    "deadheat export latest --to csv --out tables",
    render,
    several=True,
)
