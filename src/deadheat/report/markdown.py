"""report.md: the same table for a pull request or a post."""

from collections.abc import Callable, Iterator, Sequence

from deadheat.model.kinds.registry import TRAITS
from deadheat.model.result import ByColdStarts, ContenderResult, RaceResult, Results
from deadheat.model.workload import COLD
from deadheat.report import (
    by_request,
    claims_table,
    cpu_ratios,
    curve,
    details,
    equal_load,
    findings,
    forest,
    gates,
    matrix,
    published_columns,
    published_table,
    verdicts,
    words,
)
from deadheat.report import calibration as calibration_words

Column = Callable[[ContenderResult], str]


def render(results: Results) -> str:
    """The whole report. Names of contenders are escaped: they are other people's text."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Results) -> Iterator[str]:
    yield f"# Deadheat: {', '.join(dict.fromkeys(result.name for result in results.workloads))}"
    yield ""
    yield f"{results.started}, preset `{results.preset}`, seed {results.seed}, Deadheat {results.version}."
    if results.calibration is not None:
        yield f"{_text(calibration_words.cited(results.calibration))}.".capitalize()
    if results.stopped:
        yield f"**Stopped before the plan's end:** {_text(results.stopped)}."
    if results.resumed:
        yield f"Resumed {results.resumed} time(s)."
    for result in results.workloads:
        yield ""
        yield from _workload(result, results.margin)
    for title, table, turns in curve.tables(results):
        yield ""
        yield f"## {_text(title)}"
        yield ""
        yield from _markdown_table(table)
        for text in turns:
            yield ""
            yield f"**{_text(text)}**"
    for found in matrix.tables(results):
        yield ""
        yield f"## {_text(found.title)}"
        yield ""
        yield from _markdown_table(found.table)
    for study, rows, broken in claims_table.by_study(results):
        yield ""
        yield f"## Claims of {_text(study)}"
        yield ""
        yield "| claim | published | direction | size | here |"
        yield "| --- | --- | --- | --- | --- |"
        lines, notes = claims_table.reported(claims_table.shown(rows))
        for line in lines:
            published = claims_table.published(line.row)
            cells = (claims_table.name(line.row), published, line.direction, line.size, line.here)
            yield "| " + " | ".join(map(_text, cells)) + " |"
        for said in filter(None, (*notes, claims_table.adjusted(rows))):
            yield ""
            yield _text(said)
        for gate in broken:
            yield ""
            yield f"- {_text(claims_table.gate(gate))}"
    yield ""
    yield f"Again: `{' '.join(results.command).replace('`', '')}`"


def _workload(result: RaceResult, margin: float) -> Iterator[str]:
    yield f"## {_text(result.title)}"
    yield ""
    if result.question:
        yield _text(result.question)
        yield ""
    if result.method == "as-published":
        yield from _published(result)
        return
    for verdict in result.verdicts:
        yield f"- {_text(verdicts.of_race(result, verdict, margin))}"
    yield from (f"- {_text(finding)}" for finding in findings.sentences(result))
    yield ""
    yield _text(verdicts.headline(result))
    yield ""
    yield "| | contender | " + " | ".join(name for name, _ in _columns(result)) + " |"
    yield "| --- | --- | " + " | ".join("---" for _ in _columns(result)) + " |"
    for row in result.contenders:
        cells = [value(row) for _, value in _columns(result)]
        yield (
            f"| {verdicts.group(result, row).rstrip('.')} | {_text(row.id)} | "
            + " | ".join(map(_text, cells))
            + " |"
        )
    reasons = [row for row in result.contenders if row.status != "measured"]
    if reasons:
        yield ""
        for row in reasons:
            yield f"- {_text(row.id)}: {row.status}: {_text(verdicts.reason(result, row) or '')}"
    if (table := equal_load.table(result)) is not None:
        yield ""
        yield equal_load.CAPTION
        yield ""
        yield from _markdown_table(table)
    if (table := by_request.table(result)) is not None:
        yield ""
        yield by_request.CAPTION
        yield ""
        yield from _markdown_table(table)
    if beside := details.table(result):
        yield ""
        yield from _markdown_table(beside)
    yield ""
    yield "```"
    yield from forest.draw(forest.marks(result), margin)
    yield ""
    yield gates.summary(result)
    for whose, gate in gates.all_broken(result):
        yield f"! {whose}: {gate}"
    yield "```"


def _markdown_table(table: Sequence[Sequence[str]]) -> Iterator[str]:
    header, *rows = table
    yield "| " + " | ".join(map(_text, header)) + " |"
    yield "|" + " --- |" * len(header)
    for row in rows:
        yield "| " + " | ".join(map(_text, row)) + " |"


def _published(result: RaceResult) -> Iterator[str]:
    yield _text(verdicts.headline(result))
    yield ""
    for note in result.notes:
        yield f"- {_text(note)}"
    yield ""
    yield from _markdown_table([published_table.header(result), *published_table.rows(result)])
    yield ""
    for line in published_table.ratios(result):
        yield f"- {_text(line)}"
    if columns := list(published_columns.rows(result)):
        yield ""
        yield "Every column that the study printed, and the same here:"
        yield ""
        yield from _markdown_table([published_columns.HEADER, *columns])
    for row in result.contenders:
        if row.figures.outside is not None and row.figures.outside.shown:
            yield ""
            yield f"What {row.figures.outside.tool} printed of {_text(row.id)}:"
            yield ""
            yield "```"
            # A fence of somebody else's would end ours.
            yield from (line.replace("`", "'") for line in row.figures.outside.shown)
            yield "```"
    yield ""
    yield f"- {gates.summary(result)}"
    for whose, gate in published_table.broken_below(result):
        yield f"- {_text(f'{whose}: {gate}')}"


def _columns(result: RaceResult) -> list[tuple[str, Column]]:
    columns: list[tuple[str, Column]] = [
        (
            words.unit(result.judged, result.kind),
            lambda row: words.amount(result.judged, words.own_measure(result.judged, row)),
        ),
        (f"times {words.as_good(result.judged_by)} as {result.reference}", lambda row: _ratio(result, row)),
    ]
    over: tuple[str, Column] = (cpu_ratios.title(result), lambda row: cpu_ratios.cell(result, row))
    if result.judged != result.metric:
        own = result.metric
        columns.append(
            (words.unit(own, result.kind), lambda row: words.amount(own, row.figures.measure(own)))
        )
    if isinstance(result.measured, ByColdStarts):
        columns += _cold(result)
    elif not TRAITS[result.kind].serves:
        other = "wall_s" if result.metric == "cpu_s" else "cpu_s"
        columns.append((words.UNITS[other], lambda row: words.amount(other, row.figures.measure(other))))
        if other == "cpu_s":
            columns.append(over)
        if any(row.figures.own_wall_s for row in result.contenders):
            columns.append(("its own clock", lambda row: words.amount("wall_s", row.figures.own_wall_s)))
    else:
        columns += [
            (f"µs CPU a {words.asked(result.kind)}", _cpu),
            over,
            ("mean / p99, ms", _latency),
            ("bytes a response", lambda row: _figure(row.figures.bytes_per_response)),
            (
                "of ceiling",
                _of_ceiling,
            ),
            ("first response", _first),
        ]
    return [
        *columns,
        ("peak memory", _peak),
        ("artifact" + " + runtime" * _ships(result), _shipped),
        ("build", lambda row: words.DASH if row.build_s is None else words.seconds(row.build_s)),
    ]


def _cold(result: RaceResult) -> list[tuple[str, Column]]:
    """The two times that the race does not judge, each with how many times as fast as the reference it is."""
    return [(words.UNITS[metric], _cold_cell(result, metric)) for metric in COLD if metric != result.metric]


def _cold_cell(result: RaceResult, metric: str) -> Column:
    def cell(row: ContenderResult) -> str:
        against = row.figures.cold_against_reference.get(metric)
        shown = words.amount(metric, row.figures.measure(metric))
        if against is None:
            return shown
        return f"{shown}: {words.ratio(against.ratio)} ({words.of_race(against.ci, result)})"

    return cell


def _ships(result: RaceResult) -> bool:
    """Whether anything here must be shipped beside somebody's artifact."""
    return any(row.runtime_bytes for row in result.contenders)


