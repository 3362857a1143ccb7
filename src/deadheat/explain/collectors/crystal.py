"""Crystal: the Boehm collector prints to stderr with GC_PRINT_STATS (its README.environment)."""

from __future__ import annotations

import re

from deadheat.explain.collectors.base import Garbage, Runtime

# --> Marking for collection #1 after 0 allocated bytes
_MARKING = re.compile(r"^--> Marking for collection #\d+ after (\d+) allocated bytes", re.MULTILINE)
# Complete collection took 0 ms 78262 ns; older ones print milliseconds alone.
_TOOK = re.compile(r"^Complete collection took (\d+) m?s(?:ecs)?(?: (\d+) ns)?", re.MULTILINE)


def read(before: str, during: str) -> Garbage:
    """The collector itself counts what was allocated since the last collection."""
    allocated = [int(count) for count in _MARKING.findall(during)]
    took_s = sum(int(ms) / 1e3 + int(ns or 0) / 1e9 for ms, ns in _TOOK.findall(during))
    return Garbage(len(allocated), float(sum(allocated)) if allocated else None, None, took_s)


CRYSTAL = Runtime("Crystal", frozenset({"crystal"}), lambda _: {"GC_PRINT_STATS": "1"}, read)
