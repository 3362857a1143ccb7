"""What else the blocks of a race tell: where spread comes from, warm-up, drift, carry-over, equal work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deadheat import stats
from deadheat.model.result import Against, CarryOver, ContenderResult, Variance, WarmUp, WorkloadResult
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.report import words
from deadheat.tally import VALUES, Tally

# From here on more rounds hardly narrow the interval, and only more blocks do.
MOSTLY_STARTS = 0.5
# Responses whose sizes differ by more than this are told: they are not the same work on the wire.
EQUAL_BYTES = 1.05
# A drift or a carry-over that is sure but smaller than this (log units) changes no verdict.
WORTH_TELLING = 0.01
# More contenders than this are not named one by one.
MANY = 3


@dataclass(frozen=True)
class Findings:
    """Of one race, by entry; `sentences` say what a reader should know."""

    variance: Mapping[str, Variance]
    warm_up: Mapping[str, WarmUp]
    drift: Mapping[str, Against]
    carry_over: tuple[CarryOver, ...]
    sentences: tuple[str, ...]


def of_race(found: Tally, rows: Mapping[str, ContenderResult]) -> Findings:
    """Those of the entries that were measured. Nothing is judged by them: they are described."""
    measured = [entry.id for entry in found.race.entries if _measured(entry.id, found, rows)]
    if found.race.outside is not None or not measured:
        return Findings({}, {}, {}, (), ())
    turns = _turns(found, measured)
    variance = _variance(found, measured)
    warm_up = _warm_up(turns, measured)
    shown = [entry for entry in measured if entry in rows]
    drift, drifted = _drift(found, shown)
    carried = _carry_over(turns)
    sentences = (
        *_longer_lead_in(found),
        *_of_variance(variance, shown),
        *(
            stats.WarmUp(**w.model_dump(), change_points=()).describe(e)
            for e, w in warm_up.items()
            if w.kind != "flat" and e in shown
        ),
        *drifted,
        *map(_carried, carried),
        *_equal_work([rows[entry] for entry in shown]),
        *(sentence for entry in shown if (sentence := _closes(entry, found))),
    )
    return Findings(variance, warm_up, drift, carried, sentences)


def cut_short(found: Tally) -> Iterator[str]:
    """Why a race has fewer blocks than planned, where what it needs besides its contenders failed."""
    if found.unavailable is not None and found.blocks:
        yield (
            f"ended after {len(found.blocks)} of {found.race.blocks} blocks, which count: {found.unavailable}"
        )


def streamed(result: WorkloadResult, messages: int) -> Iterator[str]:
    """What calls a second are in messages, where a call brings more than one."""
    rates = [(r.id, r.throughput_rps.estimate * messages) for r in result.contenders if r.throughput_rps]
    if messages > 1 and rates:
        told = ", ".join(f"{id_} {words.figure(rate)}" for id_, rate in rates)
        yield f"{messages} messages a call; messages/s: {told}"


def _longer_lead_in(found: Tally) -> Iterator[str]:
    if (grown := found.grown) is not None:
        yield (
            f"lead-in: {grown.why}, so from block {grown.from_block + 1} on it has {grown.lead_in_ms} ms, "
            "and the blocks before it do not count"
        )


def told(result: WorkloadResult, findings: Findings) -> WorkloadResult:
    """The result with them in it."""
    rows = tuple(
        row.model_copy(
            update={
                "variance": findings.variance.get(row.id),
                "warm_up": findings.warm_up.get(row.id),
                "drift": findings.drift.get(row.id),
            }
        )
        for row in result.contenders
    )
    more = {"contenders": rows, "carry_over": findings.carry_over, "findings": findings.sentences}
    return result.model_copy(update=more)


def _measured(entry: str, found: Tally, rows: Mapping[str, ContenderResult]) -> bool:
    """The null entry stands for its contender: it has no row, but starts and rounds of its own."""
    if entry == found.race.null_entry:
        return bool(found.of(entry))
    return rows[entry].status == "measured" and bool(found.common_blocks(entry))


def _variance(found: Tally, measured: Sequence[str]) -> dict[str, Variance]:
    blocks = found.common_blocks(*measured)
    value = VALUES[found.race.metric]
    try:
        parts = stats.variance_components({entry: found.series(entry, value, blocks) for entry in measured})
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


def _of_variance(variance: Mapping[str, Variance], shown: Sequence[str]) -> Iterator[str]:
    mostly = [
        (entry, variance[entry].share_of_starts or 0.0)
        for entry in shown
        if entry in variance and (variance[entry].share_of_starts or 0.0) >= MOSTLY_STARTS
    ]
    if len(mostly) > MANY:
        shares = [share for _, share in mostly]
        yield (
            f"of {len(mostly)} contenders {min(shares):.0%} to {max(shares):.0%} of the variance is between "
            "starts: more blocks narrow their intervals, more rounds do not"
        )
    elif mostly:
        who = ", ".join(f"{share:.0%} of {entry}'s" for entry, share in mostly)
        yield f"{who} variance is between starts: more blocks narrow its interval, more rounds do not"


def _turns(found: Tally, measured: Sequence[str]) -> list[list[stats.Turn]]:
    """Of each block in which all of these were measured, its turns in order; more is always faster."""
    value = VALUES[found.race.metric]
    sign = 1 if HIGHER_IS_FASTER[found.race.metric] else -1
    blocks = []
    for block in found.common_blocks(*measured):
        turns = [
            (turn.round, getattr(turn, "turn", 0), e, turn)
            for e in measured
            for turn in found.turns[e][block]
        ]
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
    """Of each, less what the round's contenders share: that is the machine's doing."""
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


def _drift(found: Tally, shown: Sequence[str]) -> tuple[dict[str, Against], list[str]]:
    """Of each against the reference: the second half of a block's rounds over the first. Tested together."""
    race = found.race
    others = [entry for entry in shown if entry != race.reference_entry]
    drifts, sentences = {}, []
    for entry in others:
        blocks = found.common_blocks(entry, race.reference_entry)
        if not blocks:
            continue
        change = stats.drift(
            *(found.series(e, VALUES[race.metric], blocks) for e in (entry, race.reference_entry)),
            lower_is_better=not HIGHER_IS_FASTER[race.metric],
        )
        if change.ratio is None:
            continue
        drifts[entry] = Against(ratio=change.ratio, ci=change.ci)
        sure = change.at(1 - 0.05 / len(others))
        if not (sure.low <= 0 <= sure.high) and abs(sure.log_ratio or 0.0) >= WORTH_TELLING:
            sentences.append(
                f"{entry} drifts: against {race.reference_entry} its second half of a block is "
                f"{words.ratio(change.ratio)} ({words.interval(sure.ci)}) times its first"
            )
    return drifts, sentences


