"""A tracer beside a running server: started, waited for until it looks, asked to stop, its output read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deadheat.explain.reading import InstrumentError
from deadheat.hosts import ExitedError, Handle, StartError
from deadheat.hosts.program import Spec
from deadheat.run.kind import Stage

ATTACH_TIMEOUT_S, STOP_GRACE_S, POLL_S = 10.0, 10.0, 0.02


@dataclass
class Tracer:
    """A tracer at work. `output` is whole only after the `tracing` block."""

    handle: Handle
    output: Path


@contextmanager
def tracing(
    stage: Stage, argv: Sequence[str], output: Path, attached: Callable[[str], bool]
) -> Iterator[Tracer]:
    """Run a tracer that writes `output` during the block; `attached` says by its stderr whether it looks.

    Raises InstrumentError where it ends by itself, or does not come to look.
    """
    said = output.with_suffix(".said")
    spec = Spec(
        argv=tuple(argv),
        cwd=output.parent,
        env={"PATH": stage.host.programs().path, "LC_ALL": "C"},
        # On the server's CPU it would be in the server's way, on the others it is in the generator's.
        cpus=frozenset(stage.plan.generator_cpus),
        stdout=output.with_suffix(".out"),
        stderr=said,
        output_limit_bytes=64 << 20,
    )
    try:
        handle = stage.host.start(spec)
    except StartError as error:
        raise InstrumentError(str(error)) from error
    try:
        _await(stage, handle, said, attached, argv[0])
        yield Tracer(handle, output)
        try:
            stage.host.usage(handle, memory=False)
        except ExitedError as error:
            raise InstrumentError(f"{argv[0]} ended too soon: {_last(said) or error}") from error
    finally:
        # Its SIGTERM: detach, write what was found, end.
        stage.host.stop(handle, STOP_GRACE_S)


def _await(stage: Stage, handle: Handle, said: Path, attached: Callable[[str], bool], name: str) -> None:
    deadline = time.monotonic() + ATTACH_TIMEOUT_S
    while True:
        stage.stop.check()
        if stage.host.events(handle, POLL_S):
            raise InstrumentError(f"{name}: {_last(said) or 'it ended at once'}")
        if said.exists() and attached(said.read_text(errors="replace")):
            return
        if time.monotonic() > deadline:
            raise InstrumentError(f"{name} did not attach within {ATTACH_TIMEOUT_S:.0f} s")


def _last(said: Path) -> str:
    lines = said.read_text(errors="replace").strip().splitlines() if said.exists() else []
    return lines[-1][:200] if lines else ""
