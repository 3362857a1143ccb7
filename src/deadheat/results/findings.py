"""What else the blocks of a race show: where spread comes from, warm-up, drift, carry-over, equal work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deadheat import stats
from deadheat.model.container import Contained
from deadheat.model.finding import (
    EQUAL_BYTES,
    AnswersKnown,
    AtOwnDatabase,
    Attempt,
    CarriedOver,
    ClosesConnections,
    ConnectionsWait,
    CpuOutside,
    CutShort,
    DisturbedBlocks,
    Drifts,
    Finding,
    GivenUp,
    InContainers,
    LongerLeadIn,
    LongWarmUp,
    MessageRates,
    NotSteady,
    StandInReference,
    UnequalBytes,
    VarianceOfStarts,
    WrongWhileWarmingUp,
)
from deadheat.model.observation import Observation, ReferenceReplaced, Slice
from deadheat.model.plan import RacePlan
from deadheat.model.result import Against, ContenderResult, Variance, WarmUp
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.plan.skew import blocks_of
from deadheat.results.cpu_outside import cpu_outside
from deadheat.results.tally import Tally
from deadheat.results.values import VALUES

# From here on more rounds hardly narrow the interval, and only more blocks do.
MOSTLY_STARTS = 0.5
# A drift or a carry-over that is sure but smaller than this (log units) changes no verdict.
WORTH_REPORTING = 0.01
# A warm-up that is worth knowing of: its own server is slower than this for that long after each start.
LONG_WARM_UP_S = 3.0

# What a thaw, a drain and a freeze cost is in it too, and tells nothing.
CPU_OUTSIDE = 1.10

# A server that takes its connections in turn has latencies that are alike; pauses of collectors and
# neighbours reach some 20 times the median at the 99th percentile.
WAITS_TIMES = 50
WAITS_MS = 100.0


@dataclass(frozen=True)
class Findings:
    """Figures of one race by entry; `noteworthy` are those that a reader should know of."""

    variance: Mapping[str, Variance]
    warm_up: Mapping[str, WarmUp]
    drift: Mapping[str, Against]
    noteworthy: tuple[Finding, ...]


def of_race(tally: Tally, rivals: Collection[str]) -> Findings:
    """Those of `rivals`, the contenders that were measured. Nothing is judged by them: they are described."""
    measured = [entry.id for entry in tally.race.entries if _measured(entry.id, tally, rivals)]
    if not measured:
        return Findings({}, {}, {}, ())
    turns = _turns(tally, measured)
    variance = _variance(tally, measured)
    warm_up = _warm_up(turns, measured)
    shown = [entry for entry in measured if entry in rivals]
    drift, drifting = _drift(tally, shown)
    noteworthy: tuple[Finding, ...] = (
        *_longer_lead_in(tally),
        *(one for entry in shown for one in _long_warm_up(entry, tally)),
        *(one for entry in shown for one in _wrong_while_warming_up(entry, tally)),
        *_variance_of_starts(variance, shown),
        *(one for entry in shown if entry in warm_up for one in _not_steady(entry, warm_up[entry])),
        *drifting,
        *_carry_over(turns),
        *_in_containers(tally, shown),
        *_unequal_bytes(tally, shown),
        *_cpu_outside(tally, shown),
        *(one for entry in shown for one in _closes_connections(entry, tally)),
        *_answers_known(tally),
    )
    return Findings(variance, warm_up, drift, noteworthy)


def stand_in(race: RacePlan, observations: Iterable[Observation]) -> Iterator[StandInReference]:
    """Who became the reference, where the workload's own could not race; `race` has the one it has by now."""
    for o in observations:
        if isinstance(o, ReferenceReplaced) and (o.workload, o.reference) == (race.workload, race.reference):
            yield StandInReference(reference=o.reference, instead_of=o.was, reason=o.why)


def disturbed(tally: Tally) -> Iterator[DisturbedBlocks]:
    """Blocks that somebody else got into: they are told, and do not count."""
    if tally.disturbed:
        worst = max(tally.disturbed, key=lambda by: by.share)
        yield DisturbedBlocks(blocks=len(tally.disturbed), worst=worst)


def _long_warm_up(entry: str, tally: Tally) -> Iterator[LongWarmUp]:
    took = [one.loaded_s for one in tally.warmed_up.get(entry, ())]
    if took and (median := float(np.median(took))) >= LONG_WARM_UP_S:
        yield LongWarmUp(contender=entry, seconds=median)


def _wrong_while_warming_up(entry: str, tally: Tally) -> Iterator[WrongWhileWarmingUp]:
    turns = [turn for turn in tally.warm_ups.get(entry, ()) if isinstance(turn, Slice)]
    if wrong := sum(turn.wrong_replies for turn in turns):
        first = next((turn.first_error for turn in turns if turn.first_error), None)
        yield WrongWhileWarmingUp(contender=entry, replies=wrong, first_error=first)


