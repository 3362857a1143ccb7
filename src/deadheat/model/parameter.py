"""A parameter of a workload: what a race of it may set (`--set`), or be run through (`--sweep`)."""

from collections.abc import Mapping
from typing import Self

from pydantic import model_validator

from deadheat.model.base import Record
from deadheat.model.choices import Metric, Preset

Setting = int | str


class Parameter(Record):
    """A whole number of a `range` (both ends), or one of the words `one_of`; `what` it is, in a clause.

    `default`: its value where nothing is asked; without one the workload goes without it. `presets`: the
    values that a preset races where nothing is asked, each in a race of its own; else the default alone.
    `args`: what programs are given beside their own arguments where it has a value, which is `{NAME}` there.
    `metric`: what races at these values compare, where that is not the workload's own.
    """

    what: str
    range: tuple[int, int] | None = None
    one_of: tuple[str, ...] = ()
    default: Setting | None = None
    presets: dict[Preset, tuple[Setting, ...]] = {}
    args: tuple[str, ...] = ()
    metric: dict[str, Metric] = {}

    @model_validator(mode="after")
    def _is_of_one_type(self) -> Self:
        if (self.range is None) == (not self.one_of):
            raise ValueError("a parameter needs either a range or one_of")
        asked = (self.default, *(v for of in self.presets.values() for v in of), *self.metric)
        for value in filter(None, asked):
            self.value(str(value))
        return self

    def value(self, text: str) -> Setting:
        """What a word of the command line means. Raises ValueError that says what may be given."""
        if self.range is None:
            if text in self.one_of:
                return text
            raise ValueError(f"one of {', '.join(self.one_of)}")
        low, high = self.range
        if text.isascii() and text.isdigit() and low <= int(text) <= high:
            return int(text)
        raise ValueError(f"a whole number of {low:,} to {high:,}")


def holds(when: Mapping[str, Setting], values: Mapping[str, Setting | None]) -> bool:
    """Whether these parameters are so among the values of a race."""
    return all(values.get(name) == value for name, value in when.items())
