"""Bencher's metric format (BMF): benchmark -> measure -> value with its interval."""

from __future__ import annotations

import json

from deadheat.export.figures import Figure, figures, measured
from deadheat.export.format import Format, Rendered, text
from deadheat.export.source import Source

# Measures that Bencher knows by itself have units of their own: latency in nanoseconds.
BUILT_IN = {"wall-time": ("latency", 1e9), "latency-p99": ("latency-p99", 1e6)}


def render(source: Source) -> Rendered:
    benchmarks = {
        f"{race.key} {row.id}": dict(_metric(figure) for figure in figures(race, row))
        for race in source.races
        for row in measured(race)
    }
    return text("bencher.json", json.dumps(benchmarks, indent=2, ensure_ascii=False) + "\n")


def _metric(figure: Figure) -> tuple[str, dict[str, float]]:
    slug, scale = BUILT_IN.get(figure.name, (figure.name, 1.0))
    metric = {"value": figure.value * scale}
    if figure.ci is not None:
        metric |= {"lower_value": figure.ci[0] * scale, "upper_value": figure.ci[1] * scale}
    return slug, metric


FORMAT = Format(
    "bencher",
    "Bencher's metric format: bencher run --adapter json --file FILE",
    "deadheat export latest --to bencher --out bmf.json",
    render,
)
