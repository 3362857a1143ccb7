"""What bounds the generator: `python -m bench.load.flames` draws each hot path and writes its shares.

CPU samples of the generator with their stacks (`perf record`), and its system calls (`perf stat`).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import page
from .flame import fold, stacks, svg
from .generator import Generator, ours, ours_http
from .grpc import ours_grpc
from .measure import GENERATOR_CPU, redis_server, server

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SECONDS = 3.0
SAMPLES_PER_S = 999
CALLS = {"sendto": "send", "recvfrom": "receive", "epoll_pwait2": "wait"}
ENTRY = "entry_SYSCALL_64_after_hwframe"


@dataclass(frozen=True)
class HotPath:
    """What one flame graph shows."""

    name: str
    title: str
    serve: Callable[[], AbstractContextManager[str]]
    generator: Generator


@dataclass(frozen=True)
class Bounds:
    """Shares of samples, and system calls a request."""

    kernel: float
    send: float
    interrupt: float
    receive: float
    wait: float
    calls: dict[str, float]


def hot_paths() -> Iterator[HotPath]:
    """One of each protocol, and pipelines where there are any."""
    for depth in (1, 16):
        options = ("-c", "64", "--pipeline", str(depth))
        name = f"HTTP/1.1, pipeline {depth}"
        yield HotPath(f"flame-http1-pipeline-{depth}", name, server, ours_http(name, *options))
    yield HotPath(
        "flame-grpc", "gRPC, 10 connections of 50 streams",
        partial(server, "--hello", kind="grpc"), ours_grpc("gRPC", 10, 50),
    )  # fmt: skip
    for depth in (1, 128):
        asked = ("-c", "50", "--pipeline", str(depth), "-r", "GET foo", "--expect-reply", "bar")
        name = f"Redis, pipeline {depth}"
        yield HotPath(
            f"flame-redis-pipeline-{depth}", name, partial(redis_server, {"foo": "bar"}),
            ours(name, lambda address: f"redis://{address}", *asked),
        )  # fmt: skip


def look(path: HotPath, folder: Path) -> Bounds:
    """Draws one, and says what it consists of."""
    data = folder / path.name
    record = ("perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S))
    count = (
        "perf",
        "stat",
        "-x,",
        *(word for call in CALLS for word in ("-e", f"syscalls:sys_enter_{call}")),
    )
    with path.serve() as address:
        argv = ("taskset", "-c", str(GENERATOR_CPU), *path.generator.argv(address, SECONDS))
        _run(*record, "--call-graph", "dwarf,8192", "-o", str(data), "--", *argv)
        reported = _run(*count, "-o", str(data.with_suffix(".stat")), "--", *argv)
    script = _run("perf", "script", "--no-inline", "-i", str(data))
    found = list(stacks(script.splitlines()))
    (IMAGES / f"{path.name}.svg").write_text(svg(fold(found), path.title))
    requests = path.generator.count(reported).requests
    return bounds(found, calls(data.with_suffix(".stat").read_text(), requests))


def calls(stat: str, requests: int) -> dict[str, float]:
    """System calls a request, from `perf stat -x,`."""
    rows = [line.split(",") for line in stat.splitlines() if ":sys_enter_" in line]
    return {CALLS[row[2].partition("sys_enter_")[2]]: float(row[0]) / requests for row in rows}


def bounds(found: Sequence[Sequence[str]], per_request: dict[str, float]) -> Bounds:
    """Shares of all samples."""

    def share(holds: Callable[[Sequence[str]], bool]) -> float:
        return sum(map(holds, found)) / len(found)

    def within(*parts: str) -> Callable[[Sequence[str]], bool]:
        return lambda stack: all(any(part in name for name in stack) for part in parts)

    return Bounds(
        kernel=share(within(ENTRY)),
        send=share(within("sys_sendto")),
        interrupt=share(within("sys_sendto", "do_softirq")),
        receive=share(within("sys_recvfrom")),
        wait=share(within("sys_epoll_")),
        calls=per_request,
    )


def table(all_bounds: dict[HotPath, Bounds]) -> Iterator[str]:
    """Lines of Markdown, a column for each hot path."""

    def row(name: str, cell: Callable[[Bounds], str]) -> str:
        return f"| {name} | {' | '.join(map(cell, all_bounds.values()))} |"

    heads = (f"[{path.title}](images/{path.name}.svg)" for path in all_bounds)
    yield f"| | {' | '.join(heads)} |"
    yield "| --- |" + " --- |" * len(all_bounds)
    yield row("kernel in all", lambda it: f"{it.kernel:.0%}")
    yield row("`sendto`", lambda it: f"{it.send:.0%}")
    yield row("of it the receiver's soft interrupt, charged to the sender", lambda it: f"{it.interrupt:.0%}")
    yield row("`recvfrom`", lambda it: f"{it.receive:.0%}")
    yield row("`epoll_pwait2`", lambda it: f"{it.wait:.0%}")
    yield row("the program itself", lambda it: f"{1 - it.kernel:.0%}")
    for call in CALLS.values():
        yield row(f"calls to {call}, a request", lambda it, call=call: f"{it.calls.get(call, 0):.3f}")  # type: ignore[misc]


def _run(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def main() -> int:
    """Draws all, writes the table."""
    with tempfile.TemporaryDirectory() as folder:
        seen = {path: look(path, Path(folder)) for path in hot_paths()}
    page.put("python -m bench.load.flames", list(table(seen)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
