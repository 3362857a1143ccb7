"""What a kind of workload is, to all who plan it, derive results from its runs or tell of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Traits:
    """One kind.

    `section`: of workload.toml, what is to be done. `serves`: contenders are servers under load, measured in
    slices; else programs that run to their end, measured by invocations. `unit`: what one of its many pieces
    of work is called, in full as `per`; `rate_unit` is how benchstat has them a second. `beside`:
    which table stands beside a race's own: what a server holds, or what compilers made of a program.
    `answers`: what of an answer is shown there. `in_flight`: what several requests at once on a connection
    are called.
    """

    section: str
    serves: bool
    per: str
    beside: Literal["memory", "binary"]
    unit: str = "request"
    rate_unit: str = "req/s"
    answers: Literal["headers", "offers"] | None = None
    in_flight: str = "streams"

    @property
    def turns(self) -> str:
        """What its races are counted in."""
        return "slices" if self.serves else "invocations"
