"""A plan and its observations become results. Nothing is run; one journal always gives the same results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from deadheat import stats
from deadheat.errors import UserError
from deadheat.model.finding import Finding, Note
from deadheat.model.gate import GateResult
from deadheat.model.measured import ColdPlan, InvocationPlan, Length, OutsidePlan, SlicePlan
from deadheat.model.observation import Observation, Resumed, Stopped
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import (
    ANSWERS,
    AnyResult,
    ByColdStarts,
    ByInvocations,
    ByOutside,
    BySlices,
    ContenderResult,
    NullPair,
    RaceResult,
    Results,
    Verdict,
)
from deadheat.model.suite_facts import SuiteFacts, WorkloadFacts
from deadheat.plan import going_on, reference
from deadheat.plan.asked import OURS
from deadheat.plan.looks import looks_at
from deadheat.results import claims, figures, findings, judging, load_from, long_turns, rows
from deadheat.results.claimed import Cores, Race, is_about, ways
from deadheat.results.gates import registry as gates
from deadheat.results.tally import Tally, tallied
from deadheat.storage.journal import whole_blocks

Row = TypeVar("Row", bound=ContenderResult)
# How a race by one method becomes its result: the race, what the suite said, the margin, what was observed.
Derive = Callable[[RacePlan, SuiteFacts, float, Sequence[Observation]], Race]


def results(
    plan: Plan,
    machine: Mapping[str, Any],
    observations: Sequence[Observation],
    methods: Mapping[str, Derive] | None = None,
) -> Results:
    """What a run found so far; `methods` are those it may have, ours alone without any.

    Raises UserError where the plan does not say who was raced.
    """
    counting = list(whole_blocks(list(observations)))
    stopped = [o.why for o in observations if isinstance(o, Stopped)]
    resumed = sum(isinstance(o, Resumed) for o in observations)
    known = methods or {OURS: race_of}
    each = [known[race.method](race, plan.facts, plan.margin, counting) for race in plan.workloads]
    servers = len(plan.server_cpus)
    cores = Cores(servers, int(machine.get("cores") or servers))
    races = claims.with_families(plan.facts.studies, each, plan.margin, cores)
    raced = {race.workload for race in plan.workloads}
    asked = {(s.study, c.id) for s in plan.facts.studies for c in s.claim if c.workload in raced}
    return Results(
        run=plan.run,
        version=plan.version,
        preset=plan.preset,
        command=plan.command,
        commit=plan.commit,
        started=plan.started,
        resumed=resumed,
        stopped=stopped[-1] if len(stopped) > resumed else None,
        seed=plan.seed,
        margin=plan.margin,
        calibration=plan.calibration,
        machine=dict(machine),
        workloads=tuple(race.result for race in races),
        claims=tuple(
            row
            for row in claims.check(plan.facts.studies, races, plan.margin, cores)
            if (row.study, row.id) in asked
        ),
        published_gates=tuple(
            claims.published_gate(study.study, load) for study in plan.facts.studies for load in study.load
        ),
    )


def workload(
    race: RacePlan, facts: SuiteFacts, margin: float, observations: Sequence[Observation]
) -> RaceResult:
    """One race: its rows, its null pair, its verdicts. `observations` are those of whole blocks."""
    return race_of(race, facts, margin, observations).result


def race_of(race: RacePlan, facts: SuiteFacts, margin: float, observations: Sequence[Observation]) -> Race:
    """A race by our own method."""
    race = going_on.so_far(reference.so_far(race, observations), observations)
    tally, about = tallied(race, observations), facts_of(race, facts)
    by_id = {contender.id: contender for contender in about.contenders}
    raced = [entry.id for entry in race.entries if not entry.null]
    ceiling = next((e for e in raced if by_id[e].class_ == "ceiling" and tally.of(e)), None)
    measured = [entry for entry in raced if rows.status_by_turns(tally, entry)[0] == "measured"]
    described = findings.of_race(tally, measured)
    ceilings = [entry for entry in measured if by_id[entry].class_ == "ceiling"]
    compared = figures.compared(tally)
    family = judging.judged(tally, measured, ceilings, margin, claimed_pairs(facts, race), compared)
    null_pair = judging.null_pair_of(tally, compared)
    race_gates = (*gates.of_race(tally), *judging.null_gate(tally, null_pair))
    held = all(gate.ok for gate in race_gates)
    beside = _beside(tally, described, family, [e for e in measured if e not in ceilings], held)
    table = {
        entry: rows.row_of(tally, by_id[entry], ceiling, beside.get(entry, rows.Beside())) for entry in raced
    }
    verdicts = judging.verdicts_of(tally, table, family, race_gates)
    # What it cannot show belongs with what it shows.
    notes = notes_of(tally, about, list(table.values()), observations)
    result = result_of(
        tally,
        about,
        table.values(),
        verdicts,
        slices=sum(len(tally.of(entry.id)) for entry in race.entries),
        findings=(*notes, *described.noteworthy),
        null_pair=null_pair,
        gates=race_gates,
    )
    return Race(tally, result)


def _beside(
    tally: Tally,
    described: findings.Findings,
    family: judging.Family,
    rivals: Sequence[str],
    held: bool,
) -> dict[str, rows.Beside]:
    """What rows need to know of the others; `rivals` are the measured ones that are no ceiling, `held`:
    whether all gates of the race hold, without which nobody has a place."""
    places = _places(tally, family, rivals, held)
    reference = tally.race.reference_entry
    return {
        entry.id: rows.Beside(
            place=place.place if (place := places.get(entry.id)) else None,
            shares_place=place.shared if place else False,
            against=judging.reported_of(family, entry.id, reference) if tally.method.one_family else None,
            variance=described.variance.get(entry.id),
            warm_up=described.warm_up.get(entry.id),
            drift=described.drift.get(entry.id),
        )
        for entry in tally.race.entries
    }


def _places(
    tally: Tally, family: judging.Family, rivals: Sequence[str], held: bool
) -> dict[str, stats.Place]:
    """Who came first: of all races by the method's version 1, then of those that were planned to rank."""
    if tally.method.one_family and not (tally.race.ranked and held):
        return {}
    if tally.method.one_family:
        # One whose own gate is broken was judged by nobody, and has no place.
        sound = [entry for entry in rivals if all(gate.ok for gate in gates.of_contender(tally, entry, None))]
        return judging.ranked(tally, sound, family) if tally.race.reference_entry in sound else {}
    measures = {entry: rows.headline(tally, entry) for entry in rivals}
    levels = {entry: measure.estimate for entry, measure in measures.items() if measure is not None}
    return judging.places(tally, levels)


