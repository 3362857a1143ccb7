"""The output file of callgrind (valgrind's manual, "Callgrind Format Specification")."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deadheat.explain.reading import InstrumentError

_SUMMARY = re.compile(r"^summary: (\d+)", re.MULTILINE)
_NAMED = re.compile(r"^c?fn=\((\d+)\)(?: (.*))?$")
_CALLS = re.compile(r"^calls=(\d+)")
# callgrind's mark of a function that is within itself already.
_RECURSION = re.compile(r"'\d+$")


@dataclass(frozen=True)
class Counted:
    """Instructions in all, and how often each function was called."""

    instructions: int
    calls: dict[str, int]


def parse(text: str) -> Counted:
    """Raises InstrumentError where there is no summary: then the file is cut off."""
    summary = _SUMMARY.search(text)
    if summary is None:
        raise InstrumentError("callgrind's output has no summary: it is cut off")
    names: dict[str, str] = {}
    calls: dict[str, int] = {}
    callee = ""
    for line in text.splitlines():
        if (named := _NAMED.match(line)) is not None:
            if named[2]:
                names[named[1]] = _RECURSION.sub("", named[2])
            if line.startswith("cfn="):
                callee = named[1]
        elif (called := _CALLS.match(line)) is not None:
            calls[callee] = calls.get(callee, 0) + int(called[1])
    by_name: dict[str, int] = {}
    for id_, count in calls.items():
        name = names.get(id_, id_)
        by_name[name] = by_name.get(name, 0) + count
    return Counted(int(summary[1]), by_name)


def between(start: Counted, whole: Counted) -> tuple[int, int, str]:
    """Instructions and calls that the larger of two runs took more, and the function that was called most."""
    more = {name: count - start.calls.get(name, 0) for name, count in whole.calls.items()}
    most = max(more, key=lambda name: more[name], default="")
    return whole.instructions - start.instructions, sum(max(0, count) for count in more.values()), most
