"""Other people's load generators: what each must be able to say, and one run of one of them.

Our own engine is driven slice by slice (`generators/engine.py`); a generator from outside is a program
that loads one server, alone, to its end and prints what it found. So it stands behind a seam of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from deadheat import hosts
from deadheat.hosts import Host, StartError
from deadheat.hosts.program import Exit, Spec, Why
from deadheat.util.interrupt import Stop

# ghz prints a record a call, a hundred bytes each, of a million calls.
OUTPUT_LIMIT_BYTES = 256 << 20


class GeneratorError(Exception):
    """A run that gave no figures: the message says why, in a clause."""


class UnansweredError(GeneratorError):
    """The generator ran to its end and the server answered nothing: no figures either, but not its fault."""


def unreadable(tool: str, error: ValidationError) -> GeneratorError:
    """Output of another form than the one known here: the first place where it differs."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "the whole"
    return GeneratorError(f"the output of {tool} cannot be read: {where}: {first['msg']}")


@dataclass(frozen=True)
class Figures:
    """What a generator printed, in its own precision. Seconds, bytes, milliseconds.

    `latency_ms` is keyed `mean`, `stdev`, `max`, `p50` and so on: whatever the tool reports. `errors` holds
    every kind that it counts and that was not zero. `threads` are the generator's, where it says. `shown`
    are lines in the tool's own form. The rest as in `OutsideRun`: what only one tool prints.
    """

    requests: int
    seconds: float
    throughput_rps: float
    latency_ms: Mapping[str, float]
    errors: Mapping[str, int] = field(default_factory=dict)
    bytes_in: int | None = None
    threads: int | None = None
    within_stdev_percent: float | None = None
    thread_rps: Mapping[str, float] = field(default_factory=dict)
    histogram: tuple[tuple[float, int], ...] = ()
    statuses: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[str, ...] = ()


class OutsideGenerator(Protocol):
    """A load generator that is not ours."""

    @property
    def name(self) -> str:
        """The program, as people call it."""

    def missing(self, host: Host) -> str | None:
        """Why it cannot be had there, with its install line; None where it is there."""

    def version(self, host: Host) -> str:
        """As the tool prints it."""

    def prepare(self, host: Host, stop: Stop, cpus: frozenset[int]) -> None:
        """Get it ready where it is not. Raises GeneratorError: then nothing can be measured with it."""

    def argv(self, arguments: Sequence[str], url: str, output: Path) -> tuple[str, ...]:
        """The whole command line for these arguments (the study's own) against this URL.

        `output` is the file that what it prints goes to; it runs in that file's folder, and what it writes
        besides is called after it.
        """

    def read(self, printed: bytes, output: Path) -> Figures:
        """What it printed, understood to the last line. Raises GeneratorError."""


@dataclass(frozen=True)
class Ran:
    """One run: what it printed, how it ended, and the file that holds its output."""

    argv: tuple[str, ...]
    figures: Figures
    exit: Exit
    output: Path


def run(
    generator: OutsideGenerator,
    argv: tuple[str, ...],
    *,
    host: Host,
    stop: Stop,
    cpus: frozenset[int],
    output: Path,
    time_limit_s: float,
) -> Ran:
    """Run it to its end; its output stays in `output`, what it complains of beside it.

    Raises GeneratorError where it fails, hangs, or prints what cannot be read, and InterruptedRunError.
    """
    complaints = output.with_suffix(".err")
    spec = Spec(
        argv=argv,
        cwd=output.parent,
        env={"PATH": host.programs().path, "LC_ALL": "C"},
        cpus=cpus,
        stdout=output,
        stderr=complaints,
        output_limit_bytes=OUTPUT_LIMIT_BYTES,
        time_limit_s=time_limit_s,
    )
    try:
        handle = host.start(spec)
    except StartError as error:
        raise GeneratorError(str(error)) from error
    exit_ = hosts.wait(host, handle, stop)
    left = host.collect(handle)
    if exit_.why is Why.TIME_LIMIT:
        raise GeneratorError(f"{generator.name} did not end within {time_limit_s:.0f} s and was killed")
    if not exit_.ok:
        last = left.output_tail.strip().splitlines()
        said = f": {last[-1][:200]}" if last else ""
        raise GeneratorError(f"{generator.name} {exit_.describe()}{said}")
    return Ran(argv, generator.read(left.stdout, output), exit_, output)
