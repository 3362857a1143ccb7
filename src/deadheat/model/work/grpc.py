"""A call of gRPC, and the reply that is right."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from deadheat.model import json_text
from deadheat.model.base import Record
from deadheat.model.parameter import Setting, holds


class GrpcWork(Record):
    """A unary (or server-streaming) call: `data` and the reply that is right, `expect`, each a table or JSON
    in a text, as protobuf has it; `{token}` stands for the slice's random token. Without `expect` any reply
    will do whose status is OK.

    `conformance`: how a "stack" answers calls of all sorts, and what it refuses; or just how this "call" is
    answered, of a contract of which nothing else is known. Requests are compressed, and replies may be, in
    races whose parameters are as `gzip_when` says.
    """

    proto: str
    call: str
    data: Annotated[dict[str, Any], json_text.READ]
    expect: Annotated[dict[str, Any] | None, json_text.READ] = None
    conformance: Literal["stack", "call"] = "stack"
    messages: int = Field(default=1, ge=1)
    gzip_when: dict[str, Setting] | None = None

    @model_validator(mode="after")
    def _a_stack_has_a_reply(self) -> Self:
        if self.expect is None and self.conformance == "stack":
            raise ValueError('expect: say which reply is right, or conformance = "call"')
        return self

    def gzip(self, values: Mapping[str, Setting]) -> bool:
        """Whether requests are compressed in a race with these values of the workload's parameters."""
        return self.gzip_when is not None and holds(self.gzip_when, values)
