"""What the sink says it was asked: exactly the workload's commands, in order (docs/redis-sink.md)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.services.running import Running
from deadheat.model.pipeline import Pipeline

TELLS_WITHIN_S = 5.0


@dataclass(frozen=True)
class Stream:
    """One connection as the sink saw it, as runs of equal commands."""

    runs: tuple[tuple[int, str], ...]
    more_runs: int
    before: tuple[str, ...]


def last(server: Running, known: int) -> Stream:
    """The stream of the client connection that ended after `known` others. Raises Wrong where none did."""
    deadline = time.monotonic() + TELLS_WITHIN_S
    while time.monotonic() < deadline:
        reported = streams(server)
        if len(reported) > known + 1:
            raise Wrong(
                f"it opened {len(reported) - known} connections, not one", str(reported[known:])[:1000]
            )
        if len(reported) == known + 1:
            return reported[-1]
        time.sleep(0.02)
    raise Wrong("the sink was told of no connection", "(nothing)")


def streams(server: Running) -> list[Stream]:
    """Every connection that has ended, the referee's own (PING, FLUSHALL) left out."""
    lines = server.stage.host.collect(server.handle).stdout.decode().splitlines()
    reported = [json.loads(line) for line in lines if line.endswith("}")]
    return [
        Stream(
            tuple((count, command) for count, command in line["runs"]),
            line["more_runs"],
            tuple(line["before"]),
        )
        for line in reported
        if line["event"] == "connection" and line["runs"] and line["runs"] != [[1, "FLUSHALL"]]
    ]


def compare(pipeline: Pipeline, stream: Stream, n: int, rounds: int) -> None:
    """Raises Wrong unless the stream is the workload's, command for command."""
    allowed = set(pipeline.rules.before_the_clock)
    if extra := [name for name in stream.before if name not in allowed]:
        raise Wrong(f"{extra[0]} before the pipeline is not allowed", str(stream)[:1000])
    for increment in pipeline.increments:
        if stream.more_runs == 0 and list(stream.runs) == expected(pipeline, increment, n, rounds):
            return
    right = expected(pipeline, pipeline.increments[0], n, rounds)
    place = next(
        (i for i, pair in enumerate(zip(stream.runs, right, strict=False)) if pair[0] != pair[1]), None
    )
    if place is None:
        what = f"{len(stream.runs) + stream.more_runs} runs of commands, not {len(right)}"
    else:
        got, wanted = stream.runs[place], right[place]
        what = f"{wanted[0]} times {wanted[1]}, got {got[0]} times {got[1]}"
    raise Wrong(f"other commands than asked: expected {what}", str(stream)[:1000])


def expected(pipeline: Pipeline, increment: str, n: int, rounds: int) -> list[tuple[int, str]]:
    """The workload as runs of equal commands; equal neighbours of two rounds are one run."""
    return list(pipeline.runs(n, increment)) * rounds
