"""A verdict and all that it rests on, as text of at most 80 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator

from deadheat import stats
from deadheat.model.finding import CarriedOver
from deadheat.model.gate import GateResult
from deadheat.model.observation import ColdStart, Invocation, Slice
from deadheat.model.result import ContenderResult, turned
from deadheat.report import details, findings, gates, verdicts, words
from deadheat.results.why import BlockTurns, Why

WIDTH = 80
NOT_JUDGED = "described, not judged: neither is the reference, and no claim names the pair"


def lines(why: Why, run: str) -> Iterator[str]:
    """From the verdict's sentence to its blocks."""
    yield f"{verdicts.headline(why.result)} · {run}"
    yield ""
    yield from _sentence(why)
    yield ""
    yield from _judging(why)
    yield ""
    yield from _blocks(why)
    yield ""
    yield from _estimates(why)
    yield ""
    yield from _gates(why)
    yield ""
    yield from _findings(why)
    if why.others:
        yield ""
        yield from _wrapped(f"raced also as {', '.join(why.others)}: --workload names one")
    yield ""
    named = why.race.key if " " not in why.race.key else f"'{why.race.key}'"
    again = f"deadheat show {run} --why {why.a} {why.b} --workload {named} --block 1"
    yield from _wrapped(f"its slices: {again}")


def block_lines(why: Why, number: int, run: str) -> Iterator[str]:
    """One block: every turn of the pair in the order played, and the line where it stands."""
    block = why.block(number)
    first, last = block.effect.lines
    yield f"{why.race.key} · block {number} · {run}/journal.jsonl, lines {first:,} to {last:,}"
    yield ""
    yield from _wrapped(
        f"{len(set(block.order))} contenders took turns, each twice a round; here are those of {why.a} (A) "
        f"and {why.b} (B). A round's value is the mean of the logs of its two turns."
    )
    yield ""
    yield from _indented(details.aligned([*_turn_rows(why, block)]))
    yield ""
    rounds = [words.DASH if ratio is None else f"{ratio:.3f}" for ratio in block.rounds]
    yield from _wrapped(f"A as many times as fast as B, by round: {', '.join(rounds)}")
    effect = block.effect
    ratio = "none" if effect.ratio is None else f"{effect.ratio:.4f}"
    both = f"{effect.rounds} of {effect.raced} rounds have both"
    how = "of the sums" if block.of_sums else "their geometric mean"
    yield from _wrapped(f"the block's ratio, {how}: {ratio} ({both})")


def _sentence(why: Why) -> Iterator[str]:
    if why.verdict is None:
        ratio = why.estimate.ratio
        found = "none" if ratio is None else f"{words.ratio(ratio)} ({words.interval(why.estimate.ci)})"
        yield from _wrapped(f"{why.a} against {why.b}: {found}; {NOT_JUDGED}")
        return
    yield from _wrapped(
        verdicts.sentence(why.verdict, why.margin, why.result.method_version, why.result.judged_by)
    )
    if why.reported is None:
        yield from _wrapped("! results.json holds no verdict of this pair: deadheat report writes it again")
    elif why.agrees:
        yield from _wrapped("results.json says the same, to the last digit")
    else:
        said = verdicts.sentence(why.reported, why.margin, why.result.method_version, why.result.judged_by)
        yield from _wrapped(f"! results.json says otherwise: {said}")