def attempt(race: RacePlan) -> Iterator[Attempt]:
    """People race again until it suits them: how often is said, where anybody looked."""
    if race.past is not None:
        pair = len({entry.contender for entry in race.entries}) == 2
        yield Attempt(number=race.past.today + 1, pair=pair, outcomes=race.past.outcomes)


def own_database(race: RacePlan) -> Iterator[AtOwnDatabase]:
    """Where its databases were, if not on a PostgreSQL of the referee's."""
    if race.own_database is not None:
        yield AtOwnDatabase(database=race.own_database)


def cut_short(tally: Tally) -> Iterator[CutShort]:
    """Why a race has fewer blocks than planned, where what it needs besides its contenders failed."""
    if tally.unavailable is not None and tally.blocks:
        yield CutShort(blocks=len(tally.blocks), planned=tally.race.blocks, reason=tally.unavailable)


def message_rates(rows: Sequence[ContenderResult], messages: int) -> Iterator[MessageRates]:
    """What calls a second are in messages, where a call brings more than one."""
    calls = {row.id: row.figures.throughput_rps for row in rows}
    rates = {id_: rate.estimate * messages for id_, rate in calls.items() if rate is not None}
    if messages > 1 and rates:
        yield MessageRates(messages=messages, per_second=rates)


def connections_wait(rows: Sequence[ContenderResult], connections: int | None) -> Iterator[ConnectionsWait]:
    """Whose connections wait for each other under our own load: slices are as long as they wait, and a race
    has few blocks. `rows`: of servers."""
    for row in rows:
        seen = row.figures.latency_closed_ms
        if connections is None or connections == 1 or seen is None or seen.p50 is None or seen.p99 is None:
            continue
        if seen.p99 >= max(WAITS_TIMES * seen.p50, WAITS_MS):
            yield ConnectionsWait(contender=row.id, connections=connections, p50_ms=seen.p50, p99_ms=seen.p99)


def _longer_lead_in(tally: Tally) -> Iterator[LongerLeadIn]:
    for grown in tally.grown:
        yield LongerLeadIn(
            reason=grown.why,
            from_block=grown.from_block + 1,
            lead_in_ms=grown.lead_in_ms,
            contenders=grown.entries,
        )


def given_up(tally: Tally) -> Iterator[GivenUp]:
    """Who left because hardly any chance was left to settle it."""
    hopeless = [one.entry for one in tally.left if one.why == "hopeless" and one.entry in tally.turns]
    if hopeless:
        blocks = {entry: len(tally.common_blocks(entry)) for entry in hopeless}
        yield GivenUp(contenders=blocks, planned=max(blocks_of(tally.race, (entry,)) for entry in hopeless))


def _measured(entry: str, tally: Tally, rivals: Collection[str]) -> bool:
    """The null entry stands for its contender: it has no row, but starts and rounds of its own."""
    if entry == tally.race.null_entry:
        return bool(tally.of(entry))
    return entry in rivals and bool(tally.common_blocks(entry))


def _cpu_outside(tally: Tally, shown: Sequence[str]) -> Iterator[CpuOutside]:
    """Work that is put off until nobody counts flatters who puts it off."""
    ratios = {entry: found for entry in shown if (found := cpu_outside(tally.slices(entry))) is not None}
    much = {entry: round(ratio, 3) for entry, ratio in ratios.items() if ratio >= CPU_OUTSIDE}
    if much:
        yield CpuOutside(ratios=much)


def _variance(tally: Tally, measured: Sequence[str]) -> dict[str, Variance]:
    blocks, value = tally.common_blocks(*measured), tally.judged_value
    try:
        parts = stats.variance_components({entry: tally.series(entry, value, blocks) for entry in measured})
    except ValueError:
        return {}
    return {
        entry: Variance(
            starts_sd=float(np.sqrt(part.between_starts)),
            rounds_sd=float(np.sqrt(part.between_slices)),
            share_of_starts=part.share_of_starts,
        )
        for entry, part in parts.items()
    }


def _variance_of_starts(variance: Mapping[str, Variance], shown: Sequence[str]) -> Iterator[VarianceOfStarts]:
    shares = {entry: variance[entry].share_of_starts or 0.0 for entry in shown if entry in variance}
    mostly = {entry: share for entry, share in shares.items() if share >= MOSTLY_STARTS}
    if mostly:
        yield VarianceOfStarts(shares=mostly)


def _not_steady(entry: str, found: WarmUp) -> Iterator[NotSteady]:
    if found.kind != "flat":
        yield NotSteady(contender=entry, kind=found.kind, steady_from=found.steady_from, start=found.start)


