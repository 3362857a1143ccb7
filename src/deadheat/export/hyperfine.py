"""hyperfine's JSON (`--export-json`): the wall times of programs that run to completion."""

from __future__ import annotations

import json
import statistics
from typing import Any

from deadheat.errors import UserError
from deadheat.export.format import Format, Rendered, text
from deadheat.export.source import Race, Source
from deadheat.model.observation import Invocation


def render(source: Source) -> Rendered:
    """Raises UserError where the run has no program: a server under load has no time of its own."""
    results, notes = [], []
    for race in source.races:
        timed = [_result(race, entry.id) for entry in race.plan.entries if not entry.null]
        timed = [result for result in timed if result is not None]
        if not timed:
            notes.append(f"{race.key}: no program that runs to completion, so it is left out")
        results += timed
    if not results:
        raise UserError(
            "hyperfine's format holds times of programs, and this run has none",
            hint="--to csv, bencher or gobench hold servers too",
        )
    return text("hyperfine.json", json.dumps({"results": results}, indent=2) + "\n", tuple(notes))


def _result(race: Race, entry: str) -> dict[str, Any] | None:
    runs = [turn for turn in race.tally.of(entry) if isinstance(turn, Invocation)]
    if not runs:
        return None
    times = [run.wall_s for run in runs]
    parameters = {"workload": race.plan.workload, "contender": entry}
    if race.plan.setting:
        parameters["setting"] = race.plan.setting
    if race.result.n is not None:
        parameters["n"] = str(race.result.n)
    return {
        "command": f"{race.key}: {entry}",
        "mean": statistics.fmean(times),
        "stddev": statistics.stdev(times) if len(times) > 1 else None,
        "median": statistics.median(times),
        "user": statistics.fmean(run.user_s for run in runs),
        "system": statistics.fmean(run.system_s for run in runs),
        "min": min(times),
        "max": max(times),
        "times": times,
        "exit_codes": [0] * len(times),
        "parameters": parameters,
    }


FORMAT = Format(
    "hyperfine",
    "hyperfine's JSON of every program's times, for its scripts and whatever reads them",
    "deadheat export latest --to hyperfine --out times.json",
    render,
)
