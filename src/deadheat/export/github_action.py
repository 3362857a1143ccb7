"""github-action-benchmark: `customBiggerIsBetter` and `customSmallerIsBetter`, a file for each."""

from __future__ import annotations

import json

from deadheat.export.figures import Figure, figures, measured
from deadheat.export.format import Format, Rendered
from deadheat.export.source import Race, Source
from deadheat.model.result import ContenderResult


def render(source: Source) -> Rendered:
    rows = [(race, row, f) for race in source.races for row in measured(race) for f in figures(race, row)]
    files = {
        f"{tool}.json": _json([_entry(race, row, f) for race, row, f in rows if f.more_is_better is bigger])
        for tool, bigger in (("customBiggerIsBetter", True), ("customSmallerIsBetter", False))
    }
    return Rendered(files)


def _entry(race: Race, row: ContenderResult, figure: Figure) -> dict[str, str | float]:
    entry: dict[str, str | float] = {
        "name": f"{race.key} {row.id} {figure.name}",
        "unit": figure.unit,
        "value": figure.value,
    }
    if figure.ci is not None:
        entry["range"] = f"{figure.ci[0]:.4g} to {figure.ci[1]:.4g}"
    extra = f"{race.result.blocks} blocks"
    if race.unfinished:
        extra = f"half-done: {race.unfinished}"
    return entry | {"extra": extra}


def _json(entries: list[dict[str, str | float]]) -> bytes:
    return (json.dumps(entries, indent=2, ensure_ascii=False) + "\n").encode()


FORMAT = Format(
    "github-action-benchmark",
    "a file for each of the action's tools customBiggerIsBetter and customSmallerIsBetter",
    "deadheat export latest --to github-action-benchmark --out benchmark",
    render,
    several=True,
)
