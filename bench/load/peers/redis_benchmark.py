"""redis-benchmark: GET in pipelines. It checks that a reply is no error, and no value."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from ..generator import Broken, Counted, Generator
from ..measure import run

CALIBRATION_REQUESTS = 200_000


def redis_benchmark(
    name: str, connections: int, pipeline: int, key: str, *options: str, unix: Path | None = None
) -> Generator:
    """It takes a number of requests and no duration: a first run, not counted, tells how many.

    With `unix` it goes to that socket instead of the address.
    """
    # By address, as each pair has a server of its own.
    rates: dict[str, float] = {}

    def command(address: str, requests: int) -> Sequence[str]:
        host, port = address.rsplit(":", 1)
        place = ["-s", str(unix)] if unix else ["-h", host, "-p", port]
        return [
            "redis-benchmark", *place, "-c", str(connections), "-P", str(pipeline),
            "-n", str(requests), "--csv", *options, "GET", key,
        ]  # fmt: skip

    def argv(address: str, seconds: float) -> Sequence[str]:
        if address not in rates:
            requests = CALIBRATION_REQUESTS * min(pipeline, 20)
            rates[address] = requests / run(command(address, requests)).wall_s
        asked["requests"] = max(round(rates[address] * seconds), CALIBRATION_REQUESTS)
        return command(address, asked["requests"])

    asked = {"requests": 0}

    def count(stdout: str) -> Counted:
        rows = list(csv.DictReader(stdout.splitlines()))
        if len(rows) != 1:
            raise Broken(f"{name}: {stdout}")
        seconds = asked["requests"] / float(rows[0]["rps"])
        return Counted(asked["requests"], seconds, float(rows[0]["p50_latency_ms"]))

    return Generator(name, argv, count)
