"""How long requests waited: a histogram with the exact sum beside it, to be added and taken away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from deadheat.model.histogram import BEYOND, DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import OpenLoop

PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9}
NAMES = ("mean", *PERCENTILES, "max")
# Milliseconds by those names.
Figures = dict[str, float | None]


@dataclass(frozen=True)
class Waits:
    """`counts` of each cell of an HdrHistogram (ns); `sum_ns` and `replies` are what the engine summed up,
    and `max_ns` the longest."""

    counts: NDArray[np.int64]
    sum_ns: float
    replies: int
    max_ns: float

    def figures(self) -> Figures:
        """Mean, percentiles and greatest, milliseconds; None where too few observations lie beyond."""
        count = int(self.counts.sum())
        if not count:
            return dict.fromkeys(NAMES)
        up_to = np.cumsum(self.counts)
        found: Figures = {"mean": self.sum_ns / self.replies / 1e6 if self.replies else 0.0}
        for name, percentile in PERCENTILES.items():
            enough = count * (1 - percentile / 100) >= BEYOND
            target = max(1, int(percentile * count / 100 + 0.5))
            found[name] = _value_ns(int(np.searchsorted(up_to, target))) / 1e6 if enough else None
        return {**found, "max": self.max_ns / 1e6}


def together(parts: Iterable[Waits]) -> Waits:
    """All of these, at least one."""
    each = list(parts)
    return Waits(
        np.sum([one.counts for one in each], axis=0),
        sum(one.sum_ns for one in each),
        sum(one.replies for one in each),
        max(one.max_ns for one in each),
    )


def of_turn(turn: OpenLoop) -> Waits:
    """From when each request was due."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    histogram.decode_and_add(turn.hdr)
    counts = np.array(np.ctypeslib.as_array(histogram.counts), dtype=np.int64)
    longest = float(histogram.get_max_value()) if histogram.get_total_count() else 0.0
    return Waits(counts, turn.latency_sum_ns, turn.replies, longest)


@lru_cache(maxsize=1)
def _empty() -> HdrHistogram:
    return HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)


def _value_ns(index: int) -> float:
    """The longest that a cell holds."""
    histogram = _empty()
    return float(histogram.get_highest_equivalent_value(histogram.get_value_from_index(index)))
