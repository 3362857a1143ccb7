"""Latency against servers that stall or delay: what is told, and what is true."""

from __future__ import annotations

import json
import math
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
    """`--stall 1s/5s` at 2,000/s, over HTTP and WebSocket: truth is p90 500 ms, p99 950 ms."""
    asked = ("-R", "2000", "-d", f"{seconds}s")
    with server("--stall", "1s/5s") as address:
        http = _load(address, *asked)
    with server("--stall", "1s/5s", kind="ws") as address:
        websocket = _message(address, *asked)
    told = (
        ("from the intended time", http, "latency_ms"),
        ("from the actual sending (the usual mistake)", http, "service_ms"),
        ("WebSocket messages, from the intended time", websocket, "latency_ms"),
    )
    return [_row(what, summary[key], summary["open_loop"]["achieved_rps"]) for what, summary, key in told]


def delay(seconds: int = 3) -> Row:
    """`--delay 2ms`: the service time is 2 ms."""
    with server("--delay", "2ms") as address:
        summary = _load(address, "-R", "1000", "-d", f"{seconds}s")
    return _row("2 ms delay", summary["service_ms"], summary["open_loop"]["achieved_rps"])


@dataclass(frozen=True)
class MessageRow:
    """One figure of WebSocket, planted and told, in ms."""

    figure: str
    planted: float
    p50: float


MESSAGES_HELD_MS = 2


def messages(seconds: int = 5) -> list[MessageRow]:
    """`serve ws --delay 2ms`: messages are held back, pings are not."""
    with server("--delay", f"{MESSAGES_HELD_MS}ms", kind="ws") as address:
        summary = _message(address, "-R", "1000", "-d", f"{seconds}s", "--ping", "10")
    return [
        MessageRow("a message's service time", MESSAGES_HELD_MS, summary["service_ms"]["p50"]),
        MessageRow("a ping's", 0, summary["websocket"]["ping_ms"]["p50"]),
    ]


@dataclass(frozen=True)
class StreamRow:
    """One figure of streams, planted and told, in ms."""

    figure: str
    planted_p50: float
    p50: float
    planted_p90: float
    p90: float


STREAMS = 200
"""At once."""
FIRST_CONTENT_MS = list(range(100, 250, 10))
"""Of one request after the other, over and over. Of 15 values p50 and p90 lie within one, not between two."""
GAPS_MS = list(range(20, 50, 2))
"""Of one content after the other, over and over; 15 of them too."""
CONTENTS = 3 * len(GAPS_MS) + 1


def streams(seconds: int = 10) -> list[StreamRow]:
    """200 streams of tokens at once from `serve sse`, whose times are known."""
    options = (
        *("--first-content", _times(FIRST_CONTENT_MS)),
        *("--gap", _times(GAPS_MS)),
        *("--contents", str(CONTENTS)),
    )
    with server(*options, kind="sse") as address:
        summary = _load(address, "--stream", "sse", "-c", str(STREAMS), "-d", f"{seconds}s", "--warmup", "2s")
    reported = summary["streams"]
    all_gaps = sum(GAPS_MS) * 3
    last = [first + all_gaps for first in FIRST_CONTENT_MS]
    planted = {"first_content_ms": FIRST_CONTENT_MS, "gap_ms": GAPS_MS, "last_content_ms": last}
    return [
        StreamRow(
            name, _nearest(times, 0.5), reported[name]["p50"], _nearest(times, 0.9), reported[name]["p90"]
        )
        for name, times in planted.items()
    ]


def _times(ms: list[int]) -> str:
    return ",".join(f"{time}ms" for time in ms)


def _nearest(times: list[int], quantile: float) -> float:
    """The percentile of values that come equally often, by nearest rank."""
    return float(sorted(times)[math.ceil(quantile * len(times)) - 1])


def _message(address: str, *options: str) -> dict:  # type: ignore[type-arg]
    """Messages whose echoes are compared."""
    return _load(address, "--data", "{seq}", "--expect-body", "{seq}", *options, scheme="ws")


def _load(address: str, *options: str, scheme: str = "http") -> dict:  # type: ignore[type-arg]
    argv = [str(LOAD), f"{scheme}://{address}/abc", "--json", "-q", "--allow-shortfall", *options]
    summary = json.loads(run(argv).stdout)
    assert isinstance(summary, dict)
    return summary


def _row(what: str, ms: dict[str, float], achieved_rps: float) -> Row:
    return Row(what, ms["p50"], ms["p90"], ms["p99"], achieved_rps)
