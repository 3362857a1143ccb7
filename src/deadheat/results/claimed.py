"""The figures that claims are about: what of a race says how many times as good one contender is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deadheat import stats
from deadheat.model.claim import MORE_IS_BETTER, Claim, Study
from deadheat.model.observation import Invocation, Slice
from deadheat.model.plan import RacePlan
from deadheat.model.reason import NeedsServerCores, Note, NotInThisRun, NotMeasured, NotRaced, Reason
from deadheat.model.result import Interval, RaceResult
from deadheat.plan.asked import OURS
from deadheat.plan.shapes import name_of
from deadheat.results import build_times, judging, latency
from deadheat.results.tally import Tally
from deadheat.results.values import TURN_VALUES
from deadheat.stats import Series

EXACT = ("artifact_bytes", "build_s")
# A metric and two contenders, in the order of the alphabet.
Question = tuple[str, str, str]


@dataclass(frozen=True)
class Race:
    """One race of a run, as claims see it. `single`: by entry and metric the one figure of each, where that
    is all a method gives. `secondary`: what is asked of it about other figures than its own, judged."""

    tally: Tally
    result: RaceResult
    single: Mapping[str, Mapping[str, float]] | None = None
    secondary: Mapping[Question, stats.Verdict] = field(default_factory=dict)


@dataclass(frozen=True)
class Here:
    """The ratio found here; `ci` is None where a single figure is all there is."""

    ratio: float
    ci: Interval | None


def question(claim: Claim) -> Question:
    """What a claim asks, the same whichever way round it is put."""
    return of_pair(claim.metric, claim.a, claim.b)


def of_pair(metric: str, a: str, b: str) -> Question:
    """The question of two contenders' figures."""
    first, second = sorted((a, b))
    return metric, first, second


def is_own(claim: Claim, race: Race) -> bool:
    """Whether it is about the figure that the race itself judges."""
    return claim.metric == race.result.metric and race.single is None


@dataclass(frozen=True)
class Way:
    """How a claim is judged: by a method, and by ours under the study's load too (`shaped`)."""

    method: str
    shaped: bool = False


@dataclass(frozen=True)
class Cores:
    """How many CPUs the servers of a run have where a race does not say otherwise, and the whole machine."""

    servers: int
    machine: int


OURS_IN_SHAPE = Way(OURS, shaped=True)


def ways(claim: Claim) -> tuple[Way, ...]:
    """All by which this claim is judged."""
    return Way(OURS), *((OURS_IN_SHAPE,) if claim.shape is not None else ()), Way("as-published")


def is_about(claim: Claim, study: Study, way: Way, race: RacePlan) -> bool:
    """Whether a claim is held against this race; by a study's own method it is called by the study's name."""
    if (race.workload, race.method) != (claim.workload, way.method):
        return False
    if way.shaped:
        return claim.shape is not None and race.shape == name_of(study.study, claim.shape)
    setting = claim.setting
    if way.method != OURS:
        setting = study.study if setting is None else f"{study.study}, {setting}"
    return race.shape is None and race.setting == setting


def race_of(claim: Claim, study: Study, way: Way, races: Sequence[Race]) -> Race | None:
    return next((race for race in races if is_about(claim, study, way, race.tally.race)), None)


def not_run(claim: Claim, study: Study, way: Way, race: Race | None, cores: Cores) -> Reason | None:
    """Why it could not be checked, or None."""
    if claim.unchecked is not None:
        return Note(text=claim.unchecked)
    if (needed := _cores_missing(claim, study, way, race, cores)) is not None:
        return NeedsServerCores(cores=needed)
    if race is None:
        by_claims = way.shaped or (way.method == OURS and claim.setting is not None)
        claims = study.study if by_claims else None
        return NotInThisRun(workload=claim.workload, method=way.method, claims=claims)
    rows = {row.id: row for row in race.result.contenders}
    for id_ in (claim.a, claim.b):
        row = rows.get(id_)
        if row is None:
            return NotRaced(contender=id_)
        if claim.metric not in EXACT and row.status != "measured":
            because = row.reason.splitlines()[0] if row.reason else None
            gate = None if because else next(iter(row.broken), None)
            return NotMeasured(contender=id_, status=row.status, because=because, gate=gate)
    return None


