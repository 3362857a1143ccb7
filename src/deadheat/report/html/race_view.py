"""One race as a page shows it: figures turned into words, places and positions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from deadheat.model.contender import Contender
from deadheat.model.result import BySlices, ContenderResult, Interval, RaceResult, turned
from deadheat.report import findings, published_columns, published_table, verdicts, words
from deadheat.report.html import charts, costs, so_far, tables_view
from deadheat.report.html.evidence import Evidence
from deadheat.report.html.forest_view import Bar, Forest, forest_of
from deadheat.report.html.gates_view import Gates, gates_of
from deadheat.report.html.sources import SourceFile, Sources

TINTS = 8
DIGITS = 6
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class RowView:
    """A contender's row. `key` is its number in the race, `letter` and `tint` what pictures call it by;
    `first`: it begins another group than the row before it."""

    key: int
    letter: str
    tint: int
    row: ContenderResult
    place: str
    first: bool
    amount: str
    value: float | None
    bar: Bar | None
    ratio: str
    interval: Interval | None
    judged: str
    ci: str
    word: str
    said: str
    standing: str
    reason: str | None
    blocks: tuple[float, ...]
    reference: bool
    contender: Contender | None
    sources: tuple[SourceFile, ...]


@dataclass(frozen=True)
class Published:
    """A study's own method: its figures and ours."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ratios: tuple[str, ...]
    columns: tuple[tuple[str, str, str, str], ...]
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RaceView:
    anchor: str
    name: str
    result: RaceResult
    verdict: str
    why: str
    tally: str
    facts: str
    unit: str
    asked: str
    good: str
    better: str
    more_is_better: bool
    rows: tuple[RowView, ...]
    ranking: str
    has_ceiling: bool
    measured_latency: bool
    null_bar: Bar | None
    null_text: str
    forest: Forest | None
    scatter: charts.Scatter | None
    latencies: charts.Latencies | None
    strips: charts.Strips | None
    columns: tuple[costs.Column, ...]
    gates: Gates
    findings: tuple[str, ...]
    tables: tuple[tables_view.Table, ...]
    published: Published | None


def race_view(
    number: int,
    result: RaceResult,
    margin: float,
    seen: Evidence,
    contenders: Mapping[str, Contender],
    sources: Sources,
    live: bool = False,
) -> RaceView:
    """`live`: the race is under way, so that what is only early is not shown as what went wrong."""
    early = live and so_far.early(result)
    result = so_far.growing(result) if live else result
    keys = {row.id: key for key, row in enumerate(result.contenders)}
    forest = forest_of(result, margin) if result.method == "deadheat" else None
    null = result.null_pair
    sentence, why = so_far.sentence(result) if early else _reported(result, margin)
    return RaceView(
        anchor=f"race-{number}",
        name=result.name + (f" [{result.setting}]" if result.setting else ""),
        result=result,
        verdict=_own_capital(sentence) + "." * (not sentence.endswith(".")),
        why=_first_capital(why) + "." * (not why.endswith(".")) if why else "",
        tally="" if early else tally(result),
        facts=verdicts.headline(result),
        unit=words.unit(result.judged, result.kind),
        asked=words.asked(result.kind),
        good=words.as_good(result.judged_by),
        better=words.answer("faster", result.judged_by),
        more_is_better=result.judged == "throughput_rps",
        rows=tuple(
            _row(result, row, keys[row.id], margin, forest, contenders.get(row.id), sources, early)
            for row in result.contenders
        ),
        ranking=verdicts.ranks(result),
        has_ceiling=any(r.class_ == "ceiling" and r.status == "measured" for r in result.contenders),
        measured_latency=isinstance(result.measured, BySlices),
        null_bar=forest.bar(null.ratio, null.ci) if forest and null else None,
        null_text=f"{words.ratio(null.ratio)} ({words.of_race(null.ci, result)})" if null else "",
        forest=forest,
        scatter=charts.scatter(result, keys),
        latencies=charts.latencies(seen.curves, keys, result.kind),
        strips=charts.strips(seen.turns, keys),
        columns=costs.columns(result),
        gates=gates_of(result, keys),
        findings=tuple(findings.sentences(result)),
        tables=tuple(tables_view.of_race(result, keys)) if result.method == "deadheat" else (),
        published=_published(result) if result.method == "as-published" else None,
    )


def verdict(result: RaceResult, margin: float) -> str:
    """The one sentence that the race comes down to."""
    if result.method == "as-published":
        return "One figure of each, by the study's own method: nothing here can be a verdict."
    if not result.slices:
        return "Nothing was raced yet: the reasons are below."
    # The fastest against the reference; where that is the reference itself, against the next.
    rivals = [row for row in result.contenders if row.status == "measured" and row.id != result.reference]
    for row in rivals:
        found = verdicts.verdict_of(result, row)
        if found is not None:
            return verdicts.of_race(result, found, margin)
    if result.verdicts:
        return verdicts.of_race(result, result.verdicts[0], margin)
    return "No pair could be judged."