def result_of(
    tally: Tally,
    about: WorkloadFacts,
    table: Iterable[AnyResult],
    verdicts: tuple[Verdict, ...],
    *,
    slices: int,
    findings: tuple[Finding, ...],
    null_pair: NullPair | None = None,
    gates: tuple[GateResult, ...] = (),
    notes: tuple[str, ...] = (),
) -> RaceResult:
    """A race's result of its rows and verdicts; `slices`: how many turns it rests on."""
    race = tally.race
    return RaceResult(
        name=race.workload,
        kind=race.kind,
        title=about.title,
        question=about.question,
        setting=race.setting,
        method=race.method,
        method_version=race.method_version,
        metric=race.metric,
        judged_by=race.judged_by,
        reference=race.reference,
        measured=_measured(race),
        blocks=len(tally.blocks),
        blocks_planned=race.blocks,
        slices=slices,
        contenders=in_order(race, table, verdicts),
        null_pair=null_pair,
        gates=gates,
        verdicts=verdicts,
        findings=findings,
        notes=notes,
    )


def _measured(race: RacePlan) -> BySlices | ByColdStarts | ByInvocations | ByOutside:
    """What of a race's plan its result says."""
    match race.measured:
        case SlicePlan() as plan:
            cores = len(plan.server_cpus) if plan.server_cpus is not None else None
            return BySlices(
                connections=plan.connections,
                streams=plan.streams,
                protocol=plan.protocol,
                server_cores=cores,
            )
        case ColdPlan() as plan:
            cores = len(plan.server_cpus) if plan.server_cpus is not None else None
            return ByColdStarts(
                connections=plan.connections,
                streams=plan.streams,
                protocol=plan.protocol,
                server_cores=cores,
            )
        case InvocationPlan() as plan:
            # Of a pipeline its commands are the size.
            return ByInvocations(n=plan.n if plan.commands is None else None, commands=plan.commands)
        case OutsidePlan() as plan:
            here = Length(seconds=plan.seconds, total=plan.total, n=plan.n)
            return ByOutside(connections=plan.connections, length=here, published=plan.published)


