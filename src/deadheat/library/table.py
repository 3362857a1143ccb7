"""A table of a run, for whatever takes Arrow: polars, pandas, DuckDB, pyarrow."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deadheat.errors import UserError
from deadheat.export import arrow, tables
from deadheat.export.tables import Cell, Row

if TYPE_CHECKING:
    import pandas
    import polars

# A notebook shows so many rows.
SHOWN = 20


class Table:
    """Rows with named, typed columns; a cell that is not known is None."""

    def __init__(self, table: tables.Table) -> None:
        self._table = table

    @property
    def name(self) -> str:
        return self._table.name

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._table.columns)

    def __len__(self) -> int:
        return len(self._table.rows)

    def __iter__(self) -> Iterator[Row]:
        """The rows, each with all columns."""
        return ({name: row.get(name) for name in self.columns} for row in self._table.rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface: `polars.DataFrame(table)`, `pyarrow.table(table)`."""
        return arrow.table(self._table).__arrow_c_stream__(requested_schema)

    def to_polars(self) -> polars.DataFrame:
        """Raises UserError where polars is not installed."""
        try:
            import polars
        except ImportError as error:
            raise _not_installed("polars") from error
        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Whole numbers and truths that have empty cells are of pandas' own types, so that they stay what
        they are. Raises UserError where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise _not_installed("pandas") from error
        own = {"int64": pandas.Int64Dtype(), "bool": pandas.BooleanDtype()}
        frame: pandas.DataFrame = arrow.table(self._table).to_pandas(
            types_mapper=lambda type_: own.get(str(type_))
        )
        return frame

    def __repr__(self) -> str:
        return f"<deadheat.Table {self.name}: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """The columns in which anything is known."""
        columns = [
            name for name in self.columns if any(row.get(name) is not None for row in self._table.rows)
        ]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in columns)}</tr>"
            for row in self._table.rows[:SHOWN]
        )
        more = len(self) - SHOWN
        rest = f"<p>{more} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def _not_installed(package: str) -> UserError:
    return UserError(f"{package} is not installed", hint=f"pip install 'deadheat[{package}]'")
