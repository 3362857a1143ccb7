"""What is asked of each runtime, and the two ways in which runtimes answer."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deadheat.explain.reading import InstrumentError

#: How often a runtime that is asked for snapshots prints them.
SNAPSHOT_S = 0.2
_SNAPSHOT = re.compile(r"^deadheat-gc pid=(\d+)((?: [a-z_]+=\d+)+)$", re.MULTILINE)


@dataclass(frozen=True)
class Garbage:
    """What happened in a span of a log. None: this runtime does not report it.

    `allocated_bytes` is by how much heaps grew from one collection to the next.
    """

    collections: int
    allocated_bytes: float | None = None
    allocated_objects: int | None = None
    pause_s: float | None = None


@dataclass(frozen=True)
class Runtime:
    """One runtime: whose contenders run on it, what makes it report, and how that is read.

    `environment` may write files that it names into the folder. `read` takes the log up to the load, and that
    of the load. `note` is what must be known to read the figures; `one_heap` is False where each of very many
    small heaps is collected by itself.
    """

    name: str
    languages: frozenset[str]
    environment: Callable[[Path], Mapping[str, str]]
    read: Callable[[str, str], Garbage]
    note: str | None = None
    one_heap: bool = True


@dataclass(frozen=True)
class Collection:
    """One collection: the heap before and after it, and how long the program stood still."""

    before_bytes: float
    after_bytes: float
    pause_s: float


def grown(before: Iterable[Collection], during: Iterable[Collection]) -> Garbage:
    """From single collections: what was allocated is what the heap grew by from one to the next."""
    last = deque(before, maxlen=1)
    count, allocated, pause_s = 0, 0.0, 0.0
    for collection in during:
        if last:
            allocated += max(0.0, collection.before_bytes - last[0].after_bytes)
        count, pause_s = count + 1, pause_s + collection.pause_s
        last.append(collection)
    return Garbage(count, allocated if count else None, None, pause_s)


def snapshots(before: str, during: str) -> Garbage:
    """From running totals, of each process the last of the load less the last before it."""
    first, last = _latest(before), _latest(during)
    if not last:
        raise InstrumentError("the runtime reported nothing of its collector")
    sums: dict[str, int] = {}
    for pid, totals in last.items():
        for name, value in totals.items():
            sums[name] = sums.get(name, 0) + value - first.get(pid, {}).get(name, 0)
    pause_us = sums.get("pause_us")
    return Garbage(
        collections=sums["runs"],
        allocated_bytes=sums.get("bytes"),
        allocated_objects=sums.get("objects"),
        pause_s=None if pause_us is None else pause_us / 1e6,
    )


def _latest(log: str) -> dict[str, dict[str, int]]:
    return {
        pid: {name: int(value) for name, value in (pair.split("=") for pair in pairs.split())}
        for pid, pairs in _SNAPSHOT.findall(log)
    }
