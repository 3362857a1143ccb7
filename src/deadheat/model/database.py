"""A table that each contender has in a database of its own, with values that nobody knows before a block."""

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator

from deadheat.model.base import Record

Row = Mapping[str, str]


class Several(Record):
    """Rows of one request under load: how many are `drawn`, the same one twice now and then, and what a reply
    says of each `row`. A request for more than `most` is answered with the first so many."""

    drawn: int = Field(ge=2)
    most: int = Field(ge=2)
    row: str


class Database(Record):
    """`[database]` of workload.toml: of the PostgreSQL that a service is, each entry has a database of its
    own, as `{database}` in its environment.

    In each is the `table`, made by the statement `create`; its two `columns` are an id, from 1 to `rows`, and
    a value drawn anew in each block from the range `values` (both ends). Requests say `{id}`, their replies
    `{value}`: of a row drawn for each request.

    With `several` a request is for more than one: it says `{ids}`, with commas between, and its reply says
    `{rows}`.
    """

    service: str
    table: str
    create: str
    columns: tuple[str, str]
    rows: int = Field(ge=1, le=1_000_000)
    values: tuple[int, int]
    several: Several | None = None

    @model_validator(mode="after")
    def _has_a_range(self) -> Self:
        if self.values[0] >= self.values[1]:
            raise ValueError("values is a range: its two ends, the smaller first")
        return self

    @property
    def drawn(self) -> int:
        """Rows of a request, each by a statement of its own."""
        return 1 if self.several is None else self.several.drawn

    def asked(self, rows: Sequence[Row]) -> Row:
        """What a request for these rows and its reply say, by its name in braces."""
        if self.several is None:
            (row,) = rows
            return row
        of_each = (
            self.several.row.replace("{id}", row["id"]).replace("{value}", row["value"]) for row in rows
        )
        return {"ids": ",".join(row["id"] for row in rows), "rows": ",".join(of_each)}
