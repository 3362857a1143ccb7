"""A plan and its observations become results. Nothing is run; one journal always gives the same results."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deadheat import claims, gates, latency, stats
from deadheat.journal import whole_blocks
from deadheat.model.contender import Contender
from deadheat.model.observation import Invocation, Observation, Resumed, Stopped
from deadheat.model.plan import Plan, WorkloadPlan
from deadheat.model.result import (
    Against,
    ContenderResult,
    GateResult,
    Measure,
    NullPair,
    Results,
    Verdict,
    WorkloadResult,
)
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.report import words
from deadheat.suite import Suite
from deadheat.tally import (
    VALUES,
    Tally,
    Value,
    cpu_s,
    cpu_us_per_request,
    own_wall_s,
    tally,
    throughput_rps,
    wall_s,
)


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
        started=plan.started,
        resumed=resumed,
        stopped=stopped[-1] if len(stopped) > resumed else None,
        seed=plan.seed,
        margin=plan.margin,
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
    rows = {entry: _row(found, by_id[entry], ceiling) for entry in raced}
    null_pair = _null_pair(found)
    race_gates = (*gates.of_workload(found), *_null_gate(null_pair))
    measured = [entry for entry in raced if rows[entry].status == "measured"]
    pairs = _claimed_pairs(suite, race)
    verdicts = _verdicts(found, rows, measured, margin, race_gates, pairs)
    rows = _placed(found, rows, measured)
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
        blocks=len(found.blocks),
        blocks_planned=race.blocks,
        slices=sum(len(found.of(entry.id)) for entry in race.entries),
        contenders=tuple(sorted(rows.values(), key=_table_order)),
        null_pair=null_pair,
        gates=race_gates,
        verdicts=verdicts,
    )
    return claims.Race(found, result)


def settled(result: WorkloadResult) -> bool:
    """Whether a planned look may end the race: every verdict is in, and none was refused."""
    words = [verdict.verdict for verdict in result.verdicts]
    looks = stats.plan_looks(result.blocks_planned)
    return looks.due(result.blocks) and bool(words) and all(w in ("faster", "dead heat") for w in words)


def _claimed_pairs(suite: Suite, race: WorkloadPlan) -> list[tuple[str, str]]:
    """The pairs that published claims name in this race's own metric."""
    every = (claim for study in suite.studies.values() for claim in study.claim)
    named = [
        (claim.a, claim.b)
        for claim in every
        if (claim.workload, claim.setting, claim.metric) == (race.workload, race.setting, race.metric)
    ]
    return list(dict.fromkeys(named))


def _row(found: Tally, contender: Contender, ceiling: str | None) -> ContenderResult:
    entry = contender.id
    status, reason = _status(found, entry)
    built = found.built.get(entry)
    row: dict[str, Any] = {
        "name": contender.name,
        "variant": contender.variant,
        "title": contender.title,
        "language": contender.language,
        "class_": contender.class_,
        "status": status,
        "reason": reason,
    }
    if built is not None:
        row |= {
            "artifact_bytes": built.artifact_bytes,
            "build_s": built.build_s,
            "toolchains": built.toolchains,
        }
    if status == "measured":
        row |= _figures(found, entry, ceiling)
    return ContenderResult(**row)


def _status(found: Tally, entry: str) -> tuple[str, str | None]:
    built, checked, failed = found.built.get(entry), found.checked.get(entry), found.failed.get(entry)
    if found.unavailable is not None:
        return "unavailable", found.unavailable
    if built is not None and built.status != "ready":
        return built.status, built.reason
    if checked is not None and not checked.ok:
        return "failed", checked.reason
    if failed is not None:
        return "failed", failed.reason
    if not found.of(entry):
        return "not run", "the run ended before its first block"
    return "measured", None


def _figures(found: Tally, entry: str, ceiling: str | None) -> dict[str, Any]:
    reference = found.race.reference_entry
    value = VALUES[found.race.metric]
    ended = found.ended.get(entry, [])
    started = [s.first_response_ms for s in found.started.get(entry, [])]
    peaks = [e.peak_memory_bytes for e in ended if e.peak_memory_bytes]
    row: dict[str, Any] = {"gates": gates.of_contender(found, entry, ceiling)}
    if entry != reference:
        row["against_reference"] = _against(found, entry, reference, value)
    if slices := found.slices(entry):
        row |= {
            "throughput_rps": _measure(found, entry, throughput_rps),
            "cpu_us_per_request": _measure(found, entry, cpu_us_per_request),
            "latency_ms": latency.closed_loop([e.hdr for e in ended if e.hdr]),
            "bytes_per_response": sum(s.bytes_in for s in slices) / max(1, sum(s.replies for s in slices)),
            "threads": max((e.threads for e in ended if e.threads), default=None),
            "first_response_ms": float(np.median(started)) if started else None,
        }
        if ceiling is not None:
            share = _against(found, entry, ceiling, throughput_rps)
            row["of_ceiling"] = share.ratio if share else None
    if found.invocations(entry):
        row |= {
            "wall_s": _measure(found, entry, wall_s),
            "cpu_s": _measure(found, entry, cpu_s),
            "own_wall_s": _measure(found, entry, own_wall_s),
        }
        traced = [turn for turn in found.warm_ups.get(entry, []) if isinstance(turn, Invocation)]
        peaks = [i.peak_memory_bytes for i in traced if i.peak_memory_bytes]
    row["peak_memory_bytes"] = int(np.median(peaks)) if peaks else None
    row["lower_bound"] = any(not g.ok and g.name in gates.GENERATOR_LIMITED for g in row["gates"])
    return row


