"""Results of a race by a study's own method: single figures, the study's beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from deadheat import stats
from deadheat.model.kinds.registry import TRAITS
from deadheat.model.observation import Observation, OutsideRun
from deadheat.model.plan import RacePlan
from deadheat.model.published import PublishedRow
from deadheat.model.reason import SingleFigure
from deadheat.model.result import (
    Against,
    AnyResult,
    Latency,
    Measure,
    NoFigures,
    PublishedServerResult,
    Status,
    Verdict,
)
from deadheat.model.suite_facts import ContenderFacts, SuiteFacts
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.results import derive, judging, rows
from deadheat.results.claimed import Race
from deadheat.results.gates import registry
from deadheat.results.tally import Tally, tallied
from deadheat.studies import gates

Runs = Mapping[str, Sequence[OutsideRun]]
# The figures of one entry by metric.
Single = Mapping[str, float]


def race_of(race: RacePlan, facts: SuiteFacts, margin: float, observations: Sequence[Observation]) -> Race:
    """A race by a study's own method. Programs are timed as ever; a server's figures are those of the best
    run of somebody else's generator. Nobody is entered twice and one figure has no interval: no gate of the
    race, and no findings."""
    tally, about = tallied(race, observations), derive.facts_of(race, facts)
    runs = runs_of(race, observations)
    single = {entry: _single(tally, best(of)) for entry, of in runs.items()}
    serves = TRAITS[race.kind].serves

    def compared(a: str, b: str) -> stats.Estimate:
        return _compare(race, single, a, b)

    status = {
        e.id: _status(tally, runs, e.id) if serves else rows.status_by_turns(tally, e.id)
        for e in race.entries
    }
    measured = [entry for entry, (word, _) in status.items() if word == "measured"]
    rivals = [entry for entry in measured if about.contender(entry).class_ != "ceiling"]
    how = compared if serves else None
    levels = {entry: single[entry].get(race.metric) if serves else _level(tally, entry) for entry in rivals}
    known = {e: level for e, level in levels.items() if level is not None}
    places = {} if tally.method.one_family else judging.places(tally, known, how)
    ceilings = [entry for entry in measured if entry not in rivals]
    family = judging.judged(tally, measured, ceilings, margin, derive.claimed_pairs(facts, race), how)
    printed = _printed(race, facts)
    table: dict[str, AnyResult] = {}
    for entry in (e.id for e in race.entries):
        place = places.get(entry)
        beside = rows.Beside(
            place=place.place if place else None,
            shares_place=place.shared if place else False,
            against=judging.reported_of(family, entry, tally.race.reference_entry)
            if tally.method.one_family
            else None,
            published=printed.get(entry),
        )
        who = about.contender(entry)
        table[entry] = (
            _row(tally, who, runs, single, beside) if serves else rows.row_of(tally, who, None, beside)
        )
    verdicts = judging.verdicts_of(tally, table, family, ())
    result = derive.result_of(
        tally,
        about,
        table.values(),
        tuple(map(_without_interval, verdicts)),
        slices=len(runs) if serves else sum(len(tally.of(entry.id)) for entry in race.entries),
        findings=tuple(derive.notes_of(tally, about, list(table.values()), observations)),
        notes=race.outside.notes if race.outside is not None else (),
    )
    return Race(tally, result, single if serves else None)


def runs_of(race: RacePlan, observations: Iterable[Observation]) -> dict[str, list[OutsideRun]]:
    """Of each entry its runs by somebody else's generator, in order."""
    runs: dict[str, list[OutsideRun]] = {}
    for o in observations:
        if isinstance(o, OutsideRun) and o.race == race.key:
            runs.setdefault(o.entry, []).append(o)
    return runs


def best(runs: Iterable[OutsideRun]) -> OutsideRun:
    """The run that alone counts where a study took the best of several."""
    return max(runs, key=lambda run: run.throughput_rps)


def cpu_us_per_request(run: OutsideRun) -> float:
    """The server's CPU time of the whole run for each request, microseconds."""
    return (run.server_cpu_s or 0.0) * 1e6 / run.requests


