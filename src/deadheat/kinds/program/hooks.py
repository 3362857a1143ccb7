"""What a workload has done around its programs, which is neither timed nor counted."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from deadheat import hosts
from deadheat.build import command
from deadheat.hosts import StartError
from deadheat.hosts.program import Spec
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import arguments, invocations
from deadheat.run.kind import Stage
from deadheat.util.interrupt import Stop

Name = Literal["setup", "prepare", "conclude", "cleanup"]


@contextmanager
def around(stage: Stage, entry: str, n: int) -> Generator[None]:
    """An invocation of this size, prepared and concluded. Raises Wrong where either fails."""
    run(stage, entry, "prepare", n)
    yield
    run(stage, entry, "conclude", n)


def run(stage: Stage, entry: str, name: Name, n: int | None = None) -> None:
    """Run one where the workload has it, at the race's size where no other is named. Raises Wrong unless it
    ends well."""
    spec = _spec(stage, entry, name, n)
    if spec is None:
        return
    exit_, left = invocations.complete(stage, spec)
    if not exit_.ok:
        what = f"{name} {exit_.describe()}"
        raise Wrong(what, f"{spec.argv[-1]}\n{what}\n{left.output_tail.strip()}")


def clean_up(stage: Stage, entries: Iterable[str]) -> None:
    """Run the `cleanup` of each entry to its end, also after Ctrl-C; what fails is told and costs nobody."""
    for entry in entries:
        spec = _spec(stage, entry, "cleanup", None)
        if spec is None:
            continue
        try:
            handle = stage.host.start(spec)
        except StartError as error:
            stage.view.warn(f"{entry}: cleanup: {error}")
            continue
        exit_ = hosts.wait(stage.host, handle, Stop())
        stage.host.collect(handle)
        if not exit_.ok:
            stage.view.warn(f"{entry}: cleanup {exit_.describe()}")


def _spec(stage: Stage, entry: str, name: Name, n: int | None) -> Spec | None:
    work = arguments.work(stage)
    line: str | None = getattr(work.hooks, name)
    if line is None:
        return None
    values = {"n": stage.race.n if n is None else n, **stage.race.values}
    filled = command.fill(stage.build(entry).contender, line, values)
    own = stage.spec(entry, values, output=f"{entry}.{name}", time_limit_s=work.timeout_s)
    return replace(own, argv=("sh", "-c", filled))
