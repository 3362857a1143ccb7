"""A table that each contender has in a database of its own, with values that nobody knows before a block."""

import html
from collections.abc import Mapping, Sequence
from typing import Literal, Self
from urllib.parse import quote

from pydantic import Field, model_validator

from deadheat.model.base import Record

Row = Mapping[str, str]


class Several(Record):
    """Rows of one request under load: how many are `drawn`, the same one twice now and then, and what a reply
    says of each `row`. A request for more than `most` is answered with the first so many.

    With `writes` a request gives each of its rows another value, says `{rows}` as its reply does, with these
    values, has no row twice under load, and is never for more than `most`.

    With `kept` a contender may keep rows: no value changes in a block, in which it reads each row once.
    """

    drawn: int = Field(ge=2)
    most: int = Field(ge=2)
    row: str
    writes: bool = False
    kept: bool = False

    @model_validator(mode="after")
    def _keeps_what_does_not_change(self) -> Self:
        if self.writes and self.kept:
            raise ValueError("rows that a request writes are not kept")
        return self


class Page(Record):
    """All rows of the table in one page, by one statement, and a row more that the request brings: its id is
    0 and its value `{add}`. The page has them by value, from the least code point to the greatest.

    `drawn`: how many requests a block draws from, each with a value of its own to add, which ends in the
    slice's `{token}`. `row`: what a reply says of each row, in HTML.
    """

    drawn: int = Field(ge=2)
    row: str


ADDED = "0"


class Database(Record):
    """`[database]` of workload.toml: of the PostgreSQL that a service is, each entry has a database of its
    own, as `{database}` in its environment.

    In each is the `table`, made by the statement `create`; its two `columns` are an id, from 1 to `rows`, and
    a value drawn anew in each block from the range `values` (both ends), or "texts" that HTML escapes.
    Requests say `{id}`, their replies `{value}`: of a row drawn for each request.

    With `several` a request is for more than one: it says `{ids}`, with commas between, and its reply says
    `{rows}`. With `page` it is for all of them, says `{add}`, and its reply says `{rows}`.
    """

    service: str
    table: str
    create: str
    columns: tuple[str, str]
    rows: int = Field(ge=1, le=1_000_000)
    values: tuple[int, int] | Literal["texts"]
    several: Several | None = None
    page: Page | None = None

    @model_validator(mode="after")
    def _asks_for_what_it_has(self) -> Self:
        if self.values != "texts" and self.values[0] >= self.values[1]:
            raise ValueError("values is a range: its two ends, the smaller first")
        if (self.values == "texts") != (self.page is not None):
            raise ValueError('values = "texts" are what a page is of, and a page is of no others')
        if self.page is not None and self.several is not None:
            raise ValueError("a request is for several rows or for a page of all")
        return self

    @property
    def statements(self) -> int:
        """That a request under load takes."""
        return 1 if self.several is None else self.several.drawn

    @property
    def kept(self) -> bool:
        """Whether rows may be kept, once they are read."""
        return self.several is not None and self.several.kept

    @property
    def given(self) -> int:
        """Rows that its statements give."""
        return self.rows if self.page is not None else self.statements

    @property
    def written(self) -> int | None:
        """Rows that a request under load gives another value; None where none is to be written."""
        return self.several.drawn if self.several is not None and self.several.writes else None

    def asked(self, rows: Sequence[Row]) -> Row:
        """What a request for these rows and its reply say, by its name in braces."""
        if self.several is None:
            (row,) = rows
            return row
        of_each = (_said(self.several.row, row["id"], row["value"]) for row in rows)
        return {"ids": ",".join(row["id"] for row in rows), "rows": ",".join(of_each)}

    def asked_for_page(self, rows: Sequence[Row], added: str) -> Row:
        """What a request for a page of all rows says that brings this text, and what its reply says."""
        assert self.page is not None
        every = [*rows, {"id": ADDED, "value": f"{added} {{token}}"}]
        every.sort(key=lambda row: row["value"])
        of_each = (_said(self.page.row, row["id"], html.escape(row["value"])) for row in every)
        return {"add": quote(f"{added} ", safe="") + "{token}", "rows": "".join(of_each)}


def _said(row: str, id_: str, value: str) -> str:
    return row.replace("{id}", id_).replace("{value}", value)
