"""Tables that the other reports have too, as the page folds them away under its pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deadheat.model.result import RaceResult, Results
from deadheat.report import by_request, curve, details, equal_load, matrix


@dataclass(frozen=True)
class Table:
    """`rows`: a contender's number in its race (None: it has none here) and its cells, the first its name."""

    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[int | None, tuple[str, ...]], ...]


def of_race(result: RaceResult, keys: Mapping[str, int]) -> Iterator[Table]:
    """Latency at equal load with its intervals; what a server holds, a client does, a compiler made."""
    if (found := equal_load.table(result)) is not None:
        yield _table("Latency at equal load", equal_load.CAPTION, found, keys)
    if (found := by_request.table(result)) is not None:
        yield _table("Each request of the mix", by_request.CAPTION, found, keys)
    if beside := details.table(result):
        yield _table("Beside its speed", "", beside, keys)


def of_settings(results: Results) -> Iterator[Table]:
    """Workloads raced at several loads: a column a load."""
    for title, found, turns in curve.tables(results):
        note = ". ".join(["A column a setting; in brackets the ratio there", *turns])
        yield _table(title, f"{note}.", found, {})


def of_workloads(results: Results) -> Iterator[Table]:
    """Workloads that hold the same contenders against the same reference: a column a workload."""
    for found in matrix.tables(results):
        yield _table(
            found.title, "A column a workload; in brackets the interval that was judged.", found.table, {}
        )


def _table(title: str, note: str, found: Sequence[Sequence[str]], keys: Mapping[str, int]) -> Table:
    header, *rows = found
    return Table(title, note, tuple(header), tuple((keys.get(row[0]), tuple(row)) for row in rows))
