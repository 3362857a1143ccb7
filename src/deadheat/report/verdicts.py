"""A race, its rows and its verdicts in sentences, the same in every report."""

from collections.abc import Iterator

from deadheat import stats
from deadheat.model.choices import JudgedBy
from deadheat.model.finding import EQUAL_BYTES
from deadheat.model.kinds.registry import TRAITS
from deadheat.model.result import Answer, ByColdStarts, ContenderResult, RaceResult, Verdict, turned
from deadheat.report import gates, reasons, words

ENDED_FIRST = "the run ended before its first block"


def headline(result: RaceResult) -> str:
    """`http-hello · requests/s, 64 connections · 6 blocks, 3,840 slices`."""
    name = result.name + (f" [{result.setting}]" if result.setting else "")
    name += f" ({result.method})" if result.method != "deadheat" else ""
    what = words.unit(result.judged, result.kind)
    if result.connections is not None:
        what += f", {result.connections} connections"
        at_once = "streams" if result.http2 else TRAITS[result.kind].in_flight
        in_flight = f" of {result.streams} {at_once}"
        what += in_flight if result.streams not in (None, 1) else ""
    if result.n not in (None, 1):  # of a command that has no size it is 1
        what += f", n = {result.n}"
    if result.method == "as-published":
        return f"{name} · {what}"
    turns = "starts" if isinstance(result.measured, ByColdStarts) else TRAITS[result.kind].turns
    blocks = f"{result.blocks} block{'s' if result.blocks != 1 else ''}"
    if result.blocks < result.blocks_planned:
        blocks += f" of {result.blocks_planned}"
    return f"{name} · {what} · {blocks}, {result.slices:,} {turns}"


def sentence(
    verdict: Verdict, margin: float, method: int = stats.METHOD.version, by: JudgedBy = "throughput"
) -> str:
    """A verdict in one sentence that can be pasted; `method`: the version that it was judged by, `by`: the
    figure."""
    good, figure = words.as_good(by), words.judged_by(by)
    if verdict.ratio is None:
        return f"{verdict.a} against {verdict.b}{figure}: {verdict.verdict}" + _why(verdict)
    ratio, ci = words.ratio(verdict.ratio), words.confidence(verdict.ci, verdict.blocks, method)
    match verdict.verdict:
        case "faster":
            least = "at least " if verdict.limit else ""
            shown = ci + _limited(verdict)
            return f"{verdict.a} is {least}{ratio} times {good} as {verdict.b}{figure} ({shown})"
        case "dead heat":
            heat = f"a dead heat{figure}, within {margin * 100:.3g}%"
            return f"{verdict.a} and {verdict.b} are {heat}: {ratio} ({ci})"
        case "inconclusive":
            return f"{verdict.a} against {verdict.b} is not settled{figure}: {ratio} ({ci})" + _why(verdict)
        case _:
            return f"no verdict: {verdict.a} against {verdict.b}{figure}" + _why(verdict)


def of_race(result: RaceResult, verdict: Verdict, margin: float) -> str:
    """A verdict of a race in one sentence, and how large the replies were where that was not the same."""
    said = sentence(verdict, margin, result.method_version, result.judged_by)
    return said + _and_replies(result, verdict.a, verdict.b)


def replies(result: RaceResult, a: str, b: str) -> str:
    """`replies of 135 and 107 bytes, heads included`; empty where they are within 5%, or of no server."""
    of_a, of_b = (
        next((row.figures.bytes_per_response for row in result.contenders if row.id == id_), None)
        for id_ in (a, b)
    )
    if not of_a or not of_b or max(of_a, of_b) <= EQUAL_BYTES * min(of_a, of_b):
        return ""
    return f"replies of {of_a:,.0f} and {of_b:,.0f} bytes, heads included"


def beside_the_table(result: RaceResult, margin: float) -> Iterator[tuple[str, str]]:
    """What a table of standings leaves out, as (verdict, sentence).

    Pairs without the reference, by their number alone where places tell them; and why others are open, once
    for all that are open for the same reason.
    """
    open_: dict[tuple[str, str], list[Verdict]] = {}
    if ranking := ranks(result):
        yield "faster", ranking
    for verdict in result.verdicts:
        if result.reference not in (verdict.a, verdict.b):
            if not ranking:
                yield verdict.verdict, of_race(result, verdict, margin)
        elif verdict.verdict in ("inconclusive", "invalid"):
            open_.setdefault((verdict.verdict, reasons.of_verdict(verdict)), []).append(verdict)
    for (kind, why), found in open_.items():
        if len(found) == 1:
            yield kind, sentence(found[0], margin, by=result.judged_by)
            continue
        others = [verdict.a if verdict.b == result.reference else verdict.b for verdict in found]
        names = f"{', '.join(others[:-1])} and {others[-1]} against {result.reference}"
        said = "no verdict" if kind == "invalid" else "not settled"
        yield kind, f"{said}: {names}" + (f"; {why}" if why else "")


