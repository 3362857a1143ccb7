"""A table that each contender has in a database of its own, with values that nobody knows before a block."""

from typing import Self

from pydantic import Field, model_validator

from deadheat.model.base import Record


class Database(Record):
    """`[database]` of workload.toml: of the PostgreSQL that a service is, each entry has a database of its
    own, as `{database}` in its environment.

    In each is the `table`, made by the statement `create`; its two `columns` are an id, from 1 to `rows`, and
    a value drawn anew in each block from the range `values` (both ends). Requests say `{id}`, their replies
    `{value}`: of a row drawn for each request.
    """

    service: str
    table: str
    create: str
    columns: tuple[str, str]
    rows: int = Field(ge=1, le=1_000_000)
    values: tuple[int, int]

    @model_validator(mode="after")
    def _has_a_range(self) -> Self:
        if self.values[0] >= self.values[1]:
            raise ValueError("values is a range: its two ends, the smaller first")
        return self
