"""What was asked, and the suite, become a plan."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from deadheat import __version__
from deadheat.errors import UserError
from deadheat.model.contender import Contender
from deadheat.model.measured import ColdPlan, InvocationPlan, SlicePlan
from deadheat.model.plan import DisturbanceLimits, Entry, Leaving, Plan, RacePlan, contenders_of
from deadheat.model.workload import Preset, Workload
from deadheat.plan import (
    attached,
    going_on,
    judged,
    load,
    own_database,
    parameters,
    past,
    programs,
    protocol,
    reference,
    scale,
    shapes,
)
from deadheat.plan.asked import OURS, Asked
from deadheat.plan.duration import (
    MIN_ROUNDS,
    SIZES,
    Size,
    estimated_s,
    fit,
    seconds_of,
    sized,
    with_long_turns,
)
from deadheat.plan.planner import Planner
from deadheat.suite import commit
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite
from deadheat.util import clock

LEAD_IN_MS, COUNTED_MS, WARM_UP_MS = 50, 100, 500
# Shares of the slowest contender's capacity at which latency is measured.
LOADS = (0.5, 0.8)
# From when on a block is run again; None: never.
DISTURBANCE: DisturbanceLimits | None = DisturbanceLimits()
# What others may use beside revisions of one service: a neighbour slows all of them alike.
OTHERS_BESIDE_ALIKE = 0.03
# By which rule contenders leave a race; None: all stay to its end.
LEAVING: Leaving | None = Leaving()


def plan(
    asked: Asked, suite: Suite, kinds: Sequence[str], methods: Mapping[str, Planner] | None = None
) -> Plan:
    """The plan of a run. `methods` are those that may be asked for, our own alone without any.

    Raises UserError for what the suite does not have and for too small a budget.
    """
    asked = _of_families(asked, suite)
    if asked.claims is not None:
        asked = _for_claims(asked, suite, asked.claims)
    names = list(asked.workloads) or _raceable(suite, kinds)
    suite = _with_reference(suite, names, asked.reference)
    planner = (methods or {OURS: PLANNER})[asked.method]
    races = own_database.against(planner.races(asked, suite, names), suite.workloads, asked.own_database)
    now = clock.now()
    if asked.method == OURS:
        races = [past.with_past(race, asked.past, clock.stamp(now)) for race in races]
    if asked.method == OURS and asked.until == "settled or hopeless":  # else its end is for good
        races = [going_on.planned(race) for race in races]
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(10_000)
    return Plan(
        run=f"{now:%Y%m%d-%H%M%S}-{asked.preset}",
        version=__version__,
        started=clock.stamp(now),
        command=asked.command,
        commit=commit.of(suite.folder),
        suite=str(suite.folder.resolve()),
        preset=asked.preset,
        seed=seed,
        margin=asked.margin,
        server_cpus=asked.server_cpus,
        generator_cpus=asked.generator_cpus,
        services_cpus=asked.services_cpus,
        budget_s=asked.budget_s,
        disturbance=_disturbance(asked),
        workloads=tuple(
            race.replaced(estimated_s=round(planner.estimated_s(race, asked), 1)) for race in races
        ),
        facts=facts_of(suite, contenders_of(races)),
    )


def _disturbance(asked: Asked) -> DisturbanceLimits | None:
    if DISTURBANCE is None or not asked.alike:
        return DISTURBANCE
    return DISTURBANCE.replaced(others=OTHERS_BESIDE_ALIKE)


class OurPlanner:
    """Blocks of fresh starts, slices by turns, the reference entered twice."""

    def races(self, asked: Asked, suite: Suite, names: Sequence[str]) -> Sequence[RacePlan]:
        return _ours(asked, suite, names)

    def estimated_s(self, race: RacePlan, asked: Asked) -> float:
        return estimated_s(race, asked)


PLANNER = OurPlanner()


def _ours(asked: Asked, suite: Suite, names: Sequence[str]) -> list[RacePlan]:
    parameters.refuse_unknown(asked.parameters, [suite.workloads[name] for name in names])
    for name in asked.workloads:
        judged.refuse(suite.workload(name), asked.judged_by)
        protocol.refuse(suite.workload(name), asked.protocol)
    workloads = protocol.can_be([suite.workloads[name] for name in names], asked.protocol)
    names = [one.name for one in judged.can_be(workloads, asked.judged_by)]
    if asked.scale and not any(suite.workloads[name].traits.serves for name in names):
        raise UserError(
            "--scale is for servers, and none is raced here", hint="deadheat race grpc-unary --scale"
        )
    chosen = {name: _chosen(asked, suite, name, names) for name in names}
    races = [
        attached.noted(race, chosen[name], asked.judged_by)
        for name in names
        if chosen[name]
        for race in _races(asked, suite.workload(name), chosen[name])
    ]
    races = with_long_turns(races, asked)
    return races if asked.budget_s is None else fit(races, asked.budget_s, asked)


def _with_reference(suite: Suite, names: Sequence[str], id_: str | None) -> Suite:
    """The suite with that reference wherever it is a contender; an error where it is one nowhere."""
    if id_ is None:
        return suite
    has = {contender.workload for contender in suite.find(id_, names)}
    workloads = {
        name: workload.replaced(reference=id_) if name in has else workload
        for name, workload in suite.workloads.items()
    }
    return replace(suite, workloads=workloads)


def _of_families(asked: Asked, suite: Suite) -> Asked:
    """A family that was named is each of its workloads; none twice."""
    names = dict.fromkeys(name for asked_for in asked.workloads for name in suite.named(asked_for))
    return replace(asked, workloads=tuple(names))


def _raceable(suite: Suite, kinds: Sequence[str]) -> list[str]:
    """What a race has that names no workload."""
    return [name for name, each in suite.workloads.items() if each.kind in kinds and each.default]


def _chosen(asked: Asked, suite: Suite, name: str, names: Sequence[str]) -> list[Contender]:
    """The contenders to race, always with the reference."""
    pool = suite.contenders[name]
    if asked.contenders or asked.claimed:
        wanted = {c.id for id_ in asked.contenders for c in suite.find(id_, names) if c.workload == name}
        wanted |= {id_ for workload, id_ in asked.claimed if workload == name}
        if not wanted:
            return []
    else:
        # Quick races what says default = true; longer presets every contender as it is documented.
        every = asked.preset != "quick"
        wanted = {c.id for c in pool if c.default or asked.all_ or (every and c.variant is None)}
    return [c for c in pool if c.id in wanted or c.id == suite.workloads[name].reference]


def _for_claims(asked: Asked, suite: Suite, study: str) -> Asked:
    """Just what the claims of a study compare, and what else was asked for."""
    claims = [
        claim
        for claim in suite.study(study).claim
        if claim.unchecked is None and (not asked.workloads or claim.workload in asked.workloads)
    ]
    named = [(claim.workload, contender) for claim in claims for contender in (claim.a, claim.b)]
    # Who says how the servers are loaded wants that load alone.
    loaded = asked.connections or asked.streams or asked.scale or asked.parameters
    asked = replace(
        asked,
        workloads=asked.workloads or tuple(dict.fromkeys(claim.workload for claim in claims)),
        claimed=tuple(dict.fromkeys(named)),
    )
    if asked.method != OURS:  # its load is what the study says it was
        return replace(
            asked, contenders=tuple(dict.fromkeys([*(id_ for _, id_ in named), *asked.contenders]))
        )
    return replace(
        asked,
        parameters=asked.parameters
        or parameters.for_claims(
            [suite.workloads[claim.workload] for claim in claims], [claim.setting for claim in claims]
        ),
        shapes=() if loaded else shapes.of_claims(suite.study(study), claims),
    )


def _races(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> Sequence[RacePlan]:
    """A workload's settings, the default one first; how long each is hangs on what it is judged by."""
    race = _race(asked, workload, contenders)
    if workload.traits.serves:
        races = tuple(
            parameters.at(loaded, workload, values)
            for values in parameters.combinations(workload, asked.parameters, asked.preset)
            for loaded in load.of_server(race, workload.load, asked.connections, asked.streams)
        )
        if asked.scale:
            races = scale.of_scale(races, asked.server_cpus, asked.generator_cpus)
        races = protocol.over(races, asked.protocol)
        races = tuple(judged.judged(race, workload, asked) for race in races)
        if workload.measure == "cold":
            return races
        # Several loads share the time of one.
        seconds = seconds_of(race, SIZES[asked.preset]) / len(races)
        return [*(sized(one, seconds, asked) for one in races), *_in_shapes(asked, workload, contenders)]
    every = programs.of_program(race, workload, contenders, asked.parameters, asked.preset)
    return [judged.judged(one, workload, asked) for one in every]


