"""Published claims held against what was measured here: verdicts become outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadheat import build_summary, latency, stats
from deadheat.model.claim import (
    MORE_IS_BETTER,
    Claim,
    ClaimResult,
    Outcome,
    PublishedGate,
    PublishedLoad,
    Study,
)
from deadheat.model.observation import Invocation, OutsideRun, Slice
from deadheat.model.result import Interval, WorkloadResult
from deadheat.stats import Series
from deadheat.tally import Tally, cpu_s, cpu_us_per_request, own_wall_s, throughput_rps, wall_s

# How far a ratio may be from the published one and still be called replicated.
BAND = 1.25
# An end that lies on an edge but for its last digits lies on it, whichever way round the claim is put.
HAIR = 1 + 1e-9
LITTLES_LAW_LIMIT = 0.05
METHODS = ("deadheat", "as-published")
TURN_VALUES = {
    "throughput_rps": throughput_rps,
    "wall_s": wall_s,
    "own_wall_s": own_wall_s,
    "cpu_s": cpu_s,
    "cpu_us_per_request": cpu_us_per_request,
}
EXACT = ("artifact_bytes", "build_s")


@dataclass(frozen=True)
class Race:
    """One race of a run, as claims see it."""

    tally: Tally
    result: WorkloadResult


@dataclass(frozen=True)
class Here:
    """The ratio found here; `ci` is None where a single figure is all there is."""

    ratio: float
    ci: Interval | None


def check(study: Study, races: Sequence[Race], margin: float, server_cores: int) -> list[ClaimResult]:
    """Two rows a claim: by our method and by the study's own."""
    return [
        _row(study, claim, method, races, margin, server_cores) for claim in study.claim for method in METHODS
    ]


def published_gate(study: str, load: PublishedLoad) -> PublishedGate:
    """Little's law on published figures: calls in flight = throughput x mean latency (Little 1961)."""
    in_flight = load.throughput_rps * load.mean_latency_ms / 1000
    expected = load.connected if load.connected is not None else load.asked
    ok = abs(in_flight / load.asked - 1) <= LITTLES_LAW_LIMIT
    advice = None
    if not ok:
        explained = load.connected is not None and abs(in_flight / expected - 1) <= LITTLES_LAW_LIMIT
        advice = f"{in_flight:,.0f} requests were in flight, not the {load.asked:,} asked for"
        if explained:
            advice += f": {expected:,} is how many connections there were"
        if load.note:
            advice += f" ({load.note})"
    return PublishedGate(
        study=study, name=load.name, in_flight=in_flight, asked=load.asked, ok=ok, advice=advice
    )


def outcome(published: float, ci: Interval, margin: float) -> Outcome:
    """`published` and `ci` are ratios, how many times as good a is as b; a published tie is 1."""
    low, high = ci
    edge = 1 + margin
    if math.isclose(published, 1, rel_tol=1e-9):
        if 1 / edge < low and high < edge:
            return "replicated"
        return "contradicted" if low > edge or high < 1 / edge else "inconclusive"
    if published < 1:
        published, low, high = 1 / published, 1 / high, 1 / low
    least, most = published / BAND, published * BAND
    if low > HAIR and least <= low * HAIR and high <= most * HAIR:
        return "replicated"
    if low > HAIR and (high * HAIR < least or low > most * HAIR):
        return "different size"
    return "contradicted" if high * HAIR < 1 / edge else "inconclusive"


def _judged(claim: Claim, ci: Interval, margin: float) -> Outcome:
    low, high = ci
    if claim.published.at_most is not None:
        if high < claim.published.at_most:
            return "replicated"
        return "contradicted" if low > claim.published.at_most else "inconclusive"
    if claim.ratio is None:
        if low > 1 + margin:
            return "replicated"
        return "contradicted" if high < 1 / (1 + margin) else "inconclusive"
    return outcome(claim.ratio, ci, margin)


def _row(
    study: Study, claim: Claim, method: str, races: Sequence[Race], margin: float, server_cores: int
) -> ClaimResult:
    figures: dict[str, float | str | None] = {
        "ratio": claim.ratio,
        "a": claim.published.a,
        "b": claim.published.b,
        "at_most": claim.published.at_most,
        "unit": claim.published.unit,
    }
    row = ClaimResult(
        study=study.study,
        id=claim.id,
        statement=claim.statement,
        metric=claim.metric,
        published=figures,
        method=method,
        here=None,
        outcome="not run",
    )
    race = _race(claim, study, method, races)
    why = _not_run(claim, method, race, server_cores)
    if why is not None or race is None:
        return row.model_copy(update={"why": why})
    here = _here(claim, race.tally)
    if here is None:
        return row.model_copy(update={"why": f"{claim.metric} is not known here"})
    shown = {"ratio": here.ratio, "ci": here.ci}
    if (broken := _broken(claim, race)) is not None:
        return row.model_copy(update={"here": shown, "outcome": "inconclusive", "why": broken})
    if here.ci is None:
        why = "one figure of each, so no interval"
        return row.model_copy(update={"here": shown, "outcome": "inconclusive", "why": why})
    found = _judged(claim, here.ci, margin)
    return row.model_copy(update={"here": shown, "outcome": found, "why": _remarks(claim, race)})


