"""The table of verdicts at the terminal: what gets pasted."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from deadheat.model.result import ContenderResult, Results, WorkloadResult
from deadheat.report import (
    claims_table,
    curve,
    details,
    equal_load,
    findings_lines,
    forest,
    published_table,
    words,
)

_STYLES = {"faster": "bold", "dead heat": "cyan", "inconclusive": "yellow", "invalid": "red"}


def show(results: Results, console: Console) -> None:
    """Print everything that a person needs to know, widest 80 columns where the figures allow."""
    for result in results.workloads:
        for line in workload(result, results.margin, console.width):
            console.print(line, soft_wrap=True, highlight=False)
        console.print()
    for title, table in curve.tables(results):
        console.print(Text(title, "bold"), soft_wrap=True, highlight=False)
        for text in details.aligned(table):
            console.print(Text(f"  {text}"), soft_wrap=True, highlight=False)
        console.print()
    for line in claims(results, console.width):
        console.print(line, soft_wrap=True, highlight=False)
    if results.stopped:
        console.print(Text(f"stopped before the plan's end: {results.stopped}", "yellow"), soft_wrap=True)
    if results.resumed:
        console.print(Text(f"resumed {results.resumed} time(s)", "yellow"), soft_wrap=True)


def workload(result: WorkloadResult, margin: float, width: int) -> Iterator[Text]:
    """The lines of one race."""
    yield Text(words.headline(result), "bold")
    yield Text("")
    if result.method == "as-published":
        yield from _published(result)
        return
    yield from _table(result, margin, width)
    if not result.slices:
        # Nothing was raced: gates and plots of nothing would only hide the reasons above.
        return
    plot = forest.draw(forest.marks(result), margin, min(width, 80) - 2)
    if plot:
        yield Text("")
        yield from (Text(line) for line in plot)
    yield Text("")
    for verdict in result.verdicts:
        yield Text("  " + words.sentence(verdict, margin), _STYLES[verdict.verdict])
    for line in equal_load.lines(result):
        yield Text(f"  {line}")
    for line in details.lines(result):
        yield Text(f"  {line}" if line else "")
    for line in findings_lines.lines(result):
        yield Text(f"  {line}", "dim")
    yield Text("  " + gate_line(result), "dim")
    for row_id, gate in broken_gates(result):
        yield Text(f"  ! {row_id}: {gate}", "yellow")


def _published(result: WorkloadResult) -> Iterator[Text]:
    """A study's own method: its figures and ours side by side, and what the gates say of ours."""
    for note in result.notes:
        yield Text(f"  {note}", "dim")
    yield Text("")
    for line in published_table.lines(result):
        yield Text(f"  {line}")
    yield Text("")
    for line in published_table.ratios(result):
        yield Text(f"  {line}")
    yield Text("  " + gate_line(result), "dim")
    for row_id, gate in broken_gates(result):
        yield Text(f"  ! {row_id}: {gate}", "yellow")


def claims(results: Results, width: int, *, whole: bool = False) -> Iterator[Text]:
    """A table a study: the statement, what became of it, the ratio here; `whole`: also what was not run."""
    for study, rows, gates in claims_table.by_study(results):
        told = claims_table.shown(rows)
        yield Text(f"claims · {study} · {claims_table.totals(told)}", "bold")
        told = [row for row in told if whole or row.outcome != "not run"]
        statement = max((len(claims_table.name(row)) for row in told), default=0)
        for row in told:
            outcome = (row.outcome.ljust(14), claims_table.OUTCOME_STYLES[row.outcome])
            here = claims_table.here(row)
            if statement + 20 + len(here) <= width:
                yield Text.assemble(f"  {claims_table.name(row):<{statement}}  ", outcome, "  ", here)
            else:
                yield Text.assemble(f"  {claims_table.name(row)}")
                yield Text.assemble("    ", outcome, "  ", here)
        for why, count in ({} if whole else claims_table.not_run(rows)).items():
            yield Text(f"  not run ({count}): {why}", "dim")
        for gate in gates:
            yield Text(f"  ! {claims_table.gate(gate)}", "yellow")
        yield Text("")


def _table(result: WorkloadResult, margin: float, width: int) -> Iterator[Text]:
    rows = [
        (_place(row), row.id, words.amount(result.metric, words.own_measure(result.metric, row)), row)
        for row in result.contenders
    ]
    name = max(len(id_) for _, id_, _, _ in rows)
    amount = max(len(text) for _, _, text, _ in rows)
    for place, id_, text, row in rows:
        head = f"  {place:>3} {id_:<{name}}  {text:>{amount}}"
        standing = words.standing(result, row, margin)
        style = "" if row.status == "measured" else "dim"
        if len(head) + 3 + len(standing) <= width or row.status != "measured":
            yield Text(f"{head}   {standing}", style)
        else:
            yield Text(head, style)
            yield Text(f"      {standing}", style)


def _place(row: ContenderResult) -> str:
    if row.place is None:
        return words.DASH
    return f"{row.place}{'=' if row.shares_place else '.'}"


def gate_line(result: WorkloadResult) -> str:
    """`gates: 14 of 14 hold · null pair 1.00 (0.98 to 1.02) · the best is at 49% of the ceiling`."""
    # The ceiling is where the generator is the limit: that is what it is for.
    rivals = [row for row in result.contenders if row.class_ != "ceiling"]
    gates = [*result.gates, *(gate for row in rivals for gate in row.gates)]
    parts = [f"gates: {sum(gate.ok for gate in gates)} of {len(gates)} hold"]
    if result.method == "as-published":
        parts.append("one figure of each: no null pair, no verdict")
    elif result.null_pair is None:
        parts.append("no null pair yet")
    else:
        parts.append(
            f"null pair {words.ratio(result.null_pair.ratio)} ({words.interval(result.null_pair.ci)})"
        )
    shares = [r.of_ceiling for r in result.contenders if r.of_ceiling is not None and r.class_ != "ceiling"]
    if shares:
        parts.append(f"the best is at {max(shares):.0%} of this machine's ceiling")
    return " · ".join(parts)


def broken_gates(result: WorkloadResult) -> Iterator[tuple[str, str]]:
    """Whose gate broke, and what to do; a ceiling that meets the generator's limit is what it is for."""
    for gate in result.gates:
        if not gate.ok:
            yield "race", f"{gate.name}: {gate.advice}"
    for row in result.contenders:
        for gate in row.gates:
            if not gate.ok and row.class_ != "ceiling":
                yield row.id, f"{gate.name}: {gate.advice}"