def _turns(tally: Tally, measured: Sequence[str]) -> list[list[stats.Turn]]:
    """Of each block in which all of these were measured, its turns in order; more is always faster."""
    value = VALUES[tally.race.metric]
    sign = 1 if HIGHER_IS_FASTER[tally.race.metric] else -1
    blocks = []
    for block in tally.common_blocks(*measured):
        turns = [(turn.round, turn.turn, e, turn) for e in measured for turn in tally.turns[e][block]]
        blocks.append(
            [
                stats.Turn(round_, entry, sign * _log(value(turn)))
                for round_, _, entry, turn in sorted(turns, key=lambda t: t[:2])
            ]
        )
    return blocks


def _log(number: float) -> float:
    return float(np.log(number)) if number > 0 else float("nan")


def _middle(values: Iterable[float]) -> float:
    """The median of those that are numbers; NaN without any."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.median(known)) if known else float("nan")


def _warm_up(turns: Sequence[Sequence[stats.Turn]], measured: Sequence[str]) -> dict[str, WarmUp]:
    """When each contender got steady in its blocks.

    From each turn's log value the median over its round is taken away first: what all contenders of a round
    share is the machine's doing, not theirs.
    """
    series: dict[str, list[stats.FloatArray]] = {entry: [] for entry in measured}
    for block in turns:
        levels = {entry: _middle(t.log_value for t in block if t.contender == entry) for entry in measured}
        shared: dict[int, list[float]] = {}
        for turn in block:
            shared.setdefault(turn.round, []).append(turn.log_value - levels[turn.contender])
        middle = {round_: _middle(values) for round_, values in shared.items()}
        for entry in measured:
            own = [t.log_value - middle[t.round] for t in block if t.contender == entry]
            series[entry].append(np.array(own))
    found = {entry: stats.warm_up(of) for entry, of in series.items() if of}
    return {
        entry: WarmUp(kind=w.kind, steady_from=w.steady_from, start=w.start)
        for entry, w in found.items()
        if w is not None
    }


def _drift(tally: Tally, shown: Sequence[str]) -> tuple[dict[str, Against], list[Drifts]]:
    """The ratio of each to the reference in the second half of a block's rounds over that in the first.

    Those that are sure are judged together: at 5% over all contenders (Bonferroni).
    """
    race = tally.race
    others = [entry for entry in shown if entry != race.reference_entry]
    drifts, sure = {}, []
    for entry in others:
        change = tally.drift(entry)
        if change.ratio is None:
            continue
        drifts[entry] = Against(ratio=change.ratio, ci=change.ci)
        wide = change.at(1 - 0.05 / len(others))
        if not (wide.low <= 0 <= wide.high) and abs(wide.log_ratio or 0.0) >= WORTH_REPORTING:
            sure.append(
                Drifts(contender=entry, reference=race.reference_entry, ratio=change.ratio, ci=wide.ci)
            )
    return drifts, sure


def _carry_over(turns: Sequence[Sequence[stats.Turn]]) -> tuple[CarriedOver, ...]:
    found = [one for one in stats.carry_over(turns) if one.found]
    return tuple(
        CarriedOver(
            contender=one.contender,
            predecessor=one.predecessor,
            ratio=one.estimate.ratio or 1.0,
            ci=one.estimate.ci,
        )
        for one in found
        if abs(one.estimate.log_ratio or 0.0) >= WORTH_REPORTING
    )


def _unequal_bytes(tally: Tally, shown: Sequence[str]) -> Iterator[UnequalBytes]:
    sizes = sorted((bytes_, entry) for entry in shown if (bytes_ := tally.bytes_per_response(entry)))
    if len(sizes) > 1 and sizes[-1][0] > EQUAL_BYTES * sizes[0][0]:
        (least_bytes, least), (most_bytes, most) = sizes[0], sizes[-1]
        yield UnequalBytes(least=least, least_bytes=least_bytes, most=most, most_bytes=most_bytes)


def _answers_known(tally: Tally) -> Iterator[AnswersKnown]:
    known = {name: checked.run for name, checked in tally.checked.items() if checked.run is not None}
    if known:
        yield AnswersKnown(contenders=tuple(sorted(known)), runs=tuple(sorted(set(known.values()))))


def _in_containers(tally: Tally, shown: Sequence[str]) -> Iterator[InContainers]:
    """Those that were contained alike together: by another engine, or otherwise, is another finding."""
    contained = [(entry, one.container) for entry in shown for one in tally.started.get(entry, ())]
    contained += [(ran.service, ran.container) for ran in tally.services]
    alike: dict[Contained, dict[str, None]] = {}
    for name, how in contained:
        if how is not None:
            alike.setdefault(how, {})[name] = None
    for how, names in alike.items():
        yield InContainers(names=tuple(names), how=how)


def _closes_connections(entry: str, tally: Tally) -> Iterator[ClosesConnections]:
    """A server may close what was idle while it was frozen, once a turn; under load it should not."""
    slices = tally.slices(entry)
    again, replies = sum(s.reconnects for s in slices), sum(s.replies_all for s in slices)
    if slices and again > tally.race.slices.connections * len(slices):
        yield ClosesConnections(contender=entry, reopened=again, replies=replies)
