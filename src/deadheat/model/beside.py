"""Rows of a study that no claim names."""

from pydantic import Field

from deadheat.model.base import Record


class Beside(Record):
    """`contenders` of a `workload` that are raced by our method beside the claims, against the `reference`
    that they vary: another start, another build. What they are worth stands on the study's page."""

    workload: str
    reference: str
    contenders: tuple[str, ...] = Field(min_length=1)
