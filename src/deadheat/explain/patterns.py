"""Known patterns, recognised by what was read: each a small function from a reading to a clause, or None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deadheat.explain.reading import Reading
from deadheat.explain.sentences import figure

# Linux delays an acknowledgement by 40 ms at least (TCP_DELACK_MIN); Nagle's algorithm waits for it.
DELAYED_ACK_MS, DELAYED_ACK_SLACK_MS = 40.0, 8.0
IDLE_SHARE = 0.35
SPINNING_CORES = 0.05
# So many times the CPU of a request under full load, and at 100 a second a fifth of a core.
LOW_LOAD_TIMES, LOW_LOAD_US = 10.0, 2000.0
OFTEN_PER_1000 = 1.0
SMALL_BYTES, SEVERAL = 600.0, 1.8
SOCKET_WRITES = ("write", "writev", "send", "sendto", "sendmsg", "sendmmsg")
CLOSES_SHARE = 0.01


@dataclass(frozen=True)
class Pattern:
    """Something known, by its name, on a contender: what was seen, and what it means."""

    name: str
    contender: str
    text: str


def recognise(contender: str, reading: Reading, per: str) -> tuple[Pattern, ...]:
    """Every known pattern that this reading shows."""
    return tuple(
        Pattern(name, contender, text)
        for name, look in PATTERNS.items()
        if (text := look(reading, per)) is not None
    )


def delayed_acknowledgement(reading: Reading, per: str) -> str | None:
    """Mean latency near 40 ms with an idle server (RFC 896 against RFC 1122, 4.2.3.2)."""
    latency, cores = reading.values.get("latency_ms"), reading.values.get("cores")
    if latency is None or cores is None or cores > IDLE_SHARE:
        return None
    if abs(latency - DELAYED_ACK_MS) > DELAYED_ACK_SLACK_MS:
        return None
    return (
        f"takes {figure(latency)} ms {per} while its core is {1 - cores:.0%} idle: Nagle's algorithm holds "
        "the rest of a reply back until the delayed acknowledgement of its beginning has come, after 40 ms; "
        "set TCP_NODELAY, or write a reply at once"
    )


def spinning(reading: Reading, per: str) -> str | None:
    """Busy waiting: CPU that is used while nobody asks anything, or between requests that are far apart."""
    idle = reading.values.get("idle_cores", 0.0)
    if idle > SPINNING_CORES:
        return f"uses {idle:.0%} of a core while nobody asks anything: a thread spins"
    low, full = reading.values.get("low_load_cpu_us"), reading.values.get("cpu_us")
    if low is None or full is None or low < LOW_LOAD_TIMES * full or low < LOW_LOAD_US:
        return None
    return (
        f"uses {figure(low)} µs of CPU {per} at 100 a second and {figure(full)} µs under full load: its "
        "threads spin for a while before they sleep (the BEAM: +sbwt none ends it)"
    )


def development_mode(reading: Reading, per: str) -> str | None:
    """Development mode, by its own command line and environment."""
    signs = reading.facts.get("development")
    return f"runs in development mode: {signs}" if signs else None


def frequent_collection(reading: Reading, per: str) -> str | None:
    """A garbage collector that runs more often than every 1,000 requests."""
    often = reading.values.get("collections_per_1000", 0.0)
    # Many heaps of a few kB each are collected one at a time: often, and cheaply.
    if often <= OFTEN_PER_1000 or reading.facts.get("heaps") == "one a process":
        return None
    return f"collects garbage every {figure(1000 / often)} {_many(per)}: a larger heap would make it rarer"


def several_writes(reading: Reading, per: str) -> str | None:
    """Several small segments, or writes, where one would do: a write per header, say."""
    segments, sent = reading.values.get("data_segments_sent"), reading.values.get("bytes_sent")
    if segments is not None and sent is not None:
        if segments < SEVERAL or sent / segments > SMALL_BYTES:
            return None
        return f"sends {figure(sent)} bytes {per} in {figure(segments)} segments: one write would do"
    writes = sum(reading.calls.get(name, 0.0) for name in SOCKET_WRITES)
    return f"writes {figure(writes)} times {per}: one write would do" if writes >= SEVERAL else None


def closes_connections(reading: Reading, per: str) -> str | None:
    """Connections that are not kept: each costs a handshake, an accept and a close."""
    share = float(reading.facts.get("reconnects", "0"))
    if share <= CLOSES_SHARE:
        return None
    return (
        f"closes a kept connection every {figure(1 / share)} {_many(per)}: each costs an accept and a close"
    )


def _many(per: str) -> str:
    """`a call`: calls."""
    return f"{per.removeprefix('a ')}s"


PATTERNS: dict[str, Callable[[Reading, str], str | None]] = {
    "delayed acknowledgement": delayed_acknowledgement,
    "spinning": spinning,
    "development mode": development_mode,
    "frequent collection": frequent_collection,
    "several writes": several_writes,
    "closed connections": closes_connections,
}
