"""Runs, trends and imported figures as lines for a terminal, or as JSON."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deadheat.errors import UserError
from deadheat.history import store, trend
from deadheat.history.database import History
from deadheat.history.tables import ContextRow, RunRow
from deadheat.history.trend import FEWEST, Series
from deadheat.report import words

if TYPE_CHECKING:
    from rich.console import Console

# What a tool counts that counts no requests.
COUNTS = {"ghz": "calls/s"}
CONTEXT = "context, from other tools and times: no interval, no part of any verdict"


def print_runs(history: History, console: Console, *, as_json: bool) -> None:
    """Every run, the newest first, and what was imported."""
    found, context = store.runs(history), store.context(history)
    if as_json:
        document = {"runs": [_run(run) for run in found], "context": [_context(row) for row in context]}
        console.file.write(json.dumps(document, indent=2) + "\n")
        return
    for run in found:
        raced = ", ".join(dict.fromkeys(row.workload for row in run.rows))
        mark = f"  half-done: {run.unfinished}" if run.unfinished else ""
        _say(console, f"{run.id:<24}  {run.commit or words.DASH:<18}  {run.machine}  {raced}{mark}")
    if not found:
        _say(
            console,
            f"{history.name}: no run yet; every race that ends is kept, and history add RUN keeps one",
        )
    _print_context(context, console)


def series_of(history: History, workload: str, contender: str | None) -> list[Series]:
    """The trends of a contender, or of all of a workload. Raises UserError for names that never raced."""
    _check_names(history, workload, contender)
    rows = store.contenders(history, workload, contender)
    each = dict.fromkeys(row.contender for row in rows)
    return [one for name in each for one in trend.series([row for row in rows if row.contender == name])]


def print_trend(
    history: History, workload: str, contender: str | None, console: Console, *, as_json: bool
) -> None:
    """The ratio over runs, changes marked, the commit beside each."""
    found = series_of(history, workload, contender)
    context = context_of(history, workload, contender)
    if as_json:
        document = {
            "series": [dataclasses.asdict(series) for series in found],
            "context": [_context(row) for row in context],
        }
        console.file.write(json.dumps(document, indent=2) + "\n")
        return
    for series in found:
        _print_series(series, console)
    if not found:
        _say(console, f"{contender or workload}: no ratio yet: it is the reference, or was raced alone")
    _print_context(context, console)


def context_of(history: History, workload: str, contender: str | None) -> list[ContextRow]:
    """Other tools' figures that were imported for a workload, or one contender of it."""
    return [row for row in store.context(history, workload) if contender in (None, row.contender)]


def headline(series: Series) -> str:
    """`http-hello · rust-axum against go-net-http · 64 connections · Xeon, 2 cores`."""
    name = series.workload + (f" [{series.setting}]" if series.setting else "")
    name += f" ({series.method})" if series.method != "deadheat" else ""
    parts = [name, f"{series.contender} against {series.reference}", series.load, series.machine]
    return " · ".join(part for part in parts if part)


def caveats(series: Series) -> list[str]:
    """What is to be known of a trend beside its points."""
    said = []
    if not series.enough:
        said.append(f"changes are looked for from {FEWEST} runs on")
    if series.left_out:
        said.append(f"{series.left_out} more runs had another machine, reference or load, and are left out")
    return said


def _print_series(series: Series, console: Console) -> None:
    _say(console, headline(series))
    for point in series.points:
        ratio = f"{words.ratio(point.ratio)} ({words.interval(point.ci)})"
        marks = "  half-done" if point.unfinished else ""
        if point.change is not None:
            marks += f"  ← change: {words.ratio(point.change)} times the level before"
        _say(console, f"  {point.run:<24}  {point.commit or words.DASH:<18}  {ratio:<24}{marks}".rstrip())
    for caveat in caveats(series):
        _say(console, f"  {caveat}")


def _print_context(rows: Sequence[ContextRow], console: Console) -> None:
    if rows:
        _say(console, CONTEXT)
    for row in rows:
        whose = " ".join(filter(None, (row.workload, row.contender))) or words.DASH
        _say(console, f"  {row.tool:<9}  {whose}  {row.name}  {figures(row)}  (no interval)")


def figures(row: ContextRow) -> str:
    """What a foreign tool found, in its own figures."""
    said = []
    if row.throughput_rps is not None:
        rate = COUNTS.get(row.tool, "requests/s")
        said.append(f"{words.figure(row.throughput_rps)} {rate}")
    if row.wall_s is not None:
        said.append(words.seconds(row.wall_s))
    said += [
        f"{name} {words.figure(row.latency_ms[name])} ms"
        for name in ("mean", "p99")
        if name in row.latency_ms
    ]
    if row.errors:
        said.append(f"errors: {', '.join(f'{name} {count}' for name, count in row.errors.items())}")
    return ", ".join(said)


def _check_names(history: History, workload: str, contender: str | None) -> None:
    known = store.names(history)
    if workload not in known:
        raise UserError(f'no run in the history raced "{workload}"', hint=_near(workload, known))
    if contender is not None and contender not in known[workload]:
        raise UserError(
            f'no run in the history measured "{contender}" in {workload}',
            hint=_near(contender, known[workload]),
        )


def _near(name: str, known: Sequence[str] | set[str] | dict[str, set[str]]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f'did you mean "{near[0]}"?' if near else f"there is {', '.join(sorted(known)) or 'nothing yet'}"


def _say(console: Console, line: str) -> None:
    console.out(line, highlight=False)


def _run(run: RunRow) -> dict[str, object]:
    return {
        "run": run.id,
        "started": run.started,
        "commit": run.commit,
        "machine": run.machine,
        "preset": run.preset,
        "unfinished": run.unfinished,
        "folder": run.folder,
        "workloads": list(dict.fromkeys(row.workload for row in run.rows)),
    }


def _context(row: ContextRow) -> dict[str, object]:
    return {
        "tool": row.tool,
        "name": row.name,
        "file": row.file,
        "workload": row.workload,
        "contender": row.contender,
        "requests": row.requests,
        "throughput_rps": row.throughput_rps,
        "wall_s": row.wall_s,
        "latency_ms": row.latency_ms,
        "errors": row.errors,
        "interval": None,
    }
