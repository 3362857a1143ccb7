"""parquet: the three tidy tables with their types, for DuckDB, Polars, pandas, Arrow."""

from __future__ import annotations

from deadheat.export import arrow
from deadheat.export.format import Format, Rendered
from deadheat.export.source import Source
from deadheat.export.tables import Table, tables


def render(source: Source) -> Rendered:
    about = {"deadheat.run": source.results.run, "deadheat.version": source.results.version}
    if source.unfinished:
        about["deadheat.unfinished"] = source.unfinished
    return Rendered({f"{table.name}.parquet": _parquet(table, about) for table in tables(source)})


def _parquet(table: Table, about: dict[str, str]) -> bytes:
    # Slow to load, and the other formats do without.
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(arrow.table(table, about), sink, compression="snappy")
    return bytes(sink.getvalue())


FORMAT = Format(
    "parquet",
    "the same three tables with their types, for DuckDB, Polars, pandas",
    "deadheat export latest --to parquet --out tables",
    render,
    several=True,
    binary=True,
)
