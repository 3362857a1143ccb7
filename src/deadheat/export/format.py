"""What a format is: a name, what reads it, and how a run becomes its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from deadheat.export.source import Source


@dataclass(frozen=True)
class Rendered:
    """The files of an export by their names; `notes` say what was left out and why."""

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Format:
    """A format by the name that `--to` knows.

    `several`: it is a folder of files; `binary`: it is not for a terminal. `render` raises UserError where
    nothing of the run can be said in it.
    """

    name: str
    what: str
    example: str
    render: Callable[[Source], Rendered]
    several: bool = False
    binary: bool = False


def text(name: str, content: str, notes: tuple[str, ...] = ()) -> Rendered:
    """One file of UTF-8 text."""
    return Rendered({name: content.encode()}, notes)