def ranks(result: RaceResult) -> str:
    """What places rest on, where a race was planned to rank; empty where it was not."""
    if result.method_version == 1 or all(row.place is None for row in result.contenders):
        return ""
    pairs = len(result.verdicts)
    apart = sum(verdict.verdict == "faster" for verdict in result.verdicts)
    return f"places by all {pairs} pairs, judged together: {apart} told apart"


def answer(result: RaceResult, row: ContenderResult) -> Answer | None:
    """How a row stands against the reference by its verdict; None without one, or where a gate is broken."""
    found = verdict_of(result, row)
    if found is None or row.id == result.reference or row.class_ == "ceiling":
        return None
    return found.answer(row.id)


def group(result: RaceResult, row: ContenderResult) -> str:
    """What stands before a row: its place where the race ranks, else the judged answer that it is grouped
    by; nothing where neither is known."""
    if row.place is not None:
        return f"{row.place}{'=' if row.shares_place else '.'}"
    return words.answer(answer(result, row) or "", result.judged_by)


def standing(result: RaceResult, row: ContenderResult, margin: float, *, with_replies: bool = True) -> str:
    """What the table says of a row, beside its figure; of one that was judged with how large its replies
    were, where that was not as large as the reference's."""
    said = _standing(result, row, margin)
    if not with_replies:
        return said
    judged = row.class_ != "ceiling" and verdict_of(result, row) is not None and row.id != result.reference
    return said + (_and_replies(result, row.id, result.reference) if judged else "")


def _standing(result: RaceResult, row: ContenderResult, margin: float) -> str:
    if row.status != "measured":
        said = reason(result, row)
        return f"{row.status}: {said}" if said else row.status
    if row.id == result.reference:
        return "the reference"
    if row.against_reference is None:
        return "no ratio to the reference"
    interval = judged_interval(result, row)
    against = f"{words.ratio(row.against_reference.ratio)} ({words.of_race(interval, result)})"
    if row.class_ == "ceiling":
        return f"{against}: the ceiling, least possible work"
    verdict = verdict_of(result, row)
    if verdict is None:
        return against
    if verdict.verdict == "faster":
        shown = words.confidence(interval, result.blocks, result.method_version) + _limited(verdict)
        good, figure = words.as_good(result.judged_by), words.judged_by(result.judged_by)
        ratio = words.ratio(row.against_reference.ratio)
        bound = ""
        if verdict.limit is not None:
            bound = "at least " if verdict.a == row.id else "at most "
        return f"{bound}{ratio} times {good} as {result.reference}{figure} ({shown})"
    if verdict.verdict == "dead heat":
        return f"{against}: a dead heat with {result.reference}, within {margin * 100:.3g}%"
    if row.lower_bound:
        limits = ", ".join(gate.name for gate in row.broken)
        return f"{against}: a lower bound ({limits})"
    return f"{against}: {verdict.verdict}"


def _limited(verdict: Verdict) -> str:
    """`; go-fiber-pgx at its limit: services-cpu`; empty where nobody was at one."""
    limit = verdict.limit
    return "" if limit is None else f"; {limit.contender} at a limit: {limit.gate.name}"


def reason(result: RaceResult, row: ContenderResult) -> str | None:
    """Why a contender is not measured: its own reason, or the gate that put it out of the table."""
    if row.reason is not None:
        return row.reason
    if row.status == "not run":
        return ENDED_FIRST if (gate := result.too_disturbed) is None else gates.advice(gate)
    return next((gates.advice(gate) for gate in row.broken), None)


def verdict_of(result: RaceResult, row: ContenderResult) -> Verdict | None:
    """The verdict of a row against the reference."""
    pair = {row.id, result.reference}
    return next((v for v in result.verdicts if {v.a, v.b} == pair), None)


def judged_interval(result: RaceResult, row: ContenderResult) -> tuple[float, float] | None:
    """The interval of a row's ratio to the reference: the one its verdict was judged by, where it has one."""
    verdict = verdict_of(result, row)
    if verdict is not None and verdict.ratio is not None and verdict.ci is not None:
        return verdict.ci if verdict.a == row.id else turned(verdict.ratio, verdict.ci)[1]
    return row.against_reference.ci if row.against_reference else None


def _and_replies(result: RaceResult, a: str, b: str) -> str:
    said = replies(result, a, b)
    return f"; {said}" if said else ""


def _why(verdict: Verdict) -> str:
    said = reasons.of_verdict(verdict)
    return f"; {said}" if said else ""
