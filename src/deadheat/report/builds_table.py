"""What repeated builds came to, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deadheat.model.artifact import BuildTimes
from deadheat.report import details
from deadheat.results import build_times


def lines(timed: Mapping[str, BuildTimes]) -> Iterator[str]:
    """A table of cold and warm builds, a row a contender, then what the words mean."""
    found = {name: build_times.summary(times) for name, times in timed.items()}
    cells = [(name, details.cold(row), details.warm(row)) for name, row in found.items()]
    yield from details.aligned([("contender", "cold", "warm"), *cells])
    count = max((row.times for row in found.values()), default=0)
    yield f"medians of {count} builds by turns, with 95% intervals; cold: a fresh copy, empty caches (what"
    yield "was downloaded stays); warm: the same copy again, its sources touched"
    if any(row.cold_ci is None for row in found.values()):
        yield "an interval of a median takes six builds: --times 6"