def _reported(result: RaceResult, margin: float) -> tuple[str, str]:
    """The verdict, and why it is so, where a reason is known."""
    said = verdict(result, margin)
    # An interval is read in one piece.
    said = re.sub(r"\(95% CI [^)]*\)", lambda ci: ci[0].replace(" ", "\N{NO-BREAK SPACE}"), said)
    sentence, _, why = said.partition("; ")
    return sentence, why


def tally(result: RaceResult) -> str:
    """`Against go: 3 faster, 1 dead heat, 1 slower, 1 not settled.`"""
    counts: dict[str, int] = {}
    for row in result.contenders:
        word = _word(result, row)
        if word:
            counts[word] = counts.get(word, 0) + 1
    if len(counts) == 0 or sum(counts.values()) < 2:
        return ""
    order = ("faster", "dead heat", "slower", "inconclusive", "invalid")
    said = {"inconclusive": "not settled", "invalid": "without a verdict"}
    parts = [
        f"{counts[word]} {words.answer(said.get(word, word), result.judged_by)}"
        for word in order
        if word in counts
    ]
    return f"Of {sum(counts.values())} against {result.reference}: {', '.join(parts)}."


def letter(key: int) -> str:
    """0 -> a, 25 -> z, 26 -> aa."""
    return (letter(key // 26 - 1) if key >= 26 else "") + LETTERS[key % 26]


def _row(
    result: RaceResult,
    row: ContenderResult,
    key: int,
    margin: float,
    forest: Forest | None,
    contender: Contender | None,
    sources: Sources,
    early: bool,
) -> RowView:
    own, against = words.own_measure(result.judged, row), row.against_reference
    interval = verdicts.judged_interval(result, row)
    return RowView(
        key=key,
        letter=letter(key),
        tint=key % TINTS,
        row=row,
        place="" if row.place is None else f"{row.place}{'=' if row.shares_place else ''}",
        first=row.place is None
        and key > 0
        and verdicts.group(result, row) != verdicts.group(result, result.contenders[key - 1]),
        amount=words.amount(result.judged, own),
        value=own.estimate if own else None,
        bar=forest.bar(against.ratio, interval) if forest and against else None,
        ratio=words.ratio(against.ratio) if against else "",
        interval=interval,
        judged=_judged(result, row),
        ci=words.of_race(interval, result) if against else "",
        word="early" if early and _word(result, row) else _word(result, row),
        said=words.answer(_word(result, row), result.judged_by),
        standing=so_far.WAITING if early and so_far.waits(row) else verdicts.standing(result, row, margin),
        reason=verdicts.reason(result, row) if row.status != "measured" else None,
        blocks=tuple(float(f"{value:.{DIGITS}g}") for value in own.blocks) if own else (),
        reference=row.id == result.reference,
        contender=contender,
        sources=sources.of(contender) if contender else (),
    )


def _word(result: RaceResult, row: ContenderResult) -> str:
    """What became of a row against the reference; `slower` where the reference is the faster one."""
    found = verdicts.verdict_of(result, row)
    if found is None or row.id == result.reference or row.class_ == "ceiling":
        return ""
    return "slower" if found.answer(row.id) == "slower" else found.verdict


def _judged(result: RaceResult, row: ContenderResult) -> str:
    """Its judged pairs for the page's script, which may choose another reference: `key|ratio|low|high|word`
    each, how many times as fast as that row it is."""
    keys = {other.id: key for key, other in enumerate(result.contenders)}
    reported = []
    for found in result.verdicts:
        if row.id not in (found.a, found.b) or found.ratio is None:
            continue
        first = found.a == row.id
        other = found.b if first else found.a
        ratio, ci = (found.ratio, found.ci) if first else turned(found.ratio, found.ci)
        ends = ("", "")
        if ci is not None and words.is_interval(ci, result.blocks, result.method_version):
            ends = (f"{ci[0]:.6g}", f"{ci[1]:.6g}")
        word = words.answer(found.answer(row.id) or "", result.judged_by)
        reported.append("|".join((str(keys[other]), f"{ratio:.6g}", *ends, word)))
    return ";".join(reported)


def _published(result: RaceResult) -> Published:
    return Published(
        published_table.header(result),
        tuple(published_table.rows(result)),
        tuple(published_table.ratios(result)),
        tuple(published_columns.rows(result)),
        tuple(
            (f"What {row.figures.outside.tool} printed of {row.id}", "\n".join(row.figures.outside.shown))
            for row in result.contenders
            if row.figures.outside is not None and row.figures.outside.shown
        ),
    )


def _own_capital(sentence: str) -> str:
    """Names stay as they are written: only our own first word begins with a capital."""
    return _first_capital(sentence) if sentence.startswith("no verdict") else sentence


def _first_capital(text: str) -> str:
    return text[0].upper() + text[1:]