def notes_of(
    tally: Tally,
    about: WorkloadFacts,
    table: Sequence[ContenderResult],
    observations: Sequence[Observation],
) -> list[Finding]:
    """What the plan notes, where its databases were, why a race was cut short, which blocks do not count,
    rates of messages, and whose connections wait for each other."""
    ordered = in_order(tally.race, table, ())
    loaded = tally.race.measured if isinstance(tally.race.measured, SlicePlan) else None
    return [
        *findings.stand_in(tally.race, observations),
        *findings.own_database(tally.race),
        *findings.attempt(tally.race),
        *(Note(text=note) for note in tally.race.notes),
        *findings.cut_short(tally),
        *findings.disturbed(tally),
        *findings.given_up(tally),
        *long_turns.unchecked(tally, table),
        *findings.message_rates(ordered, about.messages),
        *load_from.hosts(tally),
        *load_from.services(tally),
        *load_from.network_part(ordered, tally),
        *findings.connections_wait(ordered, loaded.connections if loaded is not None else None),
    ]


def settled(result: RaceResult) -> bool:
    """Whether a planned look may end the race: every verdict is in, and none was refused."""
    looks = looks_at(result.blocks_planned, result.method_version)
    judged = [verdict.verdict in ("faster", "dead heat") for verdict in result.verdicts]
    return looks.may_end(result.blocks) and bool(judged) and all(judged)


def claimed_pairs(facts: SuiteFacts, race: RacePlan) -> list[tuple[str, str]]:
    """The pairs that published claims name in this race's own metric."""
    named = [
        (claim.a, claim.b)
        for study in facts.studies
        for claim in study.claim
        for way in ways(claim)
        if claim.metric == race.metric and is_about(claim, study, way, race)
    ]
    return list(dict.fromkeys(named))


def facts_of(race: RacePlan, facts: SuiteFacts) -> WorkloadFacts:
    """What the suite said of a race's workload. Raises UserError where that is not known."""
    found = facts.workloads.get(race.workload)
    known = {one.id for one in found.contenders} if found is not None else set()
    missing = [entry.contender for entry in race.entries if entry.contender not in known]
    if found is None or missing:
        what = f"{race.workload}/{missing[0]}" if missing else race.workload
        raise UserError(
            f"the plan of this run says nothing of {what}, and its suite does not have it",
            hint="a run of before plans held that needs the suite that it was raced with",
        )
    return found


def in_order(race: RacePlan, table: Iterable[Row], verdicts: Iterable[Verdict]) -> tuple[Row, ...]:
    """Rows by their judged answers to the reference, the fastest of each first: faster, the reference and
    its dead heats, not settled, slower; then ceilings, then those without figures. Places go before answers;
    where nobody has either, the ratio alone decides."""
    answers = {
        entry: verdict.answer(entry)
        for verdict in verdicts
        if race.reference in (verdict.a, verdict.b)
        for entry in (verdict.a, verdict.b)
    }
    # Where a gate of all is broken there are no groups, and the reference stands among the others.
    judged = any(answers.values())
    answers[race.reference] = "dead heat" if judged else None

    def order(row: Row) -> tuple[int, int, int, float, str]:
        ratio = row.against_reference.ratio if row.against_reference else 1.0
        if row.place is not None:
            return (0, row.place if judged else 0, 0, -ratio, row.id)
        if row.status != "measured":
            return (3, 0, 0, 0.0, row.id)
        if row.class_ == "ceiling":
            return (2, 0, 0, 0.0, row.id)
        answer = answers.get(row.id)
        group = ANSWERS.index(answer) if answer is not None else len(ANSWERS) * judged
        return (1, group, int(row.id != race.reference), -ratio, row.id)

    return tuple(sorted(table, key=order))