def _in_shapes(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> Iterator[RacePlan]:
    """Under the loads of a study, just whom its claims compare, and the reference."""
    for wanted in asked.shapes:
        if wanted.shape.workload != workload.name:
            continue
        named = {*wanted.contenders, workload.reference}
        race = _race(asked, workload, [c for c in contenders if c.id in named])
        usable = asked.usable_cpus or asked.server_cpus
        raced = shapes.in_shape(race, workload, wanted, usable, asked.generator_cpus)
        if raced is not None:
            raced = judged.judged(raced, workload, asked)
            yield sized(raced, seconds_of(raced, SIZES[asked.preset]), asked)


def _race(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> RacePlan:
    size = SIZES[asked.preset]
    blocks, rounds = _usual(workload, size, asked.preset)
    race = RacePlan(
        workload=workload.name,
        kind=workload.kind,
        metric=workload.metric,
        reference=workload.reference,
        entries=tuple(Entry(id=c.id, contender=c.id) for c in contenders),
        blocks=blocks,
        rounds=rounds,
        measured=_measured(workload, asked.preset),
        leaving=LEAVING if asked.until == "settled or hopeless" else None,
        to_the_end=asked.until == "the end",
        ranked=asked.rank,
    )
    # The null pair: the reference once more, as a start of its own.
    return reference.entered(race, workload.reference)


def _usual(workload: Workload, size: Size, preset: Preset) -> tuple[int, int]:
    """Blocks and rounds of a preset."""
    if workload.measure == "cold":  # each turn is a start of its own: more blocks say more than more rounds
        return size.program_blocks, 1
    if workload.traits.serves:
        return size.blocks, MIN_ROUNDS
    assert workload.program is not None
    own = workload.program.races.get(preset)
    return (size.program_blocks, 1) if own is None else (own.blocks, own.rounds)


def _measured(workload: Workload, preset: Preset) -> SlicePlan | ColdPlan | InvocationPlan:
    """A race of a workload as it is, of a usual length."""
    if workload.measure == "cold":
        return ColdPlan(connections=workload.load.connections, streams=workload.load.streams)
    if workload.traits.serves:
        return SlicePlan(
            connections=workload.load.connections,
            streams=workload.load.streams,
            warm_up_ms=WARM_UP_MS,
            lead_in_ms=LEAD_IN_MS,
            counted_ms=COUNTED_MS,
            loads=LOADS,
            open_loop_ms=SIZES[preset].open_loop_ms,
        )
    assert workload.program is not None
    return programs.measured(workload, workload.program.n.at(preset), parameters.defaults(workload))
