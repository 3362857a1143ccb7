"""Races against somebody's own PostgreSQL (`--db-url`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deadheat.model.own_database import OwnDatabase
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload
from deadheat.plan.parameters import joined

# It is another server with other settings, on other CPUs: what is known of races without it says nothing.
SETTING = "own database"


def against(
    races: Sequence[RacePlan], workloads: Mapping[str, Workload], own: OwnDatabase | None
) -> list[RacePlan]:
    """The races, those of workloads with a database against it, as their settings say."""
    return [
        race
        if own is None or workloads[race.workload].database is None
        else race.replaced(own_database=own, setting=joined(SETTING, race.setting))
        for race in races
    ]
