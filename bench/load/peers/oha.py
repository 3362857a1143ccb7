"""oha: open loop, HTTP/1.1, latency from the intended time. It checks no body."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..generator import PATH, Broken, Counted, Generator


def oha(name: str, rate: int, connections: int) -> Generator:
    """`rate` requests a second."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            "oha", "--no-tui", "-q", str(rate), "--latency-correction", "-c", str(connections),
            "-z", f"{seconds:.0f}s", "--output-format", "json", f"http://{address}{PATH}",
        ]  # fmt: skip

    def count(stdout: str) -> Counted:
        report = json.loads(stdout)
        statuses = report["statusCodeDistribution"]
        if set(statuses) != {"200"}:
            raise Broken(f"{name}: statuses {statuses}")
        # At the deadline oha gives up what is in flight and calls that an error.
        cut_off = {"aborted due to deadline"}
        if others := set(report["errorDistribution"]) - cut_off:
            raise Broken(f"{name}: {', '.join(others)}")
        p50_ms = report["latencyPercentiles"]["p50"] * 1000
        return Counted(statuses["200"], report["summary"]["total"], p50_ms)

    return Generator(name, argv, count)
