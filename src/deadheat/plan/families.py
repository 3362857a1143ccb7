"""Races of one application go side by side: in each round a block of each, by the same starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from deadheat.model.database import Database
from deadheat.model.measured import SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload

# Of a start that others have used before, neither is what it would be alone.
OF_A_START = ("memory", "startup")


def side_by_side(races: Sequence[RacePlan], workloads: Mapping[str, Workload]) -> list[RacePlan]:
    """The races, of which those of workloads with a folder of contenders in common are a family, if there are
    two of them or more."""
    tables: dict[str, Database] = {}
    names = [_name(race, workloads[race.workload], tables) for race in races]
    many = Counter(names)
    return [
        race if name is None or many[name] < 2 else race.replaced(family=name)
        for race, name in zip(races, names, strict=True)
    ]


def _name(race: RacePlan, workload: Workload, tables: dict[str, Database]) -> str | None:
    """The family of a race; None of one that has to start its servers itself. `tables` of those so far."""
    own_start = race.protocol is not None or race.server_cpus is not None or race.own_database is not None
    if own_start or not isinstance(race.measured, SlicePlan) or race.judged_by in OF_A_START:
        return None
    table = workload.database
    if table is None:
        return workload.contenders
    # What is kept is read once a start; and a table of one name is one table.
    if table.kept or not _same(table, tables.setdefault(table.table, table)):
        return None
    return workload.contenders


def _same(table: Database, other: Database) -> bool:
    """Whether both are filled alike, on the same server, whatever is asked of them."""
    return all(
        getattr(table, name) == getattr(other, name)
        for name in ("service", "create", "columns", "rows", "values")
    )
