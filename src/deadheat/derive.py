"""A plan and its observations become results. Nothing is run; one journal always gives the same results."""

from collections.abc import Mapping, Sequence
from typing import Any

from deadheat import claims, derive_outside, findings, gates, judging, rows, stats
from deadheat.journal import whole_blocks
from deadheat.model.observation import Observation, Resumed, Stopped
from deadheat.model.plan import Plan, WorkloadPlan
from deadheat.model.result import ContenderResult, Results, WorkloadResult
from deadheat.suite import Suite
from deadheat.tally import tally


def results(
    plan: Plan, suite: Suite, machine: Mapping[str, Any], observations: Sequence[Observation]
) -> Results:
    """What a run found so far."""
    counting = list(whole_blocks(list(observations)))
    stopped = [o.why for o in observations if isinstance(o, Stopped)]
    resumed = sum(isinstance(o, Resumed) for o in observations)
    races = [_race(race, suite, plan.margin, counting) for race in plan.workloads]
    raced = {race.workload for race in plan.workloads}
    studies = [study for study in suite.studies.values() if raced & {c.workload for c in study.claim}]
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
            for study in studies
            for row in claims.check(study, races, plan.margin, len(plan.server_cpus))
            if any(c.id == row.id and c.workload in raced for c in study.claim)
        ),
        published_gates=tuple(
            claims.published_gate(study.study, load) for study in studies for load in study.load
        ),
    )


def workload(
    race: WorkloadPlan, suite: Suite, margin: float, observations: Sequence[Observation]
) -> WorkloadResult:
    """One race: its rows, its null pair, its verdicts. `observations` are those of whole blocks."""
    return _race(race, suite, margin, observations).result


def _race(
    race: WorkloadPlan, suite: Suite, margin: float, observations: Sequence[Observation]
) -> claims.Race:
    found = tally(race, observations)
    by_id = {contender.id: contender for contender in suite.contenders[race.workload]}
    raced = [entry.id for entry in race.entries if not entry.null]
    ceiling = next((e for e in raced if by_id[e].class_ == "ceiling" and found.of(e)), None)
    table = {entry: rows.row_of(found, by_id[entry], ceiling) for entry in raced}
    null_pair = judging.null_pair_of(found)
    race_gates = (*gates.of_workload(found), *judging.null_gate(found, null_pair))
    measured = [entry for entry in raced if table[entry].status == "measured"]
    pairs = claimed_pairs(suite, race)
    verdicts = judging.verdicts_of(found, table, measured, margin, race_gates, pairs)
    table = judging.placed(found, table, measured)
    result = WorkloadResult(
        name=race.workload,
        kind=race.kind,
        title=suite.workloads[race.workload].title,
        question=suite.workloads[race.workload].question,
        setting=race.setting,
        method=race.method,
        metric=race.metric,
        reference=race.reference,
        n=race.n,
        connections=race.connections,
        streams=race.streams,
        server_cores=len(race.server_cpus) if race.server_cpus is not None else None,
        blocks=len(found.blocks),
        blocks_planned=race.blocks,
        slices=sum(len(found.of(entry.id)) for entry in race.entries),
        contenders=tuple(sorted(table.values(), key=_table_order)),
        null_pair=null_pair,
        gates=race_gates,
        verdicts=verdicts,
        notes=race.outside.notes if race.outside else (),
    )
    result = findings.told(result, findings.of_race(found, table))
    # What it cannot show belongs with what it shows.
    notes = (*race.notes, *findings.cut_short(found))
    if (grpc := suite.workloads[race.workload].grpc) is not None:
        notes += tuple(findings.streamed(result, grpc.messages))
    result = result.model_copy(update={"findings": (*notes, *result.findings)})
    return claims.Race(found, derive_outside.with_published(result, found, suite))


def settled(result: WorkloadResult) -> bool:
    """Whether a planned look may end the race: every verdict is in, and none was refused."""
    looks = stats.plan_looks(result.blocks_planned)
    judged = [verdict.verdict in ("faster", "dead heat") for verdict in result.verdicts]
    return looks.may_end(result.blocks) and bool(judged) and all(judged)


def claimed_pairs(suite: Suite, race: WorkloadPlan) -> list[tuple[str, str]]:
    """The pairs that published claims name in this race's own metric."""
    named = [
        (claim.a, claim.b)
        for study in suite.studies.values()
        for claim in study.claim
        if (claim.workload, claims.setting(claim, study, race.method), claim.metric)
        == (race.workload, race.setting, race.metric)
    ]
    return list(dict.fromkeys(named))


def _table_order(row: ContenderResult) -> tuple[int, float, str]:
    """Placed rows first, then ceilings, then those without figures."""
    if row.place is not None:
        against = row.against_reference.ratio if row.against_reference else 1.0
        return (0, -against, row.id)
    return (1 if row.status == "measured" else 2, 0.0, row.id)
