"""The load that a study's claims were made under, where it is not the workload's own."""

from typing import Self

from pydantic import Field, model_validator

from deadheat.model.base import Record
from deadheat.model.parameter import Setting


class Shape(Record):
    """A load of a study, by a `name` of ours, in the study's own `words`.

    Of servers `connections` in all, `streams`, requests in flight on each, and `cores`, how many CPUs each
    may use; null: as the workload has it. `set`: values of the workload's parameters.
    """

    name: str
    words: str
    workload: str
    connections: int | None = Field(default=None, ge=1)
    streams: int | None = Field(default=None, ge=1)
    cores: int | None = Field(default=None, ge=2)
    set_: dict[str, Setting] = Field(default={}, alias="set")

    @model_validator(mode="after")
    def _differs(self) -> Self:
        if not self.set_ and (self.connections, self.streams, self.cores) == (None, None, None):
            raise ValueError("a shape needs one of: connections; streams; cores; set")
        return self
