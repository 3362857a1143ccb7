"""Another reference, where a workload's own cannot race, so that any two that can have a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deadheat.model.contender import Contender
from deadheat.model.observation import Observation, ReferenceReplaced
from deadheat.model.plan import Entry, RacePlan
from deadheat.plan.asked import OURS
from deadheat.suite.suite import first_of

NULL_SUFFIX = "'"


def entered(race: RacePlan, reference: str) -> RacePlan:
    """The race with this reference, its null pair with it; one that was not entered is."""
    entries = [entry for entry in race.entries if not entry.null]
    if all(entry.contender != reference for entry in entries):
        entries.append(Entry(id=reference, contender=reference))
    null = Entry(id=reference + NULL_SUFFIX, contender=reference, null=True)
    return race.replaced(reference=reference, entries=(*entries, null))


def so_far(race: RacePlan, observed: Iterable[Observation]) -> RacePlan:
    """The race with the reference that it has by now."""
    for o in observed:
        if isinstance(o, ReferenceReplaced) and (o.workload, o.was) == (race.workload, race.reference):
            race = entered(race, o.reference)
    return race


def stand_in(race: RacePlan, lost: Collection[str], contenders: Iterable[Contender]) -> str | None:
    """The first of the race that can take the lost reference's place.

    None where the reference is there, where nobody else is left to be held against, and in a study's own
    method, which has its pairs from the study.
    """
    if race.reference_entry not in lost or race.method != OURS:
        return None
    raced = {entry.contender for entry in race.entries if not entry.null and entry.id not in lost}
    able = [contender for contender in contenders if contender.id in raced]
    return first_of(able) if len(able) > 1 else None
