"""Outputs that are texts for people, read line by line, in order.

A line that is not known is an error that quotes it: a figure must never be taken from an output that was
understood in part, nor an error count be dropped because its line was new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deadheat.generators.outside import GeneratorError


@dataclass(frozen=True)
class Line:
    """A line of the output: its name here, its form, whether every output has it, and often."""

    name: str
    form: re.Pattern[str]
    needed: bool = True
    many: bool = False


def line(name: str, form: str, *, needed: bool = True, many: bool = False) -> Line:
    return Line(name, re.compile(form), needed, many)


def groups(tool: str, lines: Sequence[Line], text: str) -> dict[str, list[tuple[str, ...]]]:
    """The groups of each line that was met, by its name.

    Raises GeneratorError for a line that is not known, missing, or out of its place.
    """
    found: dict[str, list[tuple[str, ...]]] = {}
    place = 0
    for line_read in text.splitlines():
        at = next((n for n in range(place, len(lines)) if lines[n].form.fullmatch(line_read)), None)
        if at is None:
            known = any(known.form.fullmatch(line_read) for known in lines)
            what = "has a line out of its place" if known else "has a line that is not known here"
            raise GeneratorError(f'the output of {tool} {what}: "{line_read[:200]}"')
        _all_optional(tool, lines[place:at], found, f'before "{line_read[:200]}"')
        match = lines[at].form.fullmatch(line_read)
        assert match is not None
        found.setdefault(lines[at].name, []).append(match.groups())
        place = at if lines[at].many else at + 1
    last = text.splitlines()[-1] if text.strip() else "nothing at all"
    _all_optional(tool, lines[place:], found, f'after "{last[:200]}"')
    return found


def _all_optional(
    tool: str, skipped: Sequence[Line], found: dict[str, list[tuple[str, ...]]], where: str
) -> None:
    missing = next((line.name for line in skipped if line.needed and line.name not in found), None)
    if missing is not None:
        raise GeneratorError(f"the output of {tool} is cut off: no {missing} line {where}")
