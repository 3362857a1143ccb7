"""What a kind of workload is, to all who plan it, derive results from its runs or tell of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Traits:
    """One kind.

    `section`: of workload.toml, what is to be done. `serves`: contenders are servers under load, measured in
    slices; else programs that run to their end, measured by invocations. `unit`: what one of its many pieces
    of work is called, in full as `per`; `rate_unit` is how benchstat has them a second. `own_clock`: the
    program tells its own time too. `needs_service`: there is nothing to do without one. `beside`: which table
    stands beside a race's own: what a server holds, what a client does on its connection, what compilers made
    of a program. `answers`: what of an answer is shown there.
    """

    section: str
    serves: bool
    per: str
    beside: Literal["memory", "connection", "binary"]
    unit: str = "request"
    rate_unit: str = "req/s"
    own_clock: bool = False
    needs_service: bool = False
    answers: Literal["headers", "offers"] | None = None

    @property
    def turns(self) -> str:
        """What its races are counted in."""
        return "slices" if self.serves else "invocations"