def _measure(found: Tally, entry: str, value: Value) -> Measure | None:
    series = found.series(entry, value, found.common_blocks(entry))
    level = stats.absolute(series)
    if level.ratio is None:
        return None
    blocks = tuple(float(np.exp(np.nanmean(b))) for b in series if np.isfinite(b).any())
    return Measure(estimate=level.ratio, ci=level.ci, blocks=blocks)


def _compare(found: Tally, a: str, b: str, value: Value, metric: str) -> stats.Estimate:
    blocks = found.common_blocks(a, b)
    return stats.compare(
        found.series(a, value, blocks),
        found.series(b, value, blocks),
        lower_is_better=not HIGHER_IS_FASTER[metric],
    )


def _against(found: Tally, a: str, b: str, value: Value) -> Against | None:
    pair = _compare(found, a, b, value, found.race.metric)
    return None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)


def _null_pair(found: Tally) -> NullPair | None:
    null = found.race.null_entry
    if null is None or not found.common_blocks(found.race.reference_entry, null):
        return None
    reference = found.race.reference_entry
    judged = stats.judge_null_pair(
        _compare(found, null, reference, VALUES[found.race.metric], found.race.metric)
    )
    shown = judged.estimate
    return NullPair(
        contender=found.race.reference,
        ratio=shown.ratio or math.nan,
        ci=shown.ci,
        ci_99_9=shown.at(0.999).ci,
        ok=judged.ok,
    )


def _null_gate(null_pair: NullPair | None) -> tuple[GateResult, ...]:
    if null_pair is None:
        return ()
    advice = (
        "the reference differs from itself: something favours a place in the order; report this run's journal"
    )
    return (
        GateResult(
            name="null-pair",
            ok=null_pair.ok,
            value=null_pair.ratio,
            limit="99.9% interval covers 1",
            advice=None if null_pair.ok else advice,
        ),
    )


def _verdicts(
    found: Tally,
    rows: Mapping[str, ContenderResult],
    measured: Sequence[str],
    margin: float,
    race_gates: Sequence[GateResult],
    claimed: Sequence[tuple[str, str]],
) -> tuple[Verdict, ...]:
    """Each contender against the reference, and the pairs that claims name: the family that is judged.

    Ceilings are left out: they are this machine's limit, not rivals.
    """
    reference = found.race.reference_entry
    metric = found.race.metric
    rivals = [e for e in measured if e != reference and rows[e].class_ != "ceiling"]
    if reference not in measured:
        return ()
    pairs = [(e, reference) for e in rivals]
    pairs += [(a, b) for a, b in claimed if {a, b} <= set(rivals) and reference not in (a, b)]
    estimates = {(a, b): _compare(found, a, b, VALUES[metric], metric) for a, b in pairs}
    looks = stats.plan_looks(found.race.blocks)
    judged = stats.judge_family(estimates, margin=margin, looks=looks)
    verdicts = []
    for (a, b), verdict in judged.items():
        broken = [g for g in (*race_gates, *rows[a].gates, *rows[b].gates) if not g.ok]
        final = verdict.void(f"{broken[0].name}: {broken[0].advice}") if broken else verdict
        verdicts.append(_as_result(a, b, metric, final, found.block_s()))
    return tuple(verdicts)


def _as_result(a: str, b: str, metric: str, verdict: stats.Verdict, block_s: float) -> Verdict:
    """The verdict with the winner first, where there is one; else what would settle it."""
    ratio, ci = verdict.estimate.ratio, verdict.estimate.ci
    if verdict.winner == "b" and ratio is not None:
        a, b, ratio = b, a, 1 / ratio
        ci = (1 / ci[1], 1 / ci[0]) if ci is not None else None
    why = verdict.why
    if verdict.more_blocks is not None:
        needed = (
            f"about {verdict.more_blocks:,} more blocks ({words.duration(verdict.more_blocks * block_s)})"
        )
        why = f"{why}; {needed} would settle it" if why else None
    return Verdict(a=a, b=b, metric=metric, ratio=ratio, ci=ci, verdict=verdict.kind, why=why)


def _placed(
    found: Tally, rows: Mapping[str, ContenderResult], measured: Sequence[str]
) -> dict[str, ContenderResult]:
    """Rows with their place; those that cannot be told apart share one."""
    metric = found.race.metric
    value = VALUES[metric]
    ranked = sorted(
        (e for e in measured if rows[e].class_ != "ceiling" and _level(rows[e], metric) is not None),
        key=lambda e: _level(rows[e], metric) or 0.0,
        reverse=HIGHER_IS_FASTER[metric],
    )

    def apart(a: str, b: str) -> bool:
        pair = _compare(found, a, b, value, metric)
        return pair.low > 0 or pair.high < 0

    placed = dict(rows)
    for place in stats.places(ranked, apart=apart):
        placed[place.contender] = rows[place.contender].model_copy(
            update={"place": place.place, "shares_place": place.shared}
        )
    return placed


def _level(row: ContenderResult, metric: str) -> float | None:
    measure = getattr(row, metric)
    return measure.estimate if measure is not None else None


def _table_order(row: ContenderResult) -> tuple[int, float, str]:
    """Placed rows first, then ceilings, then those without figures."""
    if row.place is not None:
        against = row.against_reference.ratio if row.against_reference else 1.0
        return (0, -against, row.id)
    return (1 if row.status == "measured" else 2, 0.0, row.id)
