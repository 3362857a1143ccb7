"""A program run to its end, from a file into a file: in a tree of its own, so that it never outlives us."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deadheat import hosts
from deadheat.explain.reading import InstrumentError
from deadheat.hosts import Host, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.run.kind import Stage

OUTPUT_LIMIT_BYTES = 256 << 20


def run(
    stage: Stage,
    argv: Sequence[str],
    output: Path,
    *,
    stdin: Path | None = None,
    env: dict[str, str] | None = None,
    time_limit_s: float = 60.0,
    host: Host | None = None,
) -> Exit:
    """What it prints is in `output`, what it complains of beside it; on the servers' host where no other is
    named. Raises InstrumentError."""
    host = stage.host if host is None else host
    complaints = stage.logs / f"{output.name}.said"
    spec = Spec(
        argv=tuple(argv),
        cwd=output.parent,
        env={"PATH": host.programs().path, "LC_ALL": "C", **(env or {})},
        cpus=frozenset(stage.plan.generator_cpus),
        stdin=stdin,
        stdout=output,
        stderr=complaints,
        output_limit_bytes=OUTPUT_LIMIT_BYTES,
        time_limit_s=time_limit_s,
    )
    try:
        exit_ = hosts.wait(host, host.start(spec), stage.stop)
    except StartError as error:
        raise InstrumentError(str(error)) from error
    if not exit_.ok:
        said = complaints.read_text(errors="replace").strip().splitlines() if complaints.exists() else []
        raise InstrumentError(
            f"{Path(argv[0]).name} {exit_.describe()}{': ' + said[-1][:200] if said else ''}"
        )
    return exit_