def _status(tally: Tally, runs: Runs, entry: str) -> tuple[Status, str | None]:
    return rows.status_of(tally, entry, measured=entry in runs, raced=bool(runs))


def _level(tally: Tally, entry: str) -> float | None:
    measure = rows.headline(tally, entry)
    return None if measure is None else measure.estimate


def _row(
    tally: Tally, contender: ContenderFacts, runs: Runs, single: Mapping[str, Single], beside: rows.Beside
) -> AnyResult:
    entry, reference = contender.id, tally.race.reference_entry
    status, reason = _status(tally, runs, entry)
    if status != "measured":
        return NoFigures(**rows.described(tally, contender, status, reason, beside))
    of, run = runs[entry], best(runs[entry])
    pair = _compare(tally.race, single, entry, reference)
    against = Against(ratio=pair.ratio, ci=pair.ci) if pair.ratio is not None and entry != reference else None
    held = (*registry.of_contender(tally, entry), *gates.of_run(run))
    peaks = [e.peak_memory_bytes for e in tally.ended.get(entry, []) if e.peak_memory_bytes]
    return PublishedServerResult(
        **rows.described(tally, contender, status, reason, beside, held, against, peaks),
        **rows.serving(tally, entry),
        throughput_rps=_measure(run.throughput_rps, [one.throughput_rps for one in of]),
        cpu_us_per_request=_measure(cpu_us_per_request(run), [cpu_us_per_request(one) for one in of]),
        latency_ms=reported_latency(run),
        bytes_per_response=run.bytes_in / run.requests if run.bytes_in else None,
        outside=run,
    )


def _measure(figure: float, of_each_run: Sequence[float]) -> Measure | None:
    """The best run's figure, and that of every run."""
    return Measure(estimate=figure, ci=None, blocks=tuple(of_each_run)) if figure > 0 else None


def _single(tally: Tally, run: OutsideRun) -> Single:
    """The figures of an entry by the metrics that claims are about; latencies as the tool printed them."""
    peaks = [e.peak_memory_bytes for e in tally.ended.get(run.entry, []) if e.peak_memory_bytes]
    figures = {
        "throughput_rps": run.throughput_rps,
        "cpu_us_per_request": cpu_us_per_request(run),
        "server_cores": (run.server_cpu_s or 0.0) / run.wall_s,
        "peak_memory_bytes": float(peaks[0]) if peaks else 0.0,
        **{f"latency_{name}_ms": value for name, value in run.latency_ms.items()},
    }
    return {name: value for name, value in figures.items() if value > 0}


def _compare(race: RacePlan, single: Mapping[str, Single], a: str, b: str) -> stats.Estimate:
    """One figure of each, by the race's metric: a ratio without an interval."""
    logs = [math.log(single.get(entry, {}).get(race.metric, math.nan)) for entry in (a, b)]
    mine, theirs = ([np.array([log])] for log in logs)
    return stats.compare(mine, theirs, lower_is_better=not HIGHER_IS_FASTER[race.metric])


def reported_latency(run: OutsideRun) -> Latency | None:
    """As the tool reports it: a percentile that it does not print is not known."""
    reported = run.latency_ms
    if "mean" not in reported or "max" not in reported:
        return None
    return Latency(
        at_rps=None,
        mean=reported["mean"],
        p50=reported.get("p50"),
        p90=reported.get("p90"),
        p99=reported.get("p99"),
        p99_9=reported.get("p99.9"),
        max=reported["max"],
    )


def _printed(race: RacePlan, facts: SuiteFacts) -> dict[str, PublishedRow]:
    """What the study printed of each contender."""
    study = facts.study(race.outside.study) if race.outside is not None else None
    if study is None or race.outside is None or not study.as_published:
        return {}
    return {row.contender: row for row in study.as_published[race.outside.part].row}


def _without_interval(verdict: Verdict) -> Verdict:
    """Where there is one figure of each, nothing would settle it."""
    if verdict.verdict != "inconclusive":
        return verdict
    return verdict.replaced(reasons=(SingleFigure(),), more_blocks=None, more_s=None)
