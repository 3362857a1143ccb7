"""The page on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deadheat.explain.markdown import DASH, cell, ratio
from deadheat.explain.page import Page, Row

NAME_WIDTH = 60


def show(page: Page, console: Console) -> None:
    """Print it."""
    _line(console, f"{page.a} against {page.b} · {page.workload} · {page.conditions}", "bold")
    _line(
        console,
        "each instrument had short runs of its own; none of this is a measurement of a race",
        "dim",
    )
    _table(console, page, page.per, page.rows)
    _table(console, page, f"system calls {page.per}", page.calls)
    _table(console, page, f"HTTP/2 frames {page.per}", page.frames)
    _table(console, page, f"CPU time {page.per}, by samples", page.functions)
    _list(console, "known patterns", (f"{p.contender} {p.text} ({p.name})" for p in page.patterns))
    _costs(console, page)
    _list(
        console,
        "missing",
        (
            f"{g.instrument}, {' and '.join(g.contenders)}: {g.why}{f' ({g.install})' if g.install else ''}"
            for g in page.gaps
        ),
    )
    _list(console, "pictures", (f"{p.file}: {p.title}" for p in page.pictures))
    _list(console, "notes", page.notes)
    console.print()
    for sentence in page.sentences or ("No difference of a tenth or more was found.",):
        _line(console, sentence, "bold")


def _table(console: Console, page: Page, title: str, rows: Iterable[Row]) -> None:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column(title, no_wrap=True, max_width=NAME_WIDTH)
    for name in (page.a, page.b, "ratio"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(Text(row.label), cell(row.a, row.unit), cell(row.b, row.unit), ratio(row.a, row.b))
    if table.row_count:
        console.print()
        console.print(table, highlight=False)


def _costs(console: Console, page: Page) -> None:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("speed that was left under", no_wrap=True)
    for name in (page.a, page.b):
        table.add_column(name, justify="right")
    for cost in page.costs:
        table.add_row(cost.title, *(DASH if share is None else f"{share:.0%}" for share in (cost.a, cost.b)))
    if table.row_count:
        console.print()
        console.print(table, highlight=False)


def _list(console: Console, title: str, lines: Iterable[str]) -> None:
    shown = list(lines)
    if not shown:
        return
    console.print()
    _line(console, f"  {title}", "dim")
    for line in shown:
        _line(console, f"  - {line}")


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True, highlight=False)
