"""A checkable statement of a published text: what answers it here, or why nothing can."""

from typing import Literal, Self

from pydantic import model_validator

from deadheat.model.base import Record

# What a study may have printed of a contender, and what stands beside it here by the study's own method.
Column = Literal[
    "throughput",
    "latency",
    "latency within one stdev",
    "percentiles",
    "histogram",
    "requests a thread",
    "requests",
    "bytes read",
    "errors",
    "statuses",
    "duration",
    "server CPU",
    "generator CPU",
    "process CPU",
    "service CPU",
    "binary size",
    "memory",
    "wall time",
    "user and system time",
]
Answer = Literal["claims", "load", "column", "conformance", "never"]


class Statement(Record):
    """One statement, in a few of the study's own `words`, the `figures` it gives and `where` it stands.

    One of these answers it: `claims` (by their names), a published `load` (by its name, Little's law), a
    `column` (printed of `rows`, all where none is named: it stands beside ours by the study's own method),
    `conformance` (the workload whose check asks just that), or nothing ever: then `never` says in one
    sentence why, and what would.
    """

    words: str
    where: str
    figures: str | None = None
    claims: tuple[str, ...] = ()
    load: str | None = None
    column: Column | None = None
    rows: tuple[str, ...] = ()
    conformance: str | None = None
    never: str | None = None

    @model_validator(mode="after")
    def _has_one_answer(self) -> Self:
        given = [
            bool(self.claims),
            *(x is not None for x in (self.load, self.column, self.conformance, self.never)),
        ]
        if sum(given) != 1:
            raise ValueError(f'"{self.words}" needs one of: claims; load; column; conformance; never')
        if self.rows and self.column is None:
            raise ValueError(f'"{self.words}" names rows but no column')
        return self

    @property
    def answer(self) -> Answer:
        """By what it is answered."""
        if self.claims:
            return "claims"
        if self.load is not None:
            return "load"
        if self.column is not None:
            return "column"
        return "conformance" if self.conformance is not None else "never"
