"""The table of verdicts at the terminal: what gets pasted."""

import io
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from deadheat.model.result import ContenderResult, RaceResult, Results
from deadheat.report import (
    by_request,
    claims_lines,
    cpu_ratios,
    curve,
    details,
    equal_load,
    findings,
    forest,
    gates,
    handshakes,
    matrix,
    published_table,
    verdicts,
    words,
)

# One race is said in so many lines, of which `race` says the last: where the report is, and what next.
MOST = 40
AFTER = 3
# What a race has below its headline: with that, the empty lines around it and AFTER, MOST at most.
LINES = 32
# What a reader should know has so many lines even where contenders are many.
FEW = 5
# Of more, rows leave out how large their replies were: mostly it would take a line more of each.
ROWS_WITH_REPLIES = 8
_STYLES = {"faster": "bold", "dead heat": "cyan", "inconclusive": "yellow", "invalid": "red"}


def show(results: Results, console: Console) -> None:
    """Print everything that a person needs to know, widest 80 columns where the figures allow."""
    lines = 0
    for result in results.workloads:
        for line in workload(result, results.margin, console.width):
            console.print(line, soft_wrap=True, highlight=False)
            lines += 1
        console.print()
        lines += 1
    for title, table, turns in curve.tables(results):
        console.print(Text(title, "bold"), soft_wrap=True, highlight=False)
        for text in details.aligned(table):
            console.print(Text(f"  {text}"), soft_wrap=True, highlight=False)
        for text in turns:
            console.print(Text(f"  {text}", _STYLES["faster"]), soft_wrap=True, highlight=False)
        console.print()
    for found in matrix.tables(results):
        console.print(Text(found.title, "bold"), soft_wrap=True, highlight=False)
        wide = [*details.aligned(found.grouped(found.table))]
        fits = max(map(len, wide)) + 2 <= console.width
        for row in wide if fits else details.aligned(found.grouped(found.brief)):
            console.print(Text(f"  {row}"), soft_wrap=True, highlight=False)
        if not fits and found.marks:
            console.print(Text(f"  {found.marks}; intervals in the report", "dim"), soft_wrap=True)
        console.print()
    # Of one race the claims get the room that it leaves; of several nobody counts lines.
    room = MOST - lines - AFTER if len(results.workloads) == 1 else None
    for line in claims_lines.judged(results, console.width, room):
        console.print(line, soft_wrap=True, highlight=False)
    if results.stopped:
        console.print(Text(f"stopped before the plan's end: {results.stopped}", "yellow"), soft_wrap=True)
    if results.resumed:
        console.print(Text(f"resumed {results.resumed} time(s)", "yellow"), soft_wrap=True)


def text(results: Results, width: int = 100) -> str:
    """The same without colours, so many columns wide."""
    out = io.StringIO()
    show(results, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def workload(result: RaceResult, margin: float, width: int) -> Iterator[Text]:
    """The lines of one race."""
    yield Text(verdicts.headline(result), "bold")
    yield Text("")
    if result.method == "as-published":
        yield from _published(result)
        return
    shown = [*_table(result, margin, width)]
    if not result.slices:
        # Nothing was raced: gates and plots of nothing would only hide the reasons above.
        yield from shown
        return
    shown += [
        Text("  " + sentence, _STYLES[verdict])
        for verdict, sentence in verdicts.beside_the_table(result, margin)
    ]
    picture = [Text(line) for line in forest.draw(forest.marks(result), margin, min(width, 80) - 2)]
    known = [*_to_know(result)]
    room = LINES - len(shown)
    yield from shown
    if picture and room > len(picture) + min(len(known), FEW):
        yield Text("")
        yield from picture
        room -= len(picture) + 1
    yield Text("")
    fitting = len(known) if len(known) <= room else max(FEW, room - 1)
    yield from known[:fitting]
    if fitting < len(known):
        yield Text(f"  … {len(known) - fitting} more lines in the report", "dim")


def _to_know(result: RaceResult) -> Iterator[Text]:
    """What a reader should know of a race, the weightiest first: gates, findings, then further figures."""
    yield Text("  " + gates.summary(result), "dim")
    for row_id, gate in gates.all_broken(result):
        yield Text(f"  ! {row_id}: {gate}", "yellow")
    for line in findings.lines(result):
        yield Text(f"  {line}", "dim")
    for line in cpu_ratios.lines(result):
        yield Text(f"  {line}")
    for line in handshakes.lines(result):
        yield Text(f"  {line}")
    for line in equal_load.lines(result):
        yield Text(f"  {line}")
    for line in by_request.lines(result):
        yield Text(f"  {line}" if line else "")
    for line in details.lines(result):
        yield Text(f"  {line}" if line else "")


def _published(result: RaceResult) -> Iterator[Text]:
    """A study's own method: its figures and ours side by side, and what the gates say of ours."""
    for note in result.notes:
        yield Text(f"  {note}", "dim")
    yield Text("")
    for line in published_table.lines(result):
        yield Text(f"  {line}")
    yield Text("")
    for line in published_table.ratios(result):
        yield Text(f"  {line}")
    yield Text("  " + gates.summary(result), "dim")
    for row_id, gate in published_table.broken_below(result):
        yield Text(f"  ! {row_id}: {gate}", "yellow")


def _table(result: RaceResult, margin: float, width: int) -> Iterator[Text]:
    rows = [
        (before, row.id, words.amount(result.judged, words.own_measure(result.judged, row)), row)
        for before, row in _grouped(result)
    ]
    group = max(len(before) for before, _, _, _ in rows)
    name = max(len(id_) for _, id_, _, _ in rows)
    amount = max(len(text) for _, _, text, _ in rows)
    for before, id_, text, row in rows:
        head = f"  {before.rjust(group)} " if group else "  "
        head += f"{id_:<{name}}  {text:>{amount}}"
        standing = verdicts.standing(result, row, margin, with_replies=len(rows) <= ROWS_WITH_REPLIES)
        style = "" if row.status == "measured" else "dim"
        if len(head) + 3 + len(standing) <= width or row.status != "measured":
            yield Text(f"{head}   {standing}", style)
        else:
            yield Text(head, style)
            yield Text(f"      {standing}", style)


def _grouped(result: RaceResult) -> Iterator[tuple[str, ContenderResult]]:
    """Rows, each with its place; or with its answer to the reference, which the first of a group says."""
    said = ""
    for row in result.contenders:
        before = verdicts.group(result, row)
        yield (before if row.place is not None or before != said else "", row)
        said = before
