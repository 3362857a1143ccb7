"""What a job of a CI service found: `ci.json`, from which its comment is written, by it or by another."""

from pydantic import Field

from deadheat.model.ab import Comparison
from deadheat.model.base import Record

FILE = "ci.json"


class CiJob(Record):
    """`head` is the commit that people know, of a pull request its own and not the merge that was raced.

    `code`: what the comparison ended with; `error`: why there is none. `repeat`: the command, as pasted.
    """

    schema_: int = Field(default=1, alias="schema")
    pull_request: int | None = Field(default=None, ge=1)
    base: str = Field(pattern="^[0-9a-f]{40,64}$")
    head: str = Field(pattern="^[0-9a-f]{40,64}$")
    code: int
    repeat: str
    error: str | None = None
    comparison: Comparison | None = None
