"""A race's null pair, its verdicts and its places: who may be said to be faster than whom."""

from collections.abc import Mapping, Sequence

from deadheat import stats
from deadheat.gate import gate_result
from deadheat.model.result import Against, ContenderResult, GateResult, NullPair, Verdict
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.report import words
from deadheat.tally import VALUES, Tally, Value


def compare(found: Tally, a: str, b: str, value: Value, metric: str) -> stats.Estimate:
    blocks = found.common_blocks(a, b)
    return stats.compare(
        found.series(a, value, blocks),
        found.series(b, value, blocks),
        lower_is_better=not HIGHER_IS_FASTER[metric],
    )


def against(found: Tally, a: str, b: str, value: Value) -> Against | None:
    pair = compare(found, a, b, value, found.race.metric)
    return None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)


def null_pair_of(found: Tally) -> NullPair | None:
    null = found.race.null_entry
    if null is None or not found.common_blocks(found.race.reference_entry, null):
        return None
    reference = found.race.reference_entry
    judged = stats.judge_null_pair(
        compare(found, null, reference, VALUES[found.race.metric], found.race.metric)
    )
    shown = judged.estimate
    if shown.ratio is None:
        return None
    return NullPair(
        contender=found.race.reference,
        ratio=shown.ratio,
        ci=shown.ci,
        ci_99_9=shown.at(0.999).ci,
        ok=judged.ok,
    )


def null_gate(found: Tally, null_pair: NullPair | None) -> tuple[GateResult, ...]:
    """None where the reference was not raced twice."""
    limit = "99.9% interval covers 1"
    advice = (
        "the reference differs from itself: something favours a place in the order; report this run's journal"
    )
    if null_pair is not None:
        return (gate_result("null-pair", null_pair.ok, null_pair.ratio, limit, advice),)
    null = found.race.null_entry
    if null is None or not found.common_blocks(found.race.reference_entry, null):
        return ()
    advice = "in no block did the reference have a value both times it was entered"
    return (gate_result("null-pair", False, None, limit, advice),)


def verdicts_of(
    found: Tally,
    rows: Mapping[str, ContenderResult],
    measured: Sequence[str],
    margin: float,
    race_gates: Sequence[GateResult],
    claimed: Sequence[tuple[str, str]],
) -> tuple[Verdict, ...]:
    """The family's verdicts, those of a broken gate void."""
    verdicts = []
    for (a, b), verdict in judged(found, rows, measured, margin, claimed).items():
        broken = [g for g in (*rows[a].gates, *rows[b].gates, *race_gates) if not g.ok]
        final = verdict.void(f"{broken[0].name}: {broken[0].advice}") if broken else verdict
        verdicts.append(_as_result(a, b, found.race.metric, final, found.block_s()))
    return tuple(verdicts)


def judged(
    found: Tally,
    rows: Mapping[str, ContenderResult],
    measured: Sequence[str],
    margin: float,
    claimed: Sequence[tuple[str, str]],
) -> dict[tuple[str, str], stats.Verdict]:
    """Each contender against the reference, and the pairs that claims name: the family that is judged.

    By the figures alone, whatever the gates say. Ceilings are left out: they are this machine's limit, not
    rivals.
    """
    reference = found.race.reference_entry
    metric = found.race.metric
    rivals = [e for e in measured if e != reference and rows[e].class_ != "ceiling"]
    if reference not in measured:
        return {}
    pairs = [(e, reference) for e in rivals]
    pairs += [(a, b) for a, b in claimed if {a, b} <= set(rivals) and reference not in (a, b)]
    estimates = {(a, b): compare(found, a, b, VALUES[metric], metric) for a, b in pairs}
    return stats.judge_family(estimates, margin=margin, looks=stats.plan_looks(found.race.blocks))


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


def placed(
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
        pair = compare(found, a, b, value, metric)
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
