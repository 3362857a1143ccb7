"""Java: -Xlog:gc prints a line a collection to stdout (JEP 271)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deadheat.explain.collectors.base import Collection, Garbage, Runtime, grown

# [2.218s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 19M->5M(388M) 5.958ms
_LINE = re.compile(
    r"^\[[\d.]+s\]\[info\s*\]\[gc\s*\] GC\(\d+\) Pause (\w+).*? "
    r"(\d+)([KMG])->(\d+)([KMG])\(\d+[KMG]\) ([\d.]+)ms",
    re.MULTILINE,
)
# Pauses of a collection that goes on beside the program; what it frees is a later one's.
MARKING = ("Remark", "Cleanup")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def collections(log: str) -> Iterator[Collection]:
    for kind, before, before_unit, after, after_unit, pause_ms in _LINE.findall(log):
        if kind in MARKING:
            continue
        yield Collection(
            int(before) * UNITS[before_unit], int(after) * UNITS[after_unit], float(pause_ms) / 1e3
        )


def read(before: str, during: str) -> Garbage:
    return grown(collections(before), collections(during))


JAVA = Runtime(
    "Java", frozenset({"java", "kotlin", "scala"}), lambda _: {"JAVA_TOOL_OPTIONS": "-Xlog:gc"}, read
)
