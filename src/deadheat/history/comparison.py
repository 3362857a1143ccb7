"""Two runs at two times, held against each other by what both measured beside: the reference, the ceiling.

Absolute figures of two times differ by the hour's weather. So each contender is compared by its ratio to an
anchor that was raced in the same slices, in each run, and never by its own figure. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from deadheat.history.spread import Change, Level, Spread, change, spread
from deadheat.model.result import ContenderResult, RaceResult, Results
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.report import words


@dataclass(frozen=True)
class Anchored:
    """How a contender changed against one anchor, and what of the spread between runs was known."""

    anchor: str
    change: Change
    between: Spread | None


@dataclass(frozen=True)
class ContenderChange:
    """A contender measured in both runs; at most two anchors, the reference first."""

    contender: str
    by: tuple[Anchored, ...]

    @property
    def finding(self) -> str:
        """In words, and only what every anchor bears out."""
        signs = [_sign(anchored.change) for anchored in self.by]
        if all(sign > 0 for sign in signs):
            return "faster than before"
        if all(sign < 0 for sign in signs):
            return "slower than before"
        if any(signs):
            moved = next(a.anchor for a, sign in zip(self.by, signs, strict=True) if sign)
            return f"moved against {moved} alone, which may itself have changed"
        return "no change is seen"


@dataclass(frozen=True)
class RaceChange:
    """A race that both runs had."""

    name: str
    setting: str | None
    method: str
    kind: str
    metric: str
    contenders: tuple[ContenderChange, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """`notes` are of the runs as a whole."""

    before: Results
    after: Results
    races: tuple[RaceChange, ...]
    notes: tuple[str, ...]


def compare(before: Results, after: Results, history: Sequence[Results]) -> Comparison:
    """`history` are runs on the machine of `after`, oldest first; the two themselves are left out of it."""
    others = [run for run in history if run.run not in (before.run, after.run)]
    earlier = {_key(race): race for race in before.workloads}
    races = tuple(
        _race(earlier[_key(race)], race, others) for race in after.workloads if _key(race) in earlier
    )
    notes = []
    if _machine(before) != _machine(after):
        notes.append("the two runs are of different machines, whose ratios may differ for that alone")
    alone = [_name(race) for race in after.workloads if _key(race) not in earlier]
    if alone:
        notes.append(f"not raced in {before.run}: {', '.join(alone)}")
    return Comparison(before, after, races, tuple(notes))


def level(race: RaceResult, contender: str, anchor: str) -> Level | None:
    """How many times as fast as the anchor, from the blocks that both were measured in; None with one."""
    rows = {row.id: row for row in race.contenders if row.status == "measured"}
    if contender not in rows or anchor not in rows:
        return None
    own, other = (words.own_measure(race.judged, rows[name]) for name in (contender, anchor))
    # Blocks are matched by their place; a contender that missed one cannot be.
    if own is None or other is None or len(own.blocks) != len(other.blocks) or len(own.blocks) < 2:
        return None
    logs = np.log(own.blocks) - np.log(other.blocks)
    logs = logs if HIGHER_IS_FASTER.get(race.judged, False) else -logs
    return Level(float(logs.mean()), float(logs.var(ddof=1)) / len(logs), len(logs) - 1)


def _race(before: RaceResult, after: RaceResult, others: Sequence[Results]) -> RaceChange:
    peers = [race for run in others for race in run.workloads if _same_load(race, after)]
    anchors = _anchors(before, after)
    changes = []
    for row in after.contenders:
        if row.class_ == "ceiling":
            continue
        by = tuple(_anchored(before, after, peers, row.id, anchor) for anchor in anchors if anchor != row.id)
        found = tuple(anchored for anchored in by if anchored is not None)
        if found:
            changes.append(ContenderChange(row.id, found))
    notes = []
    if not _same_load(before, after):
        notes.append("raced at another load or size in the two runs")
    if not anchors:
        notes.append("no reference and no ceiling was measured in both runs, so nothing can be compared")
    return RaceChange(
        after.name, after.setting, after.method, after.kind, after.judged, tuple(changes), tuple(notes)
    )


def _anchored(
    before: RaceResult,
    after: RaceResult,
    peers: Iterable[RaceResult],
    contender: str,
    anchor: str,
) -> Anchored | None:
    first, second = level(before, contender, anchor), level(after, contender, anchor)
    if first is None or second is None:
        return None
    levels = [found for race in peers if (found := level(race, contender, anchor)) is not None]
    between = spread(levels)
    return Anchored(anchor, change(first, second, between), between)


def _anchors(before: RaceResult, after: RaceResult) -> list[str]:
    """The reference, where both have the same, and the ceiling."""
    common = {row.id for row in before.contenders if row.status == "measured"}
    rows: list[ContenderResult] = [
        row for row in after.contenders if row.status == "measured" and row.id in common
    ]
    found = [row.id for row in rows if row.id == after.reference == before.reference]
    return found + [row.id for row in rows if row.class_ == "ceiling"][:1]


def _sign(found: Change) -> int:
    return 1 if found.ci[0] > 1 else -1 if found.ci[1] < 1 else 0


def _key(race: RaceResult) -> tuple[str, str | None, str]:
    return race.name, race.setting, race.method


def _same_load(a: RaceResult, b: RaceResult) -> bool:
    return (*_key(a), a.judged, a.n, a.connections) == (*_key(b), b.judged, b.n, b.connections)


def _name(race: RaceResult) -> str:
    return race.name + (f" [{race.setting}]" if race.setting else "")


def _machine(results: Results) -> tuple[object, object]:
    return results.machine.get("cpu_model"), results.machine.get("cores")
