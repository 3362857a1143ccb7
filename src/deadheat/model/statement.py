"""A checkable statement of a published text: what answers it here, or why nothing can."""

from typing import Literal, Self, get_args

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
Answer = Literal["claims", "load", "column", "conformance", "explained", "never"]


class Statement(Record):
    """One statement, in a few of the study's own `words`, the `figures` it gives and `where` it stands.

    One of these answers it: `claims` (by their names), a published `load` (by its name, Little's law), a
    `column` (printed of `rows`, all where none is named: it stands beside ours by the study's own method;
    with `each_setting` in every setting that the study ran them in, for what it says of two of them),
    `conformance` (the workload whose check asks just that), `explained` (a cause inside of a program, which
    no race judges: what `deadheat explain` shows of it, and where that stands), or nothing ever: then `never`
    says in one sentence why, and what would.
    """

    words: str
    where: str
    figures: str | None = None
    claims: tuple[str, ...] = ()
    load: str | None = None
    column: Column | None = None
    rows: tuple[str, ...] = ()
    each_setting: bool = False
    conformance: str | None = None
    explained: str | None = None
    never: str | None = None

    @model_validator(mode="after")
    def _has_one_answer(self) -> Self:
        if len(self._given()) != 1:
            raise ValueError(f'"{self.words}" needs one of: {"; ".join(get_args(Answer))}')
        if (self.rows or self.each_setting) and self.column is None:
            raise ValueError(f'"{self.words}" names rows but no column')
        return self

    @property
    def answer(self) -> Answer:
        """By what it is answered."""
        return self._given()[0]

    def _given(self) -> list[Answer]:
        return [answer for answer in get_args(Answer) if getattr(self, answer) not in (None, ())]
