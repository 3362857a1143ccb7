"""What a program that runs to its end has to do."""

from typing import Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.choices import Preset


class SizeCheck(Record):
    """Which n are checked before any timing: a range (both ends), and a range one n is drawn from."""

    range: tuple[int, int]
    random: tuple[int, int]


class Sizes(Record):
    """The size n of a program, for each preset where that is not the default."""

    default: int
    quick: int | None = None
    standard: int | None = None
    thorough: int | None = None
    check: SizeCheck | None = None

    def at(self, preset: Preset) -> int:
        own = getattr(self, preset)
        return self.default if own is None else int(own)


class RaceSize(Record):
    """How much a race of a preset measures: blocks, and rounds of each."""

    blocks: int = Field(ge=1)
    rounds: int = Field(ge=1)


class CallsWork(Record):
    """Two small n, and how many more calls the source asks for at the larger than at the smaller."""

    n: tuple[int, int]
    asked: int = Field(ge=1)


class Hooks(Record):
    """Lines for a shell, in the folder of each contender, with what `args` may name in braces; neither timed
    nor counted. `setup` and `cleanup`: before the first and after the last invocation of a contender in a
    block; `prepare` and `conclude`: before and after each invocation."""

    setup: str | None = None
    prepare: str | None = None
    conclude: str | None = None
    cleanup: str | None = None


class ProgramWork(Record):
    """A program run to completion: its arguments (`{n}` is the size) and how long it may take, seconds.

    `output`: what it must print, the oracle's output or anything. `races`: of presets, where that is not
    what is usual for programs.
    """

    args: tuple[str, ...]
    timeout_s: float = Field(default=120, gt=0)
    n: Sizes
    calls: CallsWork | None = None
    output: Literal["oracle", "any"] = "oracle"
    hooks: Hooks = Hooks()
    races: dict[Preset, RaceSize] = {}
