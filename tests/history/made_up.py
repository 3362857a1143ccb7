"""Results made up with a known truth: what the history, trends and comparisons are tried on."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from deadheat import stats
from deadheat.model.result import BySlices, Measure, RaceResult, Results, ServerResult, Verdict

CLASSES = {"go": "idiomatic", "rust": "idiomatic", "ceiling": "ceiling"}
MACHINE = {"cpu_model": "Quiet 9000", "cores": 2}


def results(
    run: str,
    ratios: dict[str, float] | None = None,
    *,
    started: str | None = None,
    commit: str | None = None,
    blocks: int = 6,
    within_sd: float = 0.02,
    seed: int = 1,
    connections: int = 64,
    machine: dict[str, Any] | None = None,
    **more: Any,
) -> Results:
    """A run of one workload. `ratios`: how many times as fast as go; `within_sd`: of a block's log ratio."""
    rng = random.Random(f"{run} {seed}")
    truth = {"go": 1.0, "rust": 1.5, "ceiling": 4.0, **(ratios or {})}
    shared = [rng.gauss(0, 0.2) for _ in range(blocks)]
    values = {
        name: [30_000 * truth[name] * math.exp(s + rng.gauss(0, within_sd / math.sqrt(2))) for s in shared]
        for name in truth
    }
    rows = tuple(_row(name, values) for name in truth)
    against = next(row.against_reference for row in rows if row.id == "rust")
    assert against is not None
    verdict = Verdict(
        a="rust", b="go", metric="throughput_rps", ratio=against.ratio, ci=against.ci, verdict="faster"
    )
    workload = RaceResult(
        name="http-hello",
        kind="http",
        title="HTTP hello",
        question="Who?",
        metric="throughput_rps",
        reference="go",
        measured=BySlices(connections=connections, streams=1),
        blocks=blocks,
        blocks_planned=blocks,
        slices=100,
        contenders=rows,
        null_pair=None,
        gates=(),
        verdicts=(verdict,),
    )
    return Results(
        run=run,
        version="0.1.0",
        preset="quick",
        command=("deadheat", "race"),
        commit=commit,
        started=started or f"2026-01-01T00:00:00Z {run}",
        seed=1,
        margin=0.02,
        machine=machine or MACHINE,
        workloads=(workload.model_copy(update=more),),
    )


def _row(name: str, values: dict[str, list[float]]) -> ServerResult:
    level = stats.estimate(np.log(values[name]))
    assert level.ratio is not None
    against = stats.estimate(np.log(values[name]) - np.log(values["go"]))
    share = stats.estimate(np.log(values[name]) - np.log(values["ceiling"]))
    return ServerResult.model_validate(
        {
            "name": name,
            "variant": None,
            "title": name,
            "language": name,
            "class": CLASSES.get(name, "idiomatic"),
            "status": "measured",
            "throughput_rps": Measure(estimate=level.ratio, ci=level.ci, blocks=tuple(values[name])),
            "of_ceiling": share.ratio,
            "against_reference": None if name == "go" else {"ratio": against.ratio, "ci": against.ci},
        }
    )
