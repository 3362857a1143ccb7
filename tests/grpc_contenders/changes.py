"""What each change of a tuned variant gives by itself, by h2load, as a table for its README.

    python -m tests.grpc_contenders.changes go-grpc go-grpc:gogc go-grpc:stream-workers go-grpc:tuned

The first contender is the one that the others are held against. Answers are checked beforehand, as
h2load looks at no grpc-status. Each block starts all contenders afresh and takes turns in random order
and its reverse.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deadheat.hosts.local import LocalHost
from deadheat.stats.estimate import Estimate, Series, block_effects, estimate

from .servers import Server, Servers

CONNECTIONS, STREAMS = 10, 50
SERVER_CPU, GENERATOR_CPU = 0, 1
NAME = b"7f3a9c"
_SUCCEEDED = re.compile(r"(\d+) succeeded")
_RATE = re.compile(r"([\d.]+) req/s")
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


@dataclass
class Record:
    """Turns of one contender, block by block: calls a second, calls a CPU second; peak memory, bytes."""

    rates: list[list[float]] = field(default_factory=list)
    per_cpu: list[list[float]] = field(default_factory=list)
    peak_bytes: int = 0


def main() -> None:
    """Measure, then print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("contenders", nargs="+", metavar="CONTENDER")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--calls", type=int, default=25_000, help="calls a turn")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if shutil.which("h2load") is None:
        sys.exit("h2load not found (Debian: apt-get install nghttp2-client)")
    with tempfile.TemporaryDirectory() as folder, LocalHost() as host:
        body = Path(folder, "request")
        body.write_bytes(request())
        servers = Servers(host, Path(folder))
        records = {id_: Record() for id_ in asked.contenders}
        for id_ in records:
            check(servers, id_)
        # From here on, all but the servers keep off their core.
        os.sched_setaffinity(0, {GENERATOR_CPU})
        dice = random.Random(asked.seed)
        for _ in range(asked.blocks):
            block(servers, records, body, asked.rounds, asked.calls, dice)
    print(table(records))


def check(servers: Servers, id_: str) -> None:
    """Right answers before any timing; on a start of its own, as the long messages cost memory."""
    server = servers.start(id_)
    try:
        answers = servers.ask(server)
        assert answers["greetings"] == answers["concurrent"] == [], f"{id_} answers wrongly"
    finally:
        server.stop()


def request() -> bytes:
    """A HelloRequest with gRPC's prefix: not compressed, its length, then field 1 with the name."""
    message = bytes((0x0A, len(NAME))) + NAME
    return b"\0" + len(message).to_bytes(4, "big") + message


def block(
    servers: Servers, records: dict[str, Record], body: Path, rounds: int, calls: int, dice: random.Random
) -> None:
    """Fresh starts of all in random order, a warm-up turn each, then the turns that count."""
    running: dict[str, Server] = {}
    try:
        for id_ in shuffled(records, dice):
            running[id_] = servers.start(id_, frozenset({SERVER_CPU}))
            turn(running[id_], body, calls)
        for record in records.values():
            record.rates.append([])
            record.per_cpu.append([])
        for _ in range(rounds):
            order = shuffled(records, dice)
            for id_ in [*order, *reversed(order)]:
                rate, cpu_s = turn(running[id_], body, calls)
                records[id_].rates[-1].append(rate)
                records[id_].per_cpu[-1].append(calls / cpu_s)
        for id_, server in running.items():
            records[id_].peak_bytes = max(records[id_].peak_bytes, peak_bytes(server))
    finally:
        for server in running.values():
            server.stop()


def shuffled(ids: dict[str, Record], dice: random.Random) -> list[str]:
    order = list(ids)
    dice.shuffle(order)
    return order


def turn(server: Server, body: Path, calls: int) -> tuple[float, float]:
    """Calls a second as h2load has it, and the server's CPU seconds."""
    before_s = cpu_s(server)
    argv = ["taskset", "--cpu-list", str(GENERATOR_CPU), "h2load"]
    argv += [f"-n{calls}", f"-c{CONNECTIONS}", f"-m{STREAMS}", f"--data={body}"]
    argv += ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    argv += [f"http://127.0.0.1:{server.port}/greeter.Greeter/SayHello"]
    ran = subprocess.run(argv, capture_output=True, text=True, check=True)
    spent_s = cpu_s(server) - before_s
    succeeded, rate = _SUCCEEDED.search(ran.stdout), _RATE.search(ran.stdout)
    assert succeeded and rate and int(succeeded[1]) == calls, ran.stdout
    return float(rate[1]), spent_s


def cpu_s(server: Server) -> float:
    """By the CPU clocks of the server's processes, exact to the nanosecond (clock_getcpuclockid(3))."""
    pids = server.host.usage(server.handle, memory=False).pids
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def peak_bytes(server: Server) -> int:
    pids = server.host.usage(server.handle, memory=False).pids
    peaks = (_PEAK.search(Path(f"/proc/{pid}/status").read_text()) for pid in pids)
    return sum(int(peak[1]) * 1024 for peak in peaks if peak)


def table(records: dict[str, Record]) -> str:
    """Ratios to the first contender over blocks, 95% t intervals."""
    base = next(iter(records.values()))
    rows = [
        "| | calls/s | times as fast | calls a CPU second | peak memory |",
        "| --- | ---: | --- | --- | ---: |",
    ]
    for id_, record in records.items():
        rate = statistics.median(rate for block in record.rates for rate in block)
        by_time = ratio(record.rates, base.rates) if record is not base else "1"
        by_cpu = ratio(record.per_cpu, base.per_cpu) if record is not base else "1"
        rows.append(f"| `{id_}` | {rate:,.0f} | {by_time} | {by_cpu} | {record.peak_bytes / 2**20:.0f} MiB |")
    return "\n".join(rows)


def ratio(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> str:
    """A ratio with its interval, in words."""
    found: Estimate = estimate(block_effects(series(a), series(b)))
    if found.ci is None:
        return f"{found.ratio:.2f}"
    return f"{found.ratio:.2f} ({found.ci[0]:.2f} to {found.ci[1]:.2f})"


def series(blocks: Sequence[Sequence[float]]) -> Series:
    return [np.log(block) for block in blocks]


if __name__ == "__main__":
    main()
