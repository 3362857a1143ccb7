"""What earlier races of a workload here say of it: how long contenders warm up and blocks take, and how
contenders vary."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deadheat.model.judged import without_judged
from deadheat.model.measured import ColdPlan
from deadheat.model.past import Past, PastRace, Variances
from deadheat.model.plan import RacePlan

# A build changes in time: of more races than these only the newest tell.
NEWEST = 10
# A variance from fewer starts than these is off by half of itself.
FEWEST_STARTS = 20


@dataclass(frozen=True)
class Spread:
    """Variances of a pair's log ratio, squared log units: between starts, and between rounds."""

    starts: float
    rounds: float


def same_race(race: RacePlan, ledger: Sequence[PastRace]) -> list[PastRace]:
    """Races of this workload, setting, kind and method, the oldest first."""
    return [one for one in same_load(race, ledger) if one.setting == race.setting]


def same_load(race: RacePlan, ledger: Sequence[PastRace]) -> list[PastRace]:
    """The same, whatever they were judged by."""
    cold = isinstance(race.measured, ColdPlan)
    of = (race.workload, without_judged(race.setting), race.kind, cold, race.method_version)
    return [
        one
        for one in ledger
        if (one.workload, without_judged(one.setting), one.kind, one.cold, one.method_version) == of
    ]


def needed_s(race: RacePlan, ledger: Sequence[PastRace]) -> dict[str, list[float]]:
    """Of each contender that is known for how long its watched starts were loaded until they were at their
    level, seconds, of its newest races with such, whose warm-ups were of today's kind."""
    found: dict[str, list[float]] = {}
    before = [one for one in same_load(race, ledger) if one.compilers_apart]
    for id_ in sorted({entry.contender for entry in race.entries}):
        known = [one.needed_s[id_] for one in before if one.needed_s.get(id_)][-NEWEST:]
        if known:
            found[id_] = [seconds for of in known for seconds in of]
    return found


def warm_up_s(race: RacePlan, ledger: Sequence[PastRace]) -> dict[str, float]:
    """The median of these."""
    return medians(needed_s(race, ledger))


def with_warm_ups(past: Past, needed_s: Mapping[str, Sequence[float]]) -> Past:
    """What is known of earlier races, with these watched starts' seconds, by contender."""
    return past.replaced(
        warm_up_s=medians(needed_s), watched={id_: len(seconds) for id_, seconds in needed_s.items()}
    )


def medians(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Of each contender's."""
    return {id_: statistics.median(of) for id_, of in seconds.items()}


def overrun(race: RacePlan, ledger: Sequence[PastRace]) -> float:
    """How many times as long as planned blocks of this race took: the median of its newest; what services do
    at a start, and slices that grow with a latency, are in no plan. Never less than 1, which it is where
    nothing is known."""
    known = [one.overrun for one in same_load(race, ledger) if one.overrun is not None][-NEWEST:]
    return max(1.0, statistics.median(known)) if known else 1.0


def variances(race: RacePlan, ledger: Sequence[PastRace]) -> dict[str, Variances]:
    """Of each contender of which enough starts are known its own variances: means over its newest races with
    rests in their warm-ups, each weighing as much as it has starts."""
    found: dict[str, Variances] = {}
    before = [one for one in same_race(race, ledger) if one.rests]
    for id_ in sorted({entry.contender for entry in race.entries}):
        of = [(one.spread[id_], len(one.starts.get(id_, ()))) for one in before if id_ in one.spread][
            -NEWEST:
        ]
        starts = sum(count for _, count in of)
        if starts >= FEWEST_STARTS:
            found[id_] = Variances(
                starts=sum(own.starts * count for own, count in of) / starts,
                rounds=sum(own.rounds * count for own, count in of) / starts,
            )
    return found


def spread(race: RacePlan, known: Mapping[str, Variances]) -> Spread | None:
    """Of the race's pairs with its reference, on average; None where nobody knows the reference or any other.

    The reference's two entries are taken together, which halves what it brings.
    """
    reference = known.get(race.reference)
    others = [own for id_, own in known.items() if id_ != race.reference]
    if reference is None or not others:
        return None
    entries = sum(entry.contender == race.reference for entry in race.entries)
    return Spread(
        statistics.mean(own.starts for own in others) + reference.starts / entries,
        statistics.mean(own.rounds for own in others) + reference.rounds / entries,
    )
