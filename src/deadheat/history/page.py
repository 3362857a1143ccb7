"""The trend page: one file that asks nothing of any network, in the report's own clothes."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from deadheat import __version__
from deadheat.history.listing import CONTEXT, caveats, figures
from deadheat.history.tables import ContextRow
from deadheat.history.trend import Point, Series
from deadheat.report import words
from deadheat.report.axis import Axis
from deadheat.report.html import text
from deadheat.report.html.hardened import hardened, static
from deadheat.util import clock

TICKS = 7
POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Line:
    """A run's line: positions are shares of the picture's width, in hundredths."""

    point: Point
    x: float
    left: float | None
    right: float | None
    level: float
    ratio: str
    interval: str
    change: str | None


@dataclass(frozen=True)
class Trend:
    """One series as the page shows it, the newest run first."""

    series: Series
    name: str
    sentence: str
    facts: str
    ticks: tuple[tuple[float, str], ...]
    one: float | None
    lines: tuple[Line, ...]
    caveats: tuple[str, ...]


def render(title: str, series: Sequence[Series], context: Sequence[ContextRow]) -> str:
    """The page of these trends; `context` are other tools' figures to stand beside them."""
    style = static("deadheat.report.html", "style.css") + static("deadheat.history", "trend.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = hardened("deadheat.history")
    environment.filters["short"] = text.short
    return environment.get_template("trend.html.j2").render(
        title=title,
        trends=[trend_of(one) for one in series],
        context=[(row, figures(row)) for row in context],
        context_title=CONTEXT[0].upper() + CONTEXT[1:],
        style=Markup(style),
        policy=f"{POLICY}; style-src 'sha256-{digest}'",
        made=clock.stamp(),
        version=__version__,
    )


def trend_of(series: Series) -> Trend:
    """A series as a page shows it (templates/trends.html.j2)."""
    axis = _axis(series.points)
    levels = _levels(series.points)
    lines = tuple(_line(axis, point, level) for point, level in zip(series.points, levels, strict=True))
    setting = f" [{series.setting}]" if series.setting else ""
    method = f" ({series.method})" if series.method != "deadheat" else ""
    ticks = tuple((_percent(axis, tick), f"{tick:g}") for tick in axis.ticks(TICKS))
    return Trend(
        series=series,
        name=f"{series.workload}{setting}{method}",
        sentence=_sentence(series),
        facts=" · ".join(filter(None, (series.load, series.machine))),
        ticks=ticks,
        one=_percent(axis, 1.0) if axis.low <= 1 <= axis.high else None,
        lines=tuple(reversed(lines)),
        caveats=tuple(caveats(series)),
    )


def _sentence(series: Series) -> str:
    newest = series.points[-1]
    now_ = f"{words.ratio(newest.ratio)} times as fast in the newest run"
    changed = [point for point in series.points if point.change is not None]
    if changed:
        last = changed[-1]
        commit = f", commit {text.short(last.commit, 20)}" if last.commit else ""
        assert last.change is not None
        change = words.ratio(last.change)
        return f"{now_}; the level changed last with {text.short(last.run)}{commit}: {change} times"
    return f"{now_}; no change of level is seen" if series.enough else now_


def _line(axis: Axis, point: Point, level: float) -> Line:
    change = None
    if point.change is not None:
        commit = f" (commit {text.short(point.commit, 20)})" if point.commit else ""
        level_now = f"{words.ratio(point.change)} times the one before"
        change = f"from {text.short(point.run)}{commit} on the level is {level_now}"
    return Line(
        point=point,
        x=_percent(axis, point.ratio),
        left=_percent(axis, point.ci[0]) if point.ci else None,
        right=_percent(axis, point.ci[1]) if point.ci else None,
        level=_percent(axis, level),
        ratio=words.ratio(point.ratio),
        interval=words.interval(point.ci),
        change=change,
    )


def _levels(points: Sequence[Point]) -> list[float]:
    """Of each run the level that it belongs to: the geometric mean between two changes."""
    edges = [0, *(n for n, point in enumerate(points) if point.change is not None), len(points)]
    logs = np.log([point.ratio for point in points])
    return [math.exp(float(logs[i:j].mean())) for i, j in pairwise(edges) for _ in range(i, j)]


def _axis(points: Sequence[Point]) -> Axis:
    """Wide enough for every interval, and never so narrow that noise fills it."""
    ends = [end for point in points for end in (point.ci or (point.ratio, point.ratio))]
    low, high = min(ends), max(ends)
    room = max(math.log(high / low) * 0.06, math.log(1.05))
    return Axis(low * math.exp(-room), high * math.exp(room))


def _percent(axis: Axis, value: float) -> float:
    return round(100 * axis.at(value), 2)