def _cores_missing(claim: Claim, study: Study, way: Way, race: Race | None, cores: Cores) -> int | None:
    """How many CPUs servers need for this claim where they cannot have or did not have them."""
    if way.shaped and race is None:
        asked = study.shapes[claim.shape or ""].cores or 1
        return asked if cores.machine < asked else None
    own = race.tally.race.server_cpus if race is not None else None
    had = cores.servers if own is None else len(own)
    return claim.server_cores if had < claim.server_cores else None


def here(claim: Claim, race: Race) -> Here | None:
    """The ratio with a plain 95% interval, where it is known."""
    if claim.metric == "artifact_bytes":
        return _of_builds(claim, race.tally)
    pair = estimate(claim, race)
    if pair is not None and pair.ratio is not None:
        return Here(pair.ratio, pair.ci)
    return _of_builds(claim, race.tally) if claim.metric == "build_s" else None


def estimate(claim: Claim, race: Race) -> stats.Estimate | None:
    """The ratio over what was repeated, blocks or timed builds; None of what was not."""
    better, tally = MORE_IS_BETTER[claim.metric], race.tally
    if claim.metric in EXACT:
        return _timed_builds(claim, tally) if claim.metric == "build_s" else None
    if race.single is not None:
        single = race.single
        a, b = (_one(single.get(id_, {}).get(claim.metric)) for id_ in (claim.a, claim.b))
    elif tally.method.one_family and claim.metric in TURN_VALUES:
        return judging.compare(tally, claim.a, claim.b, TURN_VALUES[claim.metric], claim.metric)
    else:
        return compare_blocks(tally, claim.a, claim.b, claim.metric)
    return stats.compare(a, b, lower_is_better=not better)


def compare_blocks(tally: Tally, a: str, b: str, metric: str) -> stats.Estimate:
    """How many times as good a is as b by what each block has one figure of."""
    blocks = tally.common_blocks(a, b)
    if metric == "peak_memory_bytes":  # a program's is not looked for in all blocks
        blocks = [block for block in blocks if any(_peak(tally, id_, block) for id_ in (a, b))]
    mine, theirs = (_series(tally, id_, metric, blocks) for id_ in (a, b))
    return stats.compare(mine, theirs, lower_is_better=not MORE_IS_BETTER[metric])


def _one(figure: float | None) -> Series:
    return [np.array([_log(figure)])]


def _of_builds(claim: Claim, tally: Tally) -> Here | None:
    """One figure of each: a size does not vary, so its ratio is its interval; a single build has none."""
    a, b = (getattr(tally.built.get(id_), claim.metric, None) for id_ in (claim.a, claim.b))
    if not a or not b:
        return None
    ratio = a / b if MORE_IS_BETTER[claim.metric] else b / a
    return Here(ratio, (ratio, ratio) if claim.metric == "artifact_bytes" else None)


def _timed_builds(claim: Claim, tally: Tally) -> stats.Estimate | None:
    """Building again with warm caches, as a developer does, both in one session of `build --times`."""
    a, b = (built.times if (built := tally.built.get(id_)) else None for id_ in (claim.a, claim.b))
    return build_times.compare(a, b) if a and b else None


def _series(tally: Tally, entry: str, metric: str, blocks: Sequence[int]) -> Series:
    if metric in TURN_VALUES:
        return tally.series(entry, TURN_VALUES[metric], blocks)
    return [np.array([_log(_of_block(tally, entry, metric, block))]) for block in blocks]


def _of_block(tally: Tally, entry: str, metric: str, block: int) -> float | None:
    """One figure a block."""
    if metric == "peak_memory_bytes":
        return _peak(tally, entry, block)
    if metric == "server_cores":
        slices = [turn for turn in tally.turns[entry][block] if isinstance(turn, Slice)]
        counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices)
        return sum(s.server_cpu_ns or 0 for s in slices) / counted if counted else None
    ended = next((e for e in tally.ended.get(entry, []) if e.block == block and e.hdr), None)
    return latency.figure(ended.hdr, metric) if ended is not None and ended.hdr else None


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
