"""Latency against servers that stall or delay: what is told, and what is true."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .measure import LOAD, run, server


@dataclass(frozen=True)
class Row:
    """One line of the table: figures in ms."""

    what: str
    p50: float
    p90: float
    p99: float
    achieved_rps: float


def stall(seconds: int = 20) -> list[Row]:
    """`--stall 1s/5s` at 2,000/s: truth is p90 500 ms, p99 950 ms."""
    with server("--stall", "1s/5s") as address:
        summary = _load(address, "-R", "2000", "-d", f"{seconds}s")
    achieved = summary["open_loop"]["achieved_rps"]
    return [
        _row("from the intended time", summary["latency_ms"], achieved),
        _row("from the actual sending (the usual mistake)", summary["service_ms"], achieved),
    ]


def delay(seconds: int = 3) -> Row:
    """`--delay 2ms`: the service time is 2 ms."""
    with server("--delay", "2ms") as address:
        summary = _load(address, "-R", "1000", "-d", f"{seconds}s")
    return _row("2 ms delay", summary["service_ms"], summary["open_loop"]["achieved_rps"])


def _load(address: str, *options: str) -> dict:  # type: ignore[type-arg]
    argv = [str(LOAD), f"http://{address}/abc", "--json", "-q", "--allow-shortfall", *options]
    summary = json.loads(run(argv).stdout)
    assert isinstance(summary, dict)
    return summary


def _row(what: str, ms: dict[str, float], achieved_rps: float) -> Row:
    return Row(what, ms["p50"], ms["p90"], ms["p99"], achieved_rps)
