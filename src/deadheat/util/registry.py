"""What a room has of one sort, by name: kinds, methods, gates, formats, generators, instruments.

A plugin is one file, and the room's `registry.py` names it in one place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from deadheat.errors import UserError

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Plugins by name, in the order given. `noun` is what one of them is called, in messages."""

    def __init__(self, noun: str, plugins: Mapping[str, T]) -> None:
        self._noun = noun
        self._plugins = dict(plugins)

    def __getitem__(self, name: str) -> T:
        return self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    def named(self, name: str, hint: str = "") -> T:
        """The plugin of a name that a user gave. Raises UserError that names the nearest, and `hint`."""
        if name in self._plugins:
            return self._plugins[name]
        near = nearest(name, self._plugins)
        meant = f'did you mean "{near}"? ' if near else ""
        raise UserError(
            f'no {self._noun} is called "{name}"', hint=meant + (hint or ", ".join(self._plugins))
        )


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, or None where none is."""
    return next(iter(difflib.get_close_matches(name, list(known), 1, cutoff=0.4)), None)
