"""What a run will do, before it does it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from deadheat.model.measured import SlicePlan
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.shape import Shape
from deadheat.plan.duration import START_S, long_turns_s
from deadheat.plan.learnt import spread
from deadheat.plan.looks import looks_of
from deadheat.plan.skew import in_all, skewed
from deadheat.report import calibration, findings, own_database, words

# Below that a warm-up is nothing to be told.
LONG_WARM_UP_S = 1.0
# Nor are blocks that took less than so many times as long as planned.
LONG_OVERRUN = 1.2


def sentences(plan: Plan, shapes: Iterable[Shape] = (), cores: int = 1) -> Iterator[str]:
    """A line for each race, how long all take, which of the shapes asked for this many cores are too few
    for, and what chose blocks and rounds."""
    at_own: list[RacePlan] = []
    for race in plan.workloads:
        turns = round(in_all(race) * race.rounds * 2 * len(race.entries))
        rounds = "one round" if race.rounds == 1 else f"{race.rounds} rounds"
        yield (
            f"{race.key}: {len(race.entries)} entries, {_blocks(race)} of {rounds}, "
            f"{turns:,} turns, about {race.estimated_s or 0:.0f} s; "
            f"{looks_of(race, ()).describe()}"
        )
        if race.own_database is not None:
            at_own.append(race)
        if (about_long_turns := _long_turns(race)) is not None:
            yield f"{race.key}: {about_long_turns}"
        yield from (f"{race.key}: {line}" for line in _learnt(race))
    if at_own and (own := at_own[0].own_database) is not None:
        for sentence in own_database.sentences(own):
            yield f"{', '.join(race.key for race in at_own)}: {sentence}"
    if len(plan.workloads) > 1:
        whole_s = sum(race.estimated_s or 0 for race in plan.workloads)
        yield f"in all about {words.duration(whole_s)}, builds and checks of answers apart"
    if fresh := list(dict.fromkeys(contender for race in plan.workloads for contender in _unknown(race))):
        whose = ", ".join(fresh) if len(fresh) <= findings.MANY else f"{len(fresh)} contenders"
        yield (
            f"not raced like this here yet: {whose}; a start with its warm-up is taken to need {START_S:g} s "
            "until it is known, and a JVM's needs many times that"
        )
    for shape in shapes:
        if (shape.cores or 1) > cores:
            yield f"not here: {shape.words}, which needs {shape.cores} cores"
    yield calibration.sizing(plan.calibration)


def _blocks(race: RacePlan) -> str:
    """`6 blocks`, or `6 blocks (10 of kotlin-ktor)`."""
    if race.unskewed_blocks is None:
        return f"{race.blocks} blocks"
    return f"{race.unskewed_blocks} blocks ({race.blocks} of {', '.join(skewed(race))})"


def _unknown(race: RacePlan) -> Iterator[str]:
    """Contenders of servers of which no race here has told how long they warm up."""
    if race.past is not None and isinstance(race.measured, SlicePlan):
        yield from (entry.contender for entry in race.entries if entry.contender not in race.past.warm_up_s)


def _learnt(race: RacePlan) -> Iterator[str]:
    """What earlier races here say of its contenders, and the plan goes by."""
    if race.past is None or not isinstance(race.measured, SlicePlan):
        return
    for contender, needed_s in race.past.warm_up_s.items():
        if needed_s >= LONG_WARM_UP_S:
            yield f"{contender} warms up {needed_s:.0f} s a start"
    if race.past.overrun >= LONG_OVERRUN:
        longer = f"{race.past.overrun:.1f} times as long as planned"
        yield f"blocks took {longer} in earlier races, which the time is by"
    if spread(race, race.past.spread) is not None:
        starts = (f"{id_} {math.sqrt(own.starts):.1%}" for id_, own in race.past.spread.items())
        yield f"blocks and rounds by how its own starts differed in earlier races: {', '.join(starts)}"


def _long_turns(race: RacePlan) -> str | None:
    """What the plan says of turns without a break; None of a race that has no slices."""
    plan = race.measured.long_turns if isinstance(race.measured, SlicePlan) else None
    if plan is None:
        return None
    if not plan.rounds:
        return "slices-agree is not checked: long turns would take longer than the race"
    return (
        f"slices are held against up to {2 * plan.rounds} pairs of turns of {plan.turn_ms / 1000:g} s, about "
        f"{long_turns_s(race):.0f} s of it; none of a build that is known from an earlier race"
    )
