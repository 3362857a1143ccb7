"""A program run to its end under a tool: what every instrument of programs stands on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat import hosts
from deadheat.explain.reading import InstrumentError
from deadheat.explain.serving import added
from deadheat.hosts import StartError
from deadheat.hosts.program import Exit
from deadheat.kinds.program import arguments
from deadheat.model.workload import ProgramWork
from deadheat.run.kind import Stage


@dataclass(frozen=True)
class Ran:
    """One run: how it ended, and what the tool and the program said on stderr."""

    exit: Exit
    complaints: str


def work(stage: Stage) -> ProgramWork:
    assert stage.workload.program is not None
    return stage.workload.program


def sizes(stage: Stage) -> tuple[int, int, int]:
    """The least n, one that is short under a tool that slows a program by 50 times, and the race's own."""
    check = work(stage).n.check
    assert check is not None  # without a pipeline, whose service is not started here, there is one
    return check.range[0], check.random[1], stage.race.invocations.n


def run(
    stage: Stage,
    entry: str,
    n: int,
    instrument: str,
    under: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run it once with this n, under a tool's command line. Raises InstrumentError where it fails."""
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
    said = Path(spec.stderr).read_text(errors="replace") if spec.stderr is not None else ""
    if not exit_.ok:
        last = said.strip().splitlines()
        name = Path(under[0]).name if under else entry
        raise InstrumentError(f"under {name} it {exit_.describe()}{': ' + last[-1][:200] if last else ''}")
    return Ran(exit_, said)
