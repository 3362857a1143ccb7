"""What programs do on their connection: two invocations of each under strace, which nothing is timed by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import invocations
from deadheat.kinds.program.pipeline import running, socket_calls
from deadheat.kinds.program.pipeline.running import Asked
from deadheat.kinds.program.pipeline.socket_calls import Traced
from deadheat.kinds.services.running import Running
from deadheat.model.observation import SocketTrace
from deadheat.model.pipeline import Pipeline
from deadheat.plan.schedule import Block
from deadheat.run.kind import Stage


def of_each(
    stage: Stage, block: Block, entries: Sequence[str], server: Running, pipeline: Pipeline
) -> Iterator[SocketTrace]:
    """The calls of each entry on its connection, by invocations that nothing else is taken from."""
    for entry in entries:
        if (unknown := socket_calls.missing()) is not None:
            yield SocketTrace(race=stage.race.key, block=block.index, entry=entry, unknown=unknown)
            continue
        stage.view.state(entry, "warming")
        yield _trace(stage, block, entry, server, pipeline)
        stage.view.state(entry, "waiting")


def _trace(stage: Stage, block: Block, entry: str, server: Running, pipeline: Pipeline) -> SocketTrace:
    asked = Asked.of(stage)
    shorter = Asked(max(1, asked.n // 10), asked.rounds, asked.depth)
    found = []
    for each in (asked, shorter):
        seen = _seen(stage, entry, server, each, pipeline)
        if isinstance(seen, str):
            return SocketTrace(race=stage.race.key, block=block.index, entry=entry, unknown=seen)
        found.append(seen)
    whole, less = found
    return SocketTrace(
        race=stage.race.key,
        block=block.index,
        entry=entry,
        write_calls=whole.write_calls,
        read_calls=whole.read_calls,
        bytes_out=whole.bytes_out,
        bytes_in=whole.bytes_in,
        sends_early=whole.sends_early(less),
        reads_while_writing=whole.reads_while_writing,
    )


def _seen(stage: Stage, entry: str, server: Running, asked: Asked, pipeline: Pipeline) -> Traced | str:
    """The calls of one invocation, or why they are not known."""
    with server.beside(entry):
        server.reset()
    output = stage.logs / f"{entry.replace(':', '+')}-{asked.n}.strace"
    spec = running.spec(stage, entry, asked, output=f"{entry}-strace")
    try:
        exit_, _ = invocations.complete(stage, socket_calls.traced(spec, output))
    except Wrong as wrong:
        return wrong.reason
    if not exit_.ok:
        return f"under strace it {exit_.describe()}"
    with output.open(errors="replace") as lines:
        seen = socket_calls.understand(lines, server.port, pipeline.first_command)
    output.unlink()
    return "no pipeline among its system calls" if seen is None else seen
