"""The tidy tables as Arrow's: what parquet files and the library make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deadheat.export.tables import Table, Type

if TYPE_CHECKING:
    import pyarrow

TYPES: dict[Type, str] = {"text": "string", "int": "int64", "float": "float64", "bool": "bool"}


def table(found: Table, about: Mapping[str, str] | None = None) -> pyarrow.Table:
    """With its columns' types, and `about` as the schema's metadata."""
    # Slow to load, and most of us do without.
    import pyarrow as pa

    schema = pa.schema(
        [(name, TYPES[type_]) for name, type_ in found.columns.items()],
        metadata=dict(about) if about is not None else None,
    )
    columns = {name: [row.get(name) for row in found.rows] for name in found.columns}
    return pa.table(columns, schema=schema)
