"""Go: GODEBUG=gctrace=1 prints a line a collection to stderr (documentation of package runtime)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deadheat.explain.collectors.base import Collection, Garbage, Runtime, grown

# gc 38 @1.956s 0%: 0.019+0.46+0.003 ms clock, 0.039+... ms cpu, 3->3->0 MB, 4 MB goal, ...
_LINE = re.compile(
    r"^gc \d+ @[\d.]+s \d+%: ([\d.e-]+)\+[\d.e-]+\+([\d.e-]+) ms clock, .*?, (\d+)->\d+->(\d+) MB, ",
    re.MULTILINE,
)
MB = 1 << 20


def collections(log: str) -> Iterator[Collection]:
    """The world stands still in the first and the last of the three phases."""
    for sweep_ms, mark_ms, before, after in _LINE.findall(log):
        yield Collection(int(before) * MB, int(after) * MB, (float(sweep_ms) + float(mark_ms)) / 1e3)


def read(before: str, during: str) -> Garbage:
    return grown(collections(before), collections(during))


GO = Runtime(
    "Go",
    frozenset({"go"}),
    lambda _: {"GODEBUG": "gctrace=1"},
    read,
    note="Go reports its heap in whole MB: bytes allocated may be a quarter more than shown",
)