def _judging(why: Why) -> Iterator[str]:
    yield "How it was judged"
    edge = 1 + why.margin
    if why.margin:
        inside = f"a dead heat inside [{1 / edge:.3f}, {edge:.3f}], faster outside"
        yield from _wrapped(f"margin {why.margin * 100:.3g}%: {inside}, else inconclusive")
    else:
        yield from _wrapped("margin 0: faster where the interval excludes 1, else inconclusive")
    yield from _wrapped(why.looks.describe())
    for grown in why.tally.grown:
        if grown.from_block and (not grown.entries or {why.a, why.b} & set(grown.entries)):
            whose = f" of {', '.join(grown.entries)}" if grown.entries else ""
            line = why.lines[id(grown)]
            yield from _wrapped(
                f"blocks{whose} before {grown.from_block + 1} do not count: {grown.why} (line {line:,} of "
                "the journal)"
            )
    ended = f"{why.result.blocks} of {why.race.blocks} blocks were raced"
    if why.settled is not None:
        ended += f": a look ended it, every verdict being in (line {why.settled:,} of the journal)"
    yield from _wrapped(ended)
    if why.judged is None:
        return
    verdict, blocks = why.judged, why.estimate.blocks
    pairs = (
        "the only pair of its family"
        if verdict.family == 1
        else (f"one of a family of {verdict.family} pairs, at step {verdict.step} of Holm's")
    )
    yield from _wrapped(
        f"{pairs}: alpha {verdict.alpha:.3g}, of which {why.looks.spent(verdict.alpha, blocks):.3g} may be "
        f"spent after {blocks} blocks: a t interval at {_level(verdict.estimate)}"
    )


def _blocks(why: Why) -> Iterator[str]:
    yield f"Blocks: {why.a} is so many times as fast as {why.b}"
    rows = [("block", "ratio", "log ratio", "rounds", "lines of journal.jsonl")]
    for one in why.blocks:
        ratio = words.DASH if one.ratio is None else f"{one.ratio:.4f}"
        log = words.DASH if one.ratio is None else f"{math.log(one.ratio):+.5f}"
        counted = str(one.rounds) if one.rounds == one.raced else f"{one.rounds} of {one.raced}"
        rows.append((f"{one.block + 1}", ratio, log, counted, f"{one.lines[0]:,} to {one.lines[1]:,}"))
    yield from _indented(details.aligned(rows))
    if missing := [b + 1 for b in why.tally.blocks if b not in {one.block for one in why.blocks}]:
        yield from _wrapped(f"without both of them: blocks {', '.join(map(str, missing))}")


def _estimates(why: Why) -> Iterator[str]:
    yield f"What {why.estimate.blocks} blocks say"
    rows = [_estimate("mean, t interval", why.estimate)]
    if why.judged is not None:
        judged = why.judged.estimate
        flipped = (judged.log_ratio or 0.0) * (why.estimate.log_ratio or 0.0) < 0
        rows.append(_estimate("the same, as judged", judged, flipped=flipped))
    if (telling := stats.most_influential(why.estimate)) is not None:
        block, ratio = why.blocks[telling[0]].block + 1, telling[1]
        rows.append((f"without block {block}, which tells most", f"{ratio:.4f}", "", ""))
    if why.result.null_pair is not None:
        null = why.result.null_pair
        rows.append(("null pair", f"{null.ratio:.4f}", _interval(null.ci), "95%"))
        rows.append(("", "", _interval(null.ci_99_9), "99.9%" + ("" if null.ok else ": excludes 1")))
    yield from _indented(details.aligned(rows))


def _estimate(name: str, estimate: stats.Estimate, *, flipped: bool = False) -> tuple[str, ...]:
    ratio, ci = estimate.ratio, estimate.ci
    if flipped and ratio is not None:
        ratio, ci = turned(ratio, ci)
    return (name, words.DASH if ratio is None else f"{ratio:.4f}", _interval(ci), _level(estimate))


def _interval(ci: tuple[float, float] | None) -> str:
    if ci is None:
        return "no interval"
    # Few blocks may leave an interval of many powers of ten.
    low, high = (f"{end:.4f}" if 1e-3 < end < 1e3 else f"{end:.3g}" for end in ci)
    return f"{low} to {high}"


def _level(estimate: stats.Estimate) -> str:
    """With enough digits to tell it from 100%."""
    beyond = 100 * (1 - estimate.confidence)
    digits = 1 + max(0, math.ceil(-math.log10(beyond))) if beyond > 0 else 1
    return f"{100 * estimate.confidence:.{digits}f}".rstrip("0").rstrip(".") + "%"


