"""A race of gRPC servers by `deadheat race`, and ratios of any two of its rows: what bench/grpc_bars.py and
bench/grpc_changes.py stand on."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.programs import ended
from deadheat.model.result import ContenderResult, Measure, RaceResult, Results
from deadheat.report import words
from deadheat.stats.estimate import Estimate, estimate


def race(workload: str, contenders: Sequence[str], budget: str, out: Path | None) -> tuple[Results, str]:
    """Race them, or read the results.json of a run that was raced before; with the command that did it."""
    if out is not None:
        text = out.read_text()
    else:
        named = [part for contender in contenders for part in ("-c", contender)]
        command = ["race", workload, *named, "--budget", budget, "--json"]
        with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as runs:
            argv = [str(Path(sys.executable).with_name("deadheat")), *command, "--out", runs]
            with Path(runs, "printed.json").open("w+") as printed:
                code = ended(argv, stdout=printed)
                printed.seek(0)
                text = printed.read()
        # Nothing settled is a result too; what was not measured is seen below.
        if not text:
            sys.exit(f"deadheat {' '.join(command)} ended with {code}")
    results = Results.model_validate_json(text)
    return results, "deadheat " + " ".join(results.command[1:]).partition(" --out ")[0]


def row(result: RaceResult, id_: str) -> ContenderResult:
    """A contender that was measured; ends the program, with the reason, where it was not."""
    found = next((row for row in result.contenders if row.id == id_), None)
    if found is None:
        sys.exit(f"{id_} was not raced in {result.name}")
    if found.status != "measured":
        sys.exit(f"{id_} was not measured: {found.status}: {found.reason}")
    return found


def times_as_fast(a: ContenderResult, b: ContenderResult) -> Estimate:
    """By throughput, paired within blocks."""
    return _ratio(a.figures.throughput_rps, b.figures.throughput_rps)


def times_as_cheap(a: ContenderResult, b: ContenderResult) -> Estimate:
    """By CPU time a call, paired within blocks."""
    return _ratio(b.figures.cpu_us_per_request, a.figures.cpu_us_per_request)


def reported(found: Estimate) -> str:
    """`1.44 (1.33 to 1.55)`."""
    assert found.ratio is not None
    return f"{words.ratio(found.ratio)} ({words.interval(found.ci)})"


def of(results: Results, workload: str) -> RaceResult:
    """The race in the workload's own setting by our method."""
    for race_ in results.workloads:
        if (race_.name, race_.setting, race_.method) == (workload, None, "deadheat"):
            return race_
    sys.exit(f"{results.run} holds no race of {workload}")


def machine(results: Results, race_: RaceResult) -> str:
    """Where and how, for the reader of a table."""
    here = results.machine
    return (
        f"{race_.blocks} blocks of fresh starts, {race_.slices:,} slices in random order, a core for the "
        f"server and one for the load, {race_.connections} connections with {race_.streams} calls in flight "
        f"on each; {here.get('cpu_model') or here.get('cpu')}, {results.started[:10]}, seed {results.seed}. "
        "Ratios are paired within blocks, with 95% t intervals over blocks."
    )


def into(page: Path, name: str, text: str) -> None:
    """Put a text between the markers of a page that name it; ends the program where there are none."""
    begin, end = f"<!-- begin: {name} -->", "<!-- end -->"
    before, found, rest = page.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{page} has no place for this: {begin} ... {end}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def _ratio(a: Measure | None, b: Measure | None) -> Estimate:
    assert a is not None
    assert b is not None
    if len(a.blocks) != len(b.blocks):
        sys.exit("one of them left the race early: its blocks cannot be paired")
    return estimate(np.log(a.blocks) - np.log(b.blocks))
