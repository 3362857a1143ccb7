"""Pictures of a race as Vega-Lite charts: forest plot, throughput against CPU, latency, turns over time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import altair as alt

from deadheat.export.source import Race, Source
from deadheat.report import forest, words
from deadheat.report.html.evidence import Evidence, evidence

WIDTH, HEIGHT, ROW = 620, 320, 22
# Okabe and Ito's colours, told apart by colour-blind people too; then the same again.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
NINES = (1, 2, 4, 10, 100, 1_000, 10_000)
# More turns than this of one contender are a smear, and a file of megabytes.
MOST_TURNS = 400


def charts(source: Source) -> Iterator[tuple[str, Any]]:
    """Names for files, and charts; a race has those that it has figures for."""
    seen = evidence(source.observations)
    for race in source.races:
        name = re.sub(r"[^A-Za-z0-9.]+", "-", race.key).strip("-") or "race"
        found = seen.get(race.key, Evidence())
        for kind, chart in (
            ("forest", _forest(source, race)),
            ("throughput-cpu", _throughput_cpu(source, race)),
            ("latency", _latency(source, race, found)),
            ("turns", _turns(source, race, found)),
        ):
            if chart is not None:
                yield f"{name}-{kind}", _dressed(chart)


def _forest(source: Source, race: Race) -> Any:
    marks = forest.marks(race.result)
    if not marks:
        return None
    margin = source.results.margin
    rows = [
        {
            "who": mark.label,
            "ratio": mark.ratio,
            "low": mark.ci[0] if mark.ci else mark.ratio,
            "high": mark.ci[1] if mark.ci else mark.ratio,
            "null": mark.label == "null pair",
        }
        for mark in marks
    ]
    x = alt.Scale(type="log", nice=False, padding=20)
    y = alt.Y("who:N", sort=[mark.label for mark in marks], title=None, axis=alt.Axis(labelLimit=220))
    colour = alt.condition("datum.null", alt.value("#767676"), alt.value(COLOURS[0]))
    title = f"times {words.as_good(race.result.judged_by)} as {race.result.reference}, 95% interval"
    base = alt.Chart(_data(rows))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=x, title=title), x2="high:Q", y=y, color=colour
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(x="ratio:Q", y=y, color=colour)
    band = alt.Chart(_data([{"from": 1 / (1 + margin), "to": 1 + margin}]))
    one = alt.Chart(_data([{"at": 1}]))
    return (
        band.mark_rect(color="#DDDDDD").encode(x="from:Q", x2="to:Q")
        + one.mark_rule(color="#555555").encode(x="at:Q")
        + bars
        + points
    ).properties(
        title=_title(race, words.unit(race.result.judged, race.result.kind)),
        width=WIDTH,
        height=ROW * len(rows) + 10,
    )


def _throughput_cpu(source: Source, race: Race) -> Any:
    rows = [
        {
            "who": row.id,
            "rps": row.figures.throughput_rps.estimate,
            "rps_low": (row.figures.throughput_rps.ci or (row.figures.throughput_rps.estimate,) * 2)[0],
            "rps_high": (row.figures.throughput_rps.ci or (row.figures.throughput_rps.estimate,) * 2)[1],
            "cpu": row.figures.cpu_us_per_request.estimate,
        }
        for row in race.result.contenders
        if row.figures.throughput_rps is not None and row.figures.cpu_us_per_request is not None
    ]
    if not rows:
        return None
    rate, cpu = words.rate(race.result.kind), f"µs of CPU a {words.asked(race.result.kind)}"
    y = alt.Scale(type="log", nice=False, padding=20)
    x = alt.X("cpu:Q", scale=alt.Scale(type="log", nice=False, padding=30), title=cpu)
    near: dict[str, Any] = {"align": "left", "dx": 7, "dy": -7, "limit": 220}
    base = alt.Chart(_data(rows))
    return (
        base.mark_rule().encode(x=x, y=alt.Y("rps_low:Q", scale=y, title=rate), y2="rps_high:Q")
        + base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(x=x, y="rps:Q")
        # Twice: a white edge keeps a name readable where it crosses another's interval.
        + base.mark_text(**near, stroke="white", strokeWidth=3).encode(x=x, y="rps:Q", text="who:N")
        + base.mark_text(**near).encode(x=x, y="rps:Q", text="who:N")
    ).properties(title=_title(race, "throughput against CPU"), width=WIDTH, height=HEIGHT)


def _latency(source: Source, race: Race, found: Evidence) -> Any:
    shown = {entry.id for entry in race.plan.entries if not entry.null}
    curves = [curve for curve in found.curves if curve.entry in shown and curve.points]
    if not curves:
        return None
    rows = [
        {"who": curve.entry, "nines": 1 / (1 - percentile / 100), "ms": ms}
        for curve in curves
        for percentile, ms in curve.points
    ]
    names = [curve.entry for curve in curves]
    rate = words.rate(race.result.kind)
    at = f"at {curves[0].at_rps:,.0f} {rate} each" if curves[0].at_rps else "closed loop"
    axis = alt.Axis(values=list(NINES), labelExpr="format(1 - 1 / datum.value, '.4~%')")
    return (
        alt.Chart(_data(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("nines:Q", scale=alt.Scale(type="log", nice=False), axis=axis, title="percentile"),
            y=alt.Y("ms:Q", scale=alt.Scale(type="log", nice=False), title="latency, ms"),
            color=_colours(names),
            strokeDash=_dashes(names),
        )
        .properties(title=_title(race, f"latency, {at}"), width=WIDTH, height=HEIGHT)
    )


def _turns(source: Source, race: Race, found: Evidence) -> Any:
    if found.turns is None or not found.turns.of:
        return None
    null = race.plan.null_entry
    order = [entry.id for entry in race.plan.entries if entry.id in found.turns.of]
    rows = [
        {"who": "null pair" if entry == null else entry, "s": at, "speed": speed}
        for entry in order
        for at, speed in _thinned(found.turns.of[entry])
    ]
    panel = (
        alt.Chart(_data(rows))
        .mark_circle(size=10, opacity=0.7, color=COLOURS[0])
        .encode(
            x=alt.X("s:Q", title="seconds since the first turn"),
            y=alt.Y(
                "speed:Q",
                title=None,
                scale=alt.Scale(type="log", domain=[0.5, 2], clamp=True),
                axis=alt.Axis(values=[0.5, 1, 2]),
            ),
        )
        .properties(width=WIDTH - 120, height=40)
    )
    return panel.facet(
        row=alt.Row(
            "who:N",
            title=None,
            sort=["null pair" if entry == null else entry for entry in order],
            header=alt.Header(labelAngle=0, labelAlign="left", labelLimit=140),
        ),
        spacing=6,
    ).properties(
        title=_title(race, "each turn's speed against its contender's median (beyond 2 at the edge)")
    )


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    step = -(-len(points) // MOST_TURNS)
    return points[::step] if step > 1 else points


def _colours(names: list[str]) -> Any:
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=colours)
    return alt.Color("who:N", scale=scale, title=None, legend=alt.Legend(labelLimit=220, symbolLimit=0))


def _dashes(names: list[str]) -> Any:
    """Where the colours begin again, another line."""
    dashes = [DASHES[place // len(COLOURS) % len(DASHES)] for place in range(len(names))]
    return alt.StrokeDash("who:N", scale=alt.Scale(domain=names, range=dashes), title=None)


def _data(rows: list[dict[str, Any]]) -> Any:
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def _title(race: Race, what: str) -> Any:
    """What is seen, and below it how much was measured, or that not all of it was."""
    under = f"{race.result.blocks} blocks, {race.result.slices:,} turns"
    if race.unfinished:
        under = f"half-done: {race.unfinished}"
    return alt.TitleParams(f"{race.key}: {what}", subtitle=under, anchor="start")


def _dressed(chart: Any) -> Any:
    return chart.configure(background="white", padding=12).configure_axis(
        labelFontSize=11, titleFontSize=11, titleFontWeight="normal"
    )