def _shipped(row: ContenderResult) -> str:
    runtime = f" + {words.size(row.runtime_bytes)}" if row.runtime_bytes else ""
    return words.size(row.artifact_bytes) + runtime


def _ratio(result: RaceResult, row: ContenderResult) -> str:
    if row.against_reference is None:
        return words.DASH
    shown = words.of_race(verdicts.judged_interval(result, row), result)
    return f"{words.ratio(row.against_reference.ratio)} ({shown})"


def _cpu(row: ContenderResult) -> str:
    measure = row.figures.cpu_us_per_request
    return words.DASH if measure is None else words.figure(measure.estimate)


def _of_ceiling(row: ContenderResult) -> str:
    share = row.figures.of_ceiling
    return words.DASH if share is None else f"{share:.0%}"


def _latency(row: ContenderResult) -> str:
    if row.figures.latency_ms is None:
        return words.DASH
    return f"{words.figure(row.figures.latency_ms.mean)} / {_figure(row.figures.latency_ms.p99)}"


def _peak(row: ContenderResult) -> str:
    """The median over blocks, and the range where they differ."""
    median, span = words.size(row.peak_memory_bytes), row.peak_memory_range_bytes
    shown = None if span is None else tuple(map(words.size, span))
    return median if shown is None or shown == (median, median) else f"{median} ({shown[0]} to {shown[1]})"


def _first(row: ContenderResult) -> str:
    first_ms = row.figures.first_response_ms
    return words.DASH if first_ms is None else f"{words.figure(first_ms)} ms"


def _figure(value: float | None) -> str:
    return words.DASH if value is None else words.figure(value)


def _text(value: str) -> str:
    """Somebody's text, so that Markdown and HTML in it are shown and not obeyed."""
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]#|~" else c for c in value)
    return escaped.replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")
