"""A contender's ratio to its reference over runs, and where it changed. Pure: values in, values out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from deadheat import stats
from deadheat.history.tables import ContenderRow
from deadheat.model.result import Interval

#: Fewer runs than this cannot part a change from noise.
FEWEST = 8


@dataclass(frozen=True)
class Point:
    """One run's ratio. `change` is the ratio of the levels after and before, where a new level begins."""

    run: str
    started: str
    commit: str | None
    ratio: float
    ci: Interval | None
    unfinished: bool = False
    change: float | None = None


@dataclass(frozen=True)
class Series:
    """Runs whose ratios may be held against each other: one race on one machine, the oldest first.

    `left_out` counts runs of the same contender that may not, and `enough` says whether changes were
    looked for at all.
    """

    workload: str
    setting: str
    method: str
    contender: str
    reference: str
    machine: str
    load: str
    points: tuple[Point, ...]
    left_out: int
    enough: bool


def series(rows: Sequence[ContenderRow]) -> list[Series]:
    """One series for each setting and method, of what is comparable with its newest run."""
    found = []
    measured = [row for row in rows if row.ratio is not None]
    for setting, method in dict.fromkeys((row.setting, row.method) for row in measured):
        of_race = [row for row in measured if (row.setting, row.method) == (setting, method)]
        newest = of_race[-1]
        same = [row for row in of_race if _comparable(row) == _comparable(newest)]
        points = tuple(_point(row) for row in same)
        found.append(
            Series(
                workload=newest.workload,
                setting=setting,
                method=method,
                contender=newest.contender,
                reference=newest.reference,
                machine=newest.run.machine,
                load=_load(newest),
                points=with_changes(points),
                left_out=len(of_race) - len(same),
                enough=len(points) >= FEWEST,
            )
        )
    return found


def with_changes(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points, with the first of each new level marked; none is with fewer than FEWEST runs."""
    logs = np.array([math.log(point.ratio) for point in points])
    if len(points) < FEWEST:
        return tuple(points)
    edges = [0, *stats.change_points(logs), len(points)]
    levels = [float(logs[i:j].mean()) for i, j in pairwise(edges)]
    changed = {
        edge: math.exp(after - before)
        for edge, (before, after) in zip(edges[1:-1], pairwise(levels), strict=True)
    }
    return tuple(replace(point, change=changed.get(place)) for place, point in enumerate(points))


def _comparable(row: ContenderRow) -> tuple[object, ...]:
    return (row.run.machine, row.reference, row.metric, row.n, row.connections)


def _point(row: ContenderRow) -> Point:
    assert row.ratio is not None
    ci = (row.ratio_low, row.ratio_high) if row.ratio_low is not None and row.ratio_high is not None else None
    return Point(row.run.id, row.run.started, row.run.commit, row.ratio, ci, row.run.unfinished is not None)


def _load(row: ContenderRow) -> str:
    parts = [f"n = {row.n}"] if row.n is not None else []
    parts += [f"{row.connections} connections"] if row.connections is not None else []
    return ", ".join(parts)
