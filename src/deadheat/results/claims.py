"""Published claims held against what was measured here: judged intervals become answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deadheat import stats
from deadheat.model.claim import Claim, ClaimResult, Direction, Outcome, PublishedGate, Size, Study
from deadheat.model.published import PublishedLoad
from deadheat.model.reason import (
    AnotherSize,
    BrokenGate,
    GeneratorShare,
    Note,
    NotKnown,
    Reason,
    SingleFigure,
    Undecided,
)
from deadheat.model.result import turned
from deadheat.results import answers, claimed, cpu, judging, outcomes, secondary
from deadheat.results.claimed import EXACT, Cores, Here, Race, Way, not_run, race_of
from deadheat.results.gates import own
from deadheat.results.gates.limits import LITTLES_LAW


def with_families(studies: Sequence[Study], races: Sequence[Race], margin: float, cores: Cores) -> list[Race]:
    """The races of a run, each with what claims ask about other figures than its own, judged together."""
    return [
        cpu.as_judged(replace(race, secondary=secondary.family(studies, race, races, margin, cores)))
        for race in races
    ]


def check(studies: Sequence[Study], races: Sequence[Race], margin: float, cores: Cores) -> list[ClaimResult]:
    """A row a claim by our method, another under the study's load where it was another, and one by the
    study's own method; of races with their families.

    A claim about a race's own metric takes the very interval of its verdict; those about other figures have
    one of a family of their own, a family a race.
    """
    old = _is_old(races)
    return [
        _row(study, claim, way, races, margin, cores)
        for study in studies
        for claim in study.claim
        for way in claimed.ways(claim)
        # Nobody raced under a study's load by the method's version 1.
        if not (way.shaped and old)
    ]


def published_gate(study: str, load: PublishedLoad) -> PublishedGate:
    """Little's law on published figures: calls in flight = throughput x mean latency (Little 1961)."""
    in_flight = load.throughput_rps * load.mean_latency_ms / 1000
    expected = load.connected if load.connected is not None else load.asked
    ok = abs(in_flight / load.asked - 1) <= LITTLES_LAW
    explained = abs(in_flight / expected - 1) <= LITTLES_LAW
    return PublishedGate(
        study=study,
        name=load.name,
        in_flight=in_flight,
        asked=load.asked,
        ok=ok,
        connected=load.connected if not ok and explained else None,
        note=None if ok else load.note,
    )


def _row(
    study: Study, claim: Claim, way: Way, races: Sequence[Race], margin: float, cores: Cores
) -> ClaimResult:
    race = race_of(claim, study, way, races)
    missing = not_run(claim, study, way, race, cores)
    found = _found(claim, missing, race, margin, old=_is_old(races))
    return ClaimResult(
        study=study.study,
        id=claim.id,
        statement=claim.statement,
        metric=claim.metric,
        published={
            "ratio": claim.ratio,
            "a": claim.published.a,
            "b": claim.published.b,
            "at_most": claim.published.at_most,
            "unit": claim.published.unit,
        },
        method=way.method,
        shape=study.shapes[claim.shape].words if way.shaped and claim.shape is not None else None,
        here={"ratio": found.here.ratio, "ci": found.here.ci} if found.here is not None else None,
        outcome=found.outcome,
        direction=found.direction,
        size=found.size,
        family=found.family,
        reasons=found.reasons,
    )


@dataclass(frozen=True)
class _Found:
    """The ratio found here, what it makes of the claim, and why it makes no more of it."""

    here: Here | None
    reasons: tuple[Reason, ...]
    outcome: Outcome | None = None
    direction: Direction | None = None
    size: Size | None = None
    family: int | None = None


def _is_old(races: Sequence[Race]) -> bool:
    return bool(races) and not any(race.tally.method.one_family for race in races)


def _found(claim: Claim, missing: Reason | None, race: Race | None, margin: float, *, old: bool) -> _Found:
    if missing is None and race is not None:
        found = _by_outcome(claim, race, margin) if old else _by_answers(claim, race, margin)
        if found is not None:
            return found
        missing = NotKnown(metric=claim.metric)
    reasons = (missing,) if missing is not None else ()
    if old:
        return _Found(None, reasons, outcome="not run")
    return _Found(None, reasons, direction="not run")


