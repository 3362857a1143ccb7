"""Peak memory of deadheat-load with many connections."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .generator import Generator, ours, ours_http
from .grpc import ours_grpc
from .measure import run, server

SECONDS = 3
# Ten thousand connections take a busy machine longer to open than the usual 5 s.
PATIENT = ("--timeout", "30s")


@dataclass(frozen=True)
class Row:
    """Peak resident set (VmHWM), in MB of a million bytes."""

    protocol: str
    mb_at_1000: float
    mb_at_10000: float


def table() -> list[Row]:
    """HTTP, gRPC with 10 streams on each connection, Redis in pipelines of 16."""

    def http(connections: int) -> Generator:
        return ours_http("HTTP/1.1", "-c", str(connections), *PATIENT)

    def grpc(connections: int) -> Generator:
        return ours_grpc("gRPC, 10 streams each", connections, 10, *PATIENT)

    def redis(connections: int) -> Generator:
        return ours(
            "Redis, pipeline 16", lambda address: f"redis://{address}",
            "-c", str(connections), "--pipeline", "16", "-r", "PING", "--expect-reply", "PONG", *PATIENT,
        )  # fmt: skip

    made = []
    for kind, options, of in (("http", (), http), ("grpc", ("--hello",), grpc), ("redis", (), redis)):
        with server(*options, kind=kind) as address:
            few, many = (_peak_mb(of(n), address) for n in (1_000, 10_000))
        made.append(Row(of(1).name, few, many))
    return made


def _peak_mb(generator: Generator, address: str) -> float:
    """Of one run, as it says itself; raises Broken where requests failed."""
    stdout = run(generator.argv(address, SECONDS)).stdout
    generator.count(stdout)
    peak = json.loads(stdout)["peak_memory_bytes"]
    assert isinstance(peak, int)
    return peak / 1e6