def _carry_over(turns: Sequence[Sequence[stats.Turn]]) -> tuple[CarryOver, ...]:
    found = [one for one in stats.carry_over(turns) if one.found]
    return tuple(
        CarryOver(
            contender=one.contender,
            predecessor=one.predecessor,
            ratio=one.estimate.ratio or 1.0,
            ci=one.estimate.ci,
        )
        for one in found
        if abs(one.estimate.log_ratio or 0.0) >= WORTH_TELLING
    )


def _carried(one: CarryOver) -> str:
    return (
        f"carry-over: {one.contender} right after {one.predecessor} measures {words.ratio(one.ratio)} "
        f"({words.interval(one.ci)}) times what it does after others; the order is random, so it evens out"
    )


def _equal_work(rows: Sequence[ContenderResult]) -> Iterator[str]:
    sizes = sorted((row.bytes_per_response, row.id) for row in rows if row.bytes_per_response)
    if len(sizes) > 1 and sizes[-1][0] > EQUAL_BYTES * sizes[0][0]:
        (least, who), (most, whose) = sizes[0], sizes[-1]
        yield f"unequal work on the wire: {least:,.0f} bytes a response ({who}) to {most:,.0f} ({whose})"


def _closes(entry: str, found: Tally) -> str | None:
    """A server may close what was idle while it was frozen, once a turn; under load it should not."""
    slices = found.slices(entry)
    again, replies = sum(s.reconnects for s in slices), sum(s.replies_all for s in slices)
    if again <= (found.race.connections or 0) * len(slices):
        return None
    return f"{entry} closes connections: {again:,} were opened again for {replies:,} replies"
