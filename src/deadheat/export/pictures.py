"""svg and png: every chart of a run as a file of its own."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

from deadheat.errors import UserError
from deadheat.export.format import Format, Rendered
from deadheat.export.source import Source

#: Pixels of a PNG for each of the chart's own: sharp on a dense screen, and in a talk.
PNG_SCALE = 2


def render(source: Source, *, kind: str) -> Rendered:
    """Raises UserError where the run has nothing to draw."""
    # Slow to load, and the other formats do without.
    from deadheat.export.charts import charts

    files = {}
    for name, chart in charts(source):
        out = io.StringIO() if kind == "svg" else io.BytesIO()
        chart.save(out, format=kind, scale_factor=1 if kind == "svg" else PNG_SCALE)
        content = out.getvalue()
        files[f"{name}.{kind}"] = content.encode() if isinstance(content, str) else content
    if not files:
        raise UserError("this run has nothing to draw: nothing was measured, or one contender alone")
    return Rendered(files)


def _format(kind: str, what: str) -> Format:
    of_kind: Callable[[Source], Rendered] = partial(render, kind=kind)
    example = f"deadheat export latest --to {kind} --out pictures"
    return Format(kind, what, example, of_kind, several=True, binary=kind == "png")


SVG = _format("svg", "each chart as an SVG file: forest plots, throughput and CPU, latency, turns over time")
PNG = _format("png", "the same charts as PNG files, at twice their size")
