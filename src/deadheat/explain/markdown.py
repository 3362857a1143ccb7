"""The page as Markdown: explain.md, and what the terminal prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from deadheat.explain.page import Page, Row
from deadheat.explain.sentences import figure

DASH = "-"


def render(page: Page) -> str:
    """The whole page."""
    parts = [
        f"# {page.a} against {page.b}: {page.workload}",
        f"{page.when}, {page.conditions}; each instrument had short runs of its own. "
        "None of this is a measurement of a race.",
        *_section(f"{_upper(page.per)}", _table(page, page.rows)),
        *_section(f"System calls {page.per}", _table(page, page.calls)),
        *_section(f"HTTP/2 frames {page.per}", _table(page, page.frames)),
        *_section(f"Where the CPU time goes {page.per}, by samples", _table(page, page.functions)),
        *_section("Known patterns", [f"- **{p.contender}**, {p.name}: it {p.text}." for p in page.patterns]),
        *_section("Pictures", [f"- [{p.title}]({p.file})" for p in page.pictures]),
        *_section("What the instruments cost", _costs(page)),
        *_section("What is missing", _gaps(page)),
        *_section("Notes", [f"- {note}" for note in page.notes]),
        *_section("In short", [*page.sentences] or ["No difference of a tenth or more was found."]),
        f"Again: `{shlex.join(page.command)}`",
    ]
    return "\n\n".join(parts) + "\n"


def cell(value: float | None, unit: str = "") -> str:
    """A figure with its unit; a dash where it could not be had."""
    if value is None:
        return DASH
    return f"{figure(value)} {unit}".rstrip() if value else "0"


def ratio(a: float | None, b: float | None) -> str:
    """b over a, where both are there."""
    if a is None or b is None or a <= 0 or b <= 0:
        return ""
    return figure(b / a)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "\n".join(lines)] if lines else []


def _table(page: Page, rows: Iterable[Row]) -> list[str]:
    shown = [
        f"| {' | '.join((_escaped(r.label), cell(r.a, r.unit), cell(r.b, r.unit), ratio(r.a, r.b)))} |"
        for r in rows
    ]
    if not shown:
        return []
    return [f"| | {page.a} | {page.b} | ratio |", "| --- | ---: | ---: | ---: |", *shown]


def _costs(page: Page) -> list[str]:
    if not page.costs:
        return []
    head = [
        "The speed that was left under each, as a share of that without any; above 100% is noise:",
        "",
        f"| | {page.a} | {page.b} |",
        "| --- | ---: | ---: |",
    ]
    return head + [f"| {cost.title} | {_percent(cost.a)} | {_percent(cost.b)} |" for cost in page.costs]


def _percent(share: float | None) -> str:
    return DASH if share is None else f"{share:.0%}"


def _gaps(page: Page) -> list[str]:
    return [
        f"- {gap.instrument} ({' and '.join(gap.contenders)}): {gap.why}"
        + (f"; {gap.install}" if gap.install else "")
        for gap in page.gaps
    ]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
