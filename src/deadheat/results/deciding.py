"""Races of two revisions become answers, and conditions are decided: by one family of intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deadheat import stats
from deadheat.model.ab import Answer, Decided, FigureChange, RequestChange, WorkloadChange
from deadheat.model.condition import FIGURES, Condition, FigureName, figure_of, judged_by
from deadheat.model.judged import OF_PROGRAMS
from deadheat.model.reason import Note, Reason
from deadheat.model.result import turned
from deadheat.plan.looks import looks_of
from deadheat.results import figures, judging, pace
from deadheat.results.claimed import Race
from deadheat.results.tally import Tally

BASE, HEAD = "base", "head"
# How much worse the truth may be for whose sake a condition's chances are simulated, times its threshold.
TRUTHS = (0.0, 1.0, 2.0)
# A figure of one workload.
Key = tuple[str, FigureName]


@dataclass(frozen=True)
class Decisions:
    """What is known of each workload, and of each condition on each."""

    workloads: tuple[WorkloadChange, ...]
    conditions: tuple[Decided, ...]


def decide(
    races: Sequence[Race],
    titles: Sequence[str],
    conditions: Sequence[Condition],
    margin: float,
    by: FigureName = "slower",
) -> Decisions:
    """Of races of `head` against `base`, the reference. The figure `by` of each is judged in any case, and in
    one family with it (Holm) whatever a condition names."""
    estimates = {race.result.name: _estimates(race) for race in races}
    by_name = {race.result.name: race for race in races}
    keys: list[Key] = [
        (name, figure) for figure in (by, *(c.figure for c in conditions)) for name in estimates
    ]
    family = {
        (name, figure): estimates[name][figure]
        for name, figure in dict.fromkeys(keys)
        if figure in estimates[name]
    }
    judged = stats.judge_edges(
        family,
        {key: _edges(key[1], conditions, margin, by) for key in family},
        looks={key: looks_of(by_name[key[0]].tally.race) for key in family},
    )
    workloads = tuple(
        _workload(race, title, estimates[race.result.name], judged, margin, by)
        for race, title in zip(races, titles, strict=True)
    )
    voids = {one.workload: one.reasons for one in workloads if one.answer == "not compared"}
    decided = [
        _decided(one, race, judged, not voids.get(race.result.name), len(family), margin)
        for one in conditions
        for race in races
        if one.figure in FIGURES_OF[race.result.metric]
    ]
    return Decisions(workloads, tuple(decided))


def decide_size(before: int, after: int, of: WorkloadChange, conditions: Sequence[Condition]) -> Decisions:
    """Of artifacts alone, bytes, where nothing else is asked: without a race. `of` is all but the answer."""
    ratio = after / before
    figure = FigureChange(figure="size", more_is_better=False, ratio=ratio, ci=None, judged=False)
    answer = _answer(-math.log(ratio), -math.log(ratio), of.margin)
    change = of.replaced(answer=answer, figures=(figure,))
    decided = tuple(_by_size(one, of.workload, ratio) for one in conditions)
    return Decisions((change,), decided)


FIGURES_OF: dict[str, tuple[FigureName, ...]] = {
    "throughput_rps": FIGURES,
    "wall_s": tuple(figure_of(by) for by in OF_PROGRAMS),
}


def _edges(figure: FigureName, conditions: Iterable[Condition], margin: float, by: FigureName) -> list[float]:
    """What is asked of a figure: whether it changed, and whether it is worse by more than so much. Estimates
    say how many times as good head is, so worse is below 0."""
    asked = [one.threshold for one in conditions if one.figure == figure]
    asked += [margin] if figure == by else []
    return [0.0, *(-math.log1p(threshold) for threshold in asked)]


def _estimates(race: Race) -> dict[FigureName, stats.Estimate]:
    """How many times as good head is as base, by figure, of what is known."""
    tally, estimates = race.tally, dict[FigureName, stats.Estimate]()
    if not tally.common_blocks(HEAD, BASE):
        return estimates
    for name in FIGURES_OF[race.result.metric]:
        if name != "size":
            estimates[name] = figures.compare(tally, HEAD, BASE, judged_by(name))
    return {name: one for name, one in estimates.items() if one.ratio is not None}


def _sizes(tally: Tally) -> float | None:
    """Head's artifact, times base's."""
    sizes = [built.artifact_bytes if (built := tally.built.get(side)) else None for side in (HEAD, BASE)]
    return sizes[0] / sizes[1] if sizes[0] and sizes[1] else None


def _workload(
    race: Race,
    title: str,
    estimates: dict[FigureName, stats.Estimate],
    judged: dict[Key, stats.Estimate],
    margin: float,
    by: FigureName,
) -> WorkloadChange:
    result, tally = race.result, race.tally
    own, size = judged.get((result.name, by)), _sizes(tally)
    reasons = _void(race, own, size if by == "size" else None)
    answer: Answer = "not compared"
    if not reasons and own is not None:
        answer = _answer(own.low, own.high, margin)
    elif not reasons and size is not None:
        answer = _answer(-math.log(size), -math.log(size), margin)
    seconds = sum(o.wall_ns for o in tally.interference) / 1e9
    more = None
    if answer == "cannot tell" and own is not None:
        blocks = stats.blocks_needed(own, margin)
        more = None if blocks is None else pace.more_s(tally, blocks)
    return WorkloadChange(
        workload=result.name,
        title=title,
        kind=result.kind,
        metric=result.metric,
        by=by,
        answer=answer,
        margin=margin,
        blocks=result.blocks,
        seconds=seconds,
        figures=tuple(_figures(race, estimates, judged)),
        null_pair=result.null_pair,
        detectable=stats.detectable_bias(own, own.confidence) if own is not None else None,
        more_s=more,
        reasons=reasons,
        by_request=tuple(_by_request(race)),
    )


def _by_request(race: Race) -> Iterator[RequestChange]:
    """Of each request of a mix that both answered."""
    head = next((row for row in race.result.contenders if row.id == HEAD), None)
    for each in head.figures.by_request if head is not None else ():
        if each.against_reference is not None:
            ratio, ci = turned(each.against_reference.ratio, each.against_reference.ci)
            yield RequestChange(name=each.name, ratio=ratio, ci=ci)


def _void(race: Race, own: stats.Estimate | None, size: float | None) -> tuple[Reason, ...]:
    """Why a race has no answer; `size`: the ratio of artifacts, where that is what is judged."""
    for row in race.result.contenders:
        if row.status != "measured" and row.reason is not None:
            return (Note(text=f"{row.title}: {row.reason}"),)
    broken = judging.first_broken(race.result.contenders, race.result.gates)
    if broken is not None:
        return (broken,)
    if size is not None:
        return ()
    if own is None:
        return (Note(text="no block has a value of both"),)
    return tuple(stats.unfit(own, judging.fewest_of(race.tally, (HEAD, BASE))))


def _answer(low: float, high: float, margin: float) -> Answer:
    """By the interval of how many times as good head is, in log units."""
    edge = math.log1p(margin)
    if -edge < low and high < edge:
        return "no worse"
    if high < 0:
        return "worse"
    if low > 0:
        return "better"
    return "no worse" if low > -edge else "cannot tell"


def _figures(
    race: Race, estimates: dict[FigureName, stats.Estimate], judged: dict[Key, stats.Estimate]
) -> Iterable[FigureChange]:
    for figure in FIGURES:
        if figure == "size":
            ratio = _sizes(race.tally)
            if ratio is not None:
                yield FigureChange(figure=figure, more_is_better=False, ratio=ratio, ci=None, judged=False)
            continue
        key = (race.result.name, figure)
        estimate = judged.get(key) or estimates.get(figure)
        if estimate is None or estimate.ratio is None:
            continue
        more = figure == "slower" and race.result.metric == "throughput_rps"
        ratio, ci = estimate.ratio, estimate.ci
        if not more:
            ratio, ci = turned(ratio, ci)
        yield FigureChange(
            figure=figure,
            more_is_better=more,
            ratio=ratio,
            ci=ci,
            judged=key in judged,
            at_rps=_rate(race) if figure in ("p50", "p90", "p99") else None,
        )


def _rate(race: Race) -> float | None:
    """At which latencies were taken."""
    row = next((row for row in race.result.contenders if row.id == HEAD), None)
    loads = row.figures.latency_at_load if row is not None else ()
    return loads[0].at_rps if loads else None


def _decided(
    condition: Condition,
    race: Race,
    judged: dict[Key, stats.Estimate],
    sound: bool,
    family: int,
    margin: float,
) -> Decided:
    name, rule = race.result.name, stats.Rule(condition.threshold, condition.surely)
    if condition.figure == "size":
        return _by_size(condition, name, _sizes(race.tally))
    own = judged.get((name, condition.figure))
    if own is None or not sound:
        return Decided(condition=condition, workload=name, state="open")
    spread = own.standard_error * math.sqrt(own.blocks)
    chances = [
        (
            truth := times * condition.threshold,
            stats.chance_to_fail(
                rule, truth, spread, looks_of(race.tally.race), margin=margin, alpha=0.05 / family
            ),
        )
        for times in TRUTHS
    ]
    return Decided(condition=condition, workload=name, state=rule.state(own), chances=tuple(chances))


def _by_size(condition: Condition, workload: str, ratio: float | None) -> Decided:
    """Nothing of a size is chance."""
    state: stats.State = "open"
    if ratio is not None:
        state = "fails" if ratio > 1 + condition.threshold else "holds"
    return Decided(condition=condition, workload=workload, state=state)
