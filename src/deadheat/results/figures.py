"""What a race may be judged by, of any two of its entries: what `race --metric` and `ab` both go by."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from deadheat import stats
from deadheat.model.choices import JudgedBy
from deadheat.model.judged import AT_EQUAL_LOAD, metric_of
from deadheat.results import claimed, judging, latency
from deadheat.results.tally import Tally
from deadheat.results.values import TURN_VALUES

NOTHING = stats.Estimate(None, -math.inf, math.inf, 0.95, 0)


def compared(tally: Tally) -> judging.Compared:
    """How many times as good the first of a pair is as the second, by what the race is judged by."""
    return lambda a, b: compare(tally, a, b, tally.race.judged_by)


def compare(tally: Tally, a: str, b: str, by: JudgedBy) -> stats.Estimate:
    """The same by any figure; without blocks where nothing is known of it. A size does not vary from block to
    block, and has no estimate."""
    metric = metric_of(by, tally.race.metric)
    if metric in TURN_VALUES:
        return judging.compare(tally, a, b, TURN_VALUES[metric], metric)
    if by == "memory":
        return claimed.compare_blocks(tally, a, b, metric)
    if by == "startup":
        return _startup(tally, a, b)
    loads = tally.race.loads
    waits = latency.compared(tally, a, b, loads[0]) if loads else {}
    return waits.get(AT_EQUAL_LOAD.get(metric, ""), NOTHING)


def by_block(tally: Tally, a: str, b: str) -> Mapping[int, float]:
    """The log ratio of each block that has one, by what the race is judged by; none of what only all blocks
    together have."""
    metric = tally.race.judged
    if metric not in TURN_VALUES:
        return {}
    return judging.by_block(tally, a, b, TURN_VALUES[metric], metric)


def _startup(tally: Tally, a: str, b: str) -> stats.Estimate:
    """By the time from a start to the first right answer, a start a block."""
    took = {
        entry: {
            s.block: took for s in tally.started.get(entry, []) if (took := s.first_response_ms) is not None
        }
        for entry in (a, b)
    }
    blocks = [block for block in tally.common_blocks(a, b) if all(block in of for of in took.values())]
    logs = {entry: [np.log([of[block]]) for block in blocks] for entry, of in took.items()}
    return stats.compare(logs[a], logs[b], lower_is_better=True)