def setting(claim: Claim, study: Study, method: str) -> str | None:
    """The setting of the races that a claim is held against: a study's own is called by its name."""
    return study.study if method == "as-published" and claim.setting is None else claim.setting


def _race(claim: Claim, study: Study, method: str, races: Sequence[Race]) -> Race | None:
    of_it = [
        race
        for race in races
        if race.result.name == claim.workload
        and race.result.method == method
        and race.result.setting == setting(claim, study, method)
    ]
    return of_it[0] if of_it else None


def _not_run(claim: Claim, method: str, race: Race | None, server_cores: int) -> str | None:
    """Why it could not be checked, or None."""
    if claim.unchecked is not None:
        return claim.unchecked
    if server_cores < claim.server_cores:
        return f"needs {claim.server_cores} server cores"
    if race is None:
        more = "" if method == "deadheat" else " --method as-published"
        return f"not in this run: deadheat race{more} {claim.workload}"
    rows = {row.id: row for row in race.result.contenders}
    for id_ in (claim.a, claim.b):
        row = rows.get(id_)
        if row is None:
            return f"{id_} was not raced: --contender {id_}, or --all"
        if claim.metric not in EXACT and row.status != "measured":
            return f"{id_} is {row.status}" + (f": {row.reason.splitlines()[0]}" if row.reason else "")
    return None


def _broken(claim: Claim, race: Race) -> str | None:
    """A broken gate leaves a claim about what was loaded open; sizes and the like stand by themselves."""
    if claim.metric in EXACT or claim.metric == "peak_memory_bytes":
        return None
    rows = [row for row in race.result.contenders if row.id in (claim.a, claim.b)]
    gates = [*race.result.gates, *(gate for row in rows for gate in row.gates)]
    return next((f"{gate.name}: {gate.advice}" for gate in gates if not gate.ok), None)


def _remarks(claim: Claim, race: Race) -> str | None:
    remarks = [claim.note] if claim.note else []
    if claim.n is not None and race.result.n != claim.n:
        remarks.insert(0, f"at n = {race.result.n}, not {claim.n}")
    return "; ".join(remarks) or None


def _here(claim: Claim, tally: Tally) -> Here | None:
    better = MORE_IS_BETTER[claim.metric]
    if claim.metric in EXACT:
        return _exact(claim, tally, better=better)
    blocks = tally.common_blocks(claim.a, claim.b)
    a, b = (_series(tally, id_, claim.metric, blocks) for id_ in (claim.a, claim.b))
    pair = stats.compare(a, b, lower_is_better=not better)
    return None if pair.ratio is None else Here(pair.ratio, pair.ci)


def _exact(claim: Claim, tally: Tally, *, better: bool) -> Here | None:
    """A size does not vary, so its ratio is its interval; a build time has one where builds were timed."""
    if claim.metric == "build_s" and (timed := _timed_builds(claim, tally)) is not None:
        return timed
    a, b = (getattr(tally.built.get(id_), claim.metric, None) for id_ in (claim.a, claim.b))
    if not a or not b:
        return None
    ratio = a / b if better else b / a
    return Here(ratio, (ratio, ratio) if claim.metric == "artifact_bytes" else None)


def _timed_builds(claim: Claim, tally: Tally) -> Here | None:
    """Building again with warm caches, as a developer does, both in one session of `build --times`."""
    a, b = (built.times if (built := tally.built.get(id_)) else None for id_ in (claim.a, claim.b))
    pair = build_summary.compare(a, b) if a and b else None
    return Here(pair.ratio, pair.ci) if pair and pair.ratio is not None else None


def _series(tally: Tally, entry: str, metric: str, blocks: Sequence[int]) -> Series:
    if metric in TURN_VALUES:
        return tally.series(entry, TURN_VALUES[metric], blocks)
    return [np.array([_log(_of_block(tally, entry, metric, block))]) for block in blocks]


def _of_block(tally: Tally, entry: str, metric: str, block: int) -> float | None:
    """One figure a block."""
    if metric == "peak_memory_bytes":
        return _peak(tally, entry, block)
    if (run := tally.outside_run(entry)) is not None:
        return _of_run(run, metric)
    if metric == "server_cores":
        slices = [turn for turn in tally.turns[entry][block] if isinstance(turn, Slice)]
        counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices)
        return sum(s.server_cpu_ns or 0 for s in slices) / counted if counted else None
    ended = next((e for e in tally.ended.get(entry, []) if e.block == block and e.hdr), None)
    return latency.figure(ended.hdr, metric) if ended is not None and ended.hdr else None


def _of_run(run: OutsideRun, metric: str) -> float | None:
    """As the outside generator told it; the server's CPU is metered by us."""
    if metric == "server_cores":
        return run.server_cpu_s / run.wall_s if run.server_cpu_s else None
    return run.latency_ms.get(metric.removeprefix("latency_").removesuffix("_ms"))


def _peak(tally: Tally, entry: str, block: int) -> float | None:
    peaks = [e.peak_memory_bytes for e in tally.ended.get(entry, []) if e.block == block]
    peaks += [
        turn.peak_memory_bytes
        for turn in tally.warm_ups.get(entry, [])
        if isinstance(turn, Invocation) and turn.block == block
    ]
    return next((float(peak) for peak in peaks if peak), None)


def _log(value: float | None) -> float:
    return math.log(value) if value and value > 0 else math.nan
