"""A program run to its end under a tool: what every instrument of programs stands on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from deadheat import hosts
from deadheat.explain.reading import InstrumentError
from deadheat.explain.serving import added
from deadheat.hosts import StartError
from deadheat.hosts.program import Exit
from deadheat.kinds.program import arguments
from deadheat.kinds.services import start as services
from deadheat.model.pipeline import rounds_of
from deadheat.model.work.program import ProgramWork
from deadheat.run.kind import RaceUnavailableError, Stage

# Of a pipeline's commands, those that its figures are of: a single one makes a fraction of a system call.
THOUSAND = 1000
# The sizes of a pipeline under a tool that slows a program by 50 times.
LEAST_N, SMALL_N = 1, 1000


@dataclass(frozen=True)
class Ran:
    """One run: how it ended, and what the tool and the program `said` on both streams."""

    exit: Exit
    said: str


def work(stage: Stage) -> ProgramWork:
    assert stage.workload.program is not None
    return stage.workload.program


def sizes(stage: Stage) -> tuple[int, int, int]:
    """The least n, one that is short under a tool that slows a program by 50 times, and the race's own."""
    check, n = work(stage).n.check, stage.race.invocations.n
    if check is None:  # a pipeline, which is checked by its replies
        return LEAST_N, SMALL_N, n
    return check.range[0], check.random[1], n


def per(stage: Stage) -> str:
    """What figures are of: a run, or a thousand commands of a pipeline."""
    return "a thousand commands" if stage.workload.pipeline is not None else stage.workload.traits.per


def share(stage: Stage, n: int, less: int | None = None) -> float:
    """What the counts of a run of this size (less those of a smaller one) are multiplied by for that."""
    pipeline = stage.workload.pipeline
    if pipeline is None:
        return 1.0
    rounds = rounds_of(stage.race.values)
    commands = pipeline.commands(n, rounds) - (0 if less is None else pipeline.commands(less, rounds))
    return THOUSAND / commands


def run(
    stage: Stage,
    entry: str,
    n: int,
    instrument: str,
    under: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run it once with this n, under a tool's command line, its services started for it alone.

    Raises InstrumentError where it fails.
    """
    with ExitStack() as stack:
        try:
            stage, beside = services.beside(stage, stack, [entry])
            with beside.beside(entry):
                beside.reset()
                return _run(stage, entry, n, instrument, under, env)
        except RaceUnavailableError as error:
            raise InstrumentError(str(error)) from error


def _run(
    stage: Stage,
    entry: str,
    n: int,
    instrument: str,
    under: Sequence[str],
    env: Mapping[str, str] | None,
) -> Ran:
    program = work(stage)
    spec = stage.spec(
        entry,
        {},
        arguments.of(stage, entry, n),
        output=f"{entry}-{instrument}",
        time_limit_s=program.timeout_s,
    )
    spec = dataclasses.replace(
        spec, argv=(*under, *spec.argv), env={**spec.env, **added(spec.env, env or {})}
    )
    try:
        exit_ = hosts.wait(stage.host, stage.host.start(spec), stage.stop)
    except StartError as error:
        raise InstrumentError(str(error)) from error
    files = [Path(stream) for stream in (spec.stdout, spec.stderr) if stream is not None]
    out, complaints = (file.read_text(errors="replace") for file in files)
    if not exit_.ok:
        last = complaints.strip().splitlines()
        name = Path(under[0]).name if under else entry
        raise InstrumentError(f"under {name} it {exit_.describe()}{': ' + last[-1][:200] if last else ''}")
    return Ran(exit_, out + complaints)