def _gates(why: Why) -> Iterator[str]:
    yield "Gates"
    rows = {row.id: row for row in why.result.contenders}
    groups = [(id_, rows[id_].gates) for id_ in (why.a, why.b)] + [("the race", why.result.gates)]
    for name, found in groups:
        yield f"  {name}: {sum(gate.ok for gate in found)} of {len(found)} hold"
        yield from _indented(details.aligned([_gate(gate) for gate in found]), by=4)
        for gate in found:
            if not gate.ok:
                yield from _wrapped(f"! {gates.broken(gate)}", by=4)


def _gate(gate: GateResult) -> tuple[str, ...]:
    value = words.DASH if gate.value is None else f"{gate.value:,.4g}"
    return ("holds" if gate.ok else "BROKEN", gate.name, value, gate.limit)


def _findings(why: Why) -> Iterator[str]:
    yield "What else the blocks show"
    rows = {row.id: row for row in why.result.contenders}
    for id_ in (why.a, why.b):
        yield from _wrapped(f"{id_}: {'; '.join(_of_row(rows[id_], why.race.reference)) or 'nothing'}")
    pair = {why.a, why.b}
    carried = [one for one in why.result.findings if isinstance(one, CarriedOver)]
    for one in carried:
        if {one.contender, one.predecessor} & pair:
            yield from _wrapped(findings.sentence(one))
    if not carried:
        yield from _wrapped("carry-over: none found")


def _of_row(row: ContenderResult, reference: str) -> Iterator[str]:
    if row.variance is not None:
        variance = row.variance
        share = (
            ""
            if variance.share_of_starts is None
            else f", {variance.share_of_starts:.0%} of its variance between starts"
        )
        yield f"sd {variance.starts_sd:.2%} a start and {variance.rounds_sd:.2%} a round{share}"
    if row.warm_up is not None:
        warm_up = row.warm_up
        if warm_up.kind == "flat":
            yield "no warm-up in its slices"
        else:
            steady = "" if warm_up.steady_from is None else f", steady from slice {warm_up.steady_from}"
            yield warm_up.kind + steady
    if row.drift is not None:
        yield (
            f"drift within a block against {reference} {words.ratio(row.drift.ratio)} "
            f"({words.interval(row.drift.ci)})"
        )


def _turn_rows(why: Why, block: BlockTurns) -> Iterator[tuple[str, ...]]:
    servers = any(isinstance(one.turn, Slice) for one in block.played)
    figures = ("replies", words.rate(why.race.kind), "µs CPU") if servers else ("wall", "CPU", "server CPU")
    if any(isinstance(one.turn, ColdStart) for one in block.played):
        figures = ("first reply", "100th", "10,000th")
    yield ("round", "turn", "", *figures, "line", "right after")
    for one in block.played:
        turn = one.turn
        who = "A" if turn.entry == why.a else "B"
        after = words.DASH if one.after is None else one.after
        measured: tuple[str, ...] = ()
        if isinstance(turn, Slice):
            cpu = (
                f"{turn.server_cpu_ns / 1e3 / turn.replies:.1f}"
                if turn.server_cpu_ns and turn.replies
                else words.DASH
            )
            measured = (f"{turn.replies:,}", f"{turn.replies / turn.counted_s:,.0f}", cpu)
        elif isinstance(turn, Invocation):
            server = words.DASH if turn.server_cpu_s is None else words.seconds(turn.server_cpu_s)
            measured = (words.seconds(turn.wall_s), words.seconds(turn.user_s + turn.system_s), server)
        elif isinstance(turn, ColdStart):
            times_s = (turn.first_reply_s, turn.reply_100_s, turn.reply_10000_s)
            measured = tuple(map(words.seconds, times_s))
        yield (f"{turn.round + 1}", f"{turn.turn + 1}", who, *measured, f"{one.line:,}", after)


def _indented(rows: Iterable[str], by: int = 2) -> Iterator[str]:
    """Lines of a table; what does not fit goes on below."""
    for row in rows:
        yield from (
            textwrap.wrap(
                row, WIDTH, initial_indent=" " * by, subsequent_indent=" " * (by + 4), drop_whitespace=False
            )
            if len(row) + by > WIDTH
            else (" " * by + row,)
        )


def _wrapped(text: str, by: int = 2) -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=" " * by, subsequent_indent=" " * (by + 2), break_on_hyphens=False
    )
