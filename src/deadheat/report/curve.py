"""A workload raced in several settings: how each contender's figure, and the order, change from one to the
next."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from deadheat.model.result import ContenderResult, Results, WorkloadResult
from deadheat.report import words

Table = list[list[str]]


def tables(results: Results) -> Iterator[tuple[str, Table]]:
    """For each workload raced in several settings a title and a table: the header, then a row a contender.

    A cell is the contender's own figure and how many times as fast as the reference it is there.
    """
    ours = [result for result in results.workloads if result.method == "deadheat" and result.slices]
    key = _same_measurement
    for _, group in groupby(sorted(ours, key=key), key):
        races = sorted(group, key=lambda race: (race.connections or 0, race.streams or 0))
        if len(races) > 1:
            first = races[0]
            title = f"{first.name} · {words.UNITS[first.metric]} (times as fast as {first.reference})"
            yield title, _table(races)


def _same_measurement(race: WorkloadResult) -> tuple[str, str, str]:
    """Races with one metric against one server; only then do figures of two settings belong side by side."""
    server = next((part for part in (race.setting or "").split() if "=" not in part), "")
    return race.name, race.metric, server


def _table(races: Sequence[WorkloadResult]) -> Table:
    ids = list(dict.fromkeys(row.id for race in races for row in race.contenders))
    header = ["", *(_label(race, races) for race in races)]
    return [header, *([id_, *(_cell(race, id_) for race in races)] for id_ in ids)]


def _label(race: WorkloadResult, races: Sequence[WorkloadResult]) -> str:
    if race.connections is None:
        return race.setting or (f"n={race.n}" if race.n is not None else "default")
    label = f"{race.connections:,} connections"
    several = len({one.streams for one in races}) > 1
    return f"{label}, {race.streams} streams" if several else label


def _cell(race: WorkloadResult, id_: str) -> str:
    row = next((row for row in race.contenders if row.id == id_), None)
    if row is None:
        return ""
    if row.status != "measured":
        return row.status
    return words.amount(race.metric, words.own_measure(race.metric, row)) + _against(race, row)


def _against(race: WorkloadResult, row: ContenderResult) -> str:
    if row.id == race.reference:
        return " (1)"
    return f" ({words.ratio(row.against_reference.ratio)})" if row.against_reference else ""