def _by_outcome(claim: Claim, race: Race, margin: float) -> _Found | None:
    """By the method's version 1."""
    here = claimed.here(claim, race)
    if here is None:
        return None
    if (broken := _broken(claim, race)) is not None:
        return _Found(here, (broken,), outcome="inconclusive")
    if here.ci is None:
        return _Found(here, (SingleFigure(),), outcome="inconclusive")
    return _Found(here, _remarks(claim, race), outcome=outcomes.judged(claim, here.ci, margin))


def _by_answers(claim: Claim, race: Race, margin: float) -> _Found | None:
    if claimed.is_own(claim, race):
        return _by_verdict(claim, race, margin)
    if (judged := race.secondary.get(claimed.question(claim))) is not None:
        found = _of_family(claim, race, judged)
        return None if found is None else _answered(claim, race, margin, found, len(race.secondary))
    here = claimed.here(claim, race)
    if here is None:
        return None
    if (broken := _broken(claim, race)) is not None:
        return _answered(claim, race, margin, (here, (broken,)))
    return _answered(claim, race, margin, (here, (SingleFigure(),) if here.ci is None else ()))


def _by_verdict(claim: Claim, race: Race, margin: float) -> _Found | None:
    """By the verdict on this pair as it was printed."""
    pair = {claim.a, claim.b}
    verdict = next((one for one in race.result.verdicts if {one.a, one.b} == pair), None)
    if verdict is None or verdict.ratio is None:
        return None
    ratio, ci = verdict.ratio, verdict.ci
    if verdict.a != claim.a:
        ratio, ci = turned(ratio, ci)
    if verdict.limit is None:
        return _answered(claim, race, margin, (Here(ratio, ci), _unfit(verdict.reasons)))
    return _of_bound(claim, _answered(claim, race, margin, (Here(ratio, ci), ())), verdict.limit)


def _of_bound(claim: Claim, found: _Found, limit: Reason) -> _Found:
    """Of a ratio that is a lower bound what would stand were it larger."""
    found = replace(found, reasons=(limit, *found.reasons))
    if claim.published.at_most is not None:
        return replace(found, direction="open", size=None)
    farther = {"confirmed": "bigger", "refuted": "smaller"}.get(found.direction or "")
    return found if found.size in (None, farther) else replace(found, size="open")


def _of_family(claim: Claim, race: Race, judged: stats.Verdict) -> tuple[Here, tuple[Reason, ...]] | None:
    """The same of a claim about another figure than the race's own."""
    estimate = judged.estimate
    if estimate.ratio is None:
        return None
    ratio, ci = estimate.ratio, estimate.ci
    if (claim.a, claim.b) != claimed.question(claim)[1:]:
        ratio, ci = turned(ratio, ci)
    broken = _broken(claim, race)
    return Here(ratio, ci), (broken,) if broken is not None else _unfit(judged.reasons)


def _unfit(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """What keeps an interval from answering; that it lies across an edge is an answer: open."""
    return tuple(reason for reason in reasons if not isinstance(reason, Undecided))


def _answered(
    claim: Claim,
    race: Race,
    margin: float,
    found: tuple[Here, tuple[Reason, ...]],
    family: int | None = None,
) -> _Found:
    here, unfit = found
    if unfit or here.ci is None:
        untold: Size | None = None if claim.ratio is None or answers.is_tie(claim) else "open"
        return _Found(here, unfit, direction="open", size=untold, family=family)
    return _Found(
        here,
        _remarks(claim, race),
        direction=answers.direction(claim, here.ci, margin),
        size=answers.size(claim, here.ci),
        family=family,
    )


def _broken(claim: Claim, race: Race) -> BrokenGate | None:
    """A broken gate leaves a claim about what was loaded open; sizes and the like stand by themselves."""
    if claim.metric in EXACT or claim.metric == "peak_memory_bytes":
        return None
    rows = [row for row in race.result.contenders if row.id in (claim.a, claim.b)]
    return judging.first_broken((), race.result.gates) or judging.first_broken(rows, ())


def _remarks(claim: Claim, race: Race) -> tuple[Reason, ...]:
    remarks: list[Reason] = []
    if claim.n is not None and race.result.n != claim.n:
        remarks.append(AnotherSize(n=race.result.n, published=claim.n))
    if claim.note:
        remarks.append(Note(text=claim.note))
    a, b = (own.share_of_cpus(race.tally, entry) for entry in (claim.a, claim.b))
    if a is not None and b is not None and claim.metric not in EXACT:
        remarks.append(GeneratorShare(a=a, b=b))
    return tuple(remarks)
