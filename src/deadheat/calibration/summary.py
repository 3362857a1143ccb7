"""Races -> what this machine can settle. Pure: the same races always give the same calibration."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from deadheat import stats
from deadheat.calibration.steps import (
    BLOCK_S,
    COUNTED_MS,
    DEFAULT_MARGIN,
    DIFFERENCES,
    LEAD_IN_MS,
    TURN_S,
)
from deadheat.model.calibration import Calibration, CalibrationRace, Found, Interval, Length

MINUTES = (1, 3, 10)
# Slices of different length agree where their ratios differ by no more than this, in log units.
AGREE = 0.02


def summarise(races: Sequence[CalibrationRace]) -> Calibration | None:
    """None without a race of identical servers: the spread between blocks is taken from those."""
    same = [race for race in races if race.kind == "identical" and not race.neighbour]
    if not same:
        return None
    start_variance = float(np.median([race.start_variance for race in same]))
    slice_variance = float(np.median([race.slice_variance for race in same]))
    lengths = _lengths([race for race in races if race.kind == "length"])
    lead_in_ms = _lead_in([race for race in races if race.lead_in_bias])
    round_s = 4 * ((LEAD_IN_MS + COUNTED_MS) / 1000 + TURN_S)
    identical = [race for race in races if race.kind == "identical"]
    winners = false_winners(identical)
    costs = stats.Costs(BLOCK_S, round_s)
    chances = {minutes: _design(minutes * 60, costs, start_variance, slice_variance) for minutes in MINUTES}
    return Calibration(
        id=_id(races),
        made=max(race.at for race in races),
        machine=races[-1].machine,
        identical=len(identical),
        false_winners=winners,
        false_winner_rate=stats.share(winners, len(identical)),
        found=tuple(
            _found(difference, margin, races, chances)
            for margin in (0.0, DEFAULT_MARGIN)
            for difference in sorted({*DIFFERENCES, *(race.planted for race in races if race.planted)})
        ),
        settles={
            minutes: stats.smallest_found(spread, looks, 0.0) for minutes, (spread, looks) in chances.items()
        },
        lengths=lengths,
        lead_in_ms=lead_in_ms,
        counted_ms=_best(lengths),
        start_variance=start_variance,
        slice_variance=slice_variance,
        block_s=BLOCK_S,
        round_s=round_s,
    )


def false_winners(identical: Sequence[CalibrationRace]) -> int:
    """How many races of identical servers had a winner, by the interval alone."""
    return sum(race.verdict in ("faster", "slower") for race in identical)


def was_found(race: CalibrationRace, margin: float) -> bool:
    """Whether a planted race called the right one faster, taken at a margin no milder than its own."""
    if race.margin == margin:
        return race.verdict == "faster"
    return race.ci is not None and race.ci[0] > 1 + margin


def _design(
    budget_s: float, costs: stats.Costs, start_variance: float, slice_variance: float
) -> tuple[float, stats.Looks]:
    """The spread of a block's log ratio and the looks, for blocks and rounds that fit the budget best."""
    chosen = stats.allocate(budget_s, costs, start_variance, slice_variance)
    return math.sqrt(start_variance + slice_variance / chosen.rounds), stats.plan_looks(chosen.blocks)


def _found(
    difference: float,
    margin: float,
    races: Sequence[CalibrationRace],
    designs: dict[int, tuple[float, stats.Looks]],
) -> Found:
    raced = [
        race
        for race in races
        if race.kind == "planted" and race.planted == difference and race.margin <= margin
    ]
    ratios = [math.log(race.ratio) for race in raced]
    truths = [math.log(race.truth) for race in raced if race.truth]
    return Found(
        difference=difference,
        margin=margin,
        chance={
            minutes: round(stats.chance_to_find(difference, spread, looks, margin), 3)
            for minutes, (spread, looks) in designs.items()
        },
        raced=len(raced),
        found=sum(was_found(race, margin) for race in raced),
        ratio=math.exp(float(np.mean(ratios))) if ratios else None,
        truth=math.exp(float(np.mean(truths))) if truths else None,
    )


def _lengths(races: Sequence[CalibrationRace]) -> tuple[Length, ...]:
    """Each length of slices: its blocks of all races together, held against the longest's."""
    by_length = {
        ms: [race for race in races if race.counted_ms == ms] for ms in sorted({r.counted_ms for r in races})
    }
    if not by_length:
        return ()
    estimates = {ms: _pooled(of) for ms, of in by_length.items()}
    longest = estimates[max(estimates)]
    lengths = []
    for ms, found in estimates.items():
        blocks = sum(len(race.effects) for race in by_length[ms])
        load_s = sum(race.load_s for race in by_length[ms])
        apart = None if ms == max(estimates) else _apart(found, longest)
        error = found.standard_error * math.sqrt(load_s / 60) if blocks > 1 else math.inf
        lengths.append(
            Length(
                counted_ms=ms,
                ratio=found.ratio or 1.0,
                ci=found.ci,
                against_longest=apart,
                error_a_minute=error if math.isfinite(error) else 0.0,
                agrees=apart is None or (apart[0] <= 1 + AGREE and apart[1] >= 1 / (1 + AGREE)),
            )
        )
    return tuple(lengths)


def _pooled(races: Sequence[CalibrationRace]) -> stats.Estimate:
    return stats.estimate(np.array([effect for race in races for effect in race.effects]))


def _apart(a: stats.Estimate, b: stats.Estimate) -> Interval | None:
    """The interval of the ratio of two independent ratios: Welch's, with the fewer degrees of freedom."""
    if a.log_ratio is None or b.log_ratio is None or min(a.blocks, b.blocks) < 2:
        return None
    error = math.hypot(a.standard_error, b.standard_error)
    both = stats.Estimate(
        a.log_ratio - b.log_ratio, -math.inf, math.inf, 0.95, min(a.blocks, b.blocks), error
    )
    return both.at(0.95).ci


def _best(lengths: Sequence[Length]) -> int:
    """Of the lengths that agree with the longest, the one that leaves the least error; ours without any."""
    agreeing = [length for length in lengths if length.agrees and length.error_a_minute > 0]
    return min(agreeing, key=lambda length: length.error_a_minute).counted_ms if agreeing else COUNTED_MS


def _lead_in(races: Sequence[CalibrationRace]) -> int:
    """The shortest lead-in after which the ratio is flat, for all that these races can show."""
    if not races:
        return LEAD_IN_MS
    for lead_in_ms in sorted(races[0].lead_in_bias):
        biases = [race.lead_in_bias[lead_in_ms] for race in races if lead_in_ms in race.lead_in_bias]
        bias = float(np.mean([mean for mean, _ in biases]))
        error = math.sqrt(sum(e * e for _, e in biases)) / len(biases)
        if error > AGREE / 2:
            return LEAD_IN_MS  # too noisy to show a bias
        if abs(bias) <= max(AGREE / 2, 2 * error):
            return lead_in_ms
    return max(races[0].lead_in_bias)


def _id(races: Sequence[CalibrationRace]) -> str:
    """Names these very races."""
    text = "\n".join(race.model_dump_json() for race in races)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
