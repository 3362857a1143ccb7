"""CPU time of a server at the edges of the counted part, where its load comes from other hosts.

A generator beside the server reads it itself, exactly at both edges. From elsewhere nobody can: its own
host reads it about then, and what was used between both readings is told for the counted part's length.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from deadheat.generators.several import AHEAD_NS
from deadheat.hosts import ExitedError, Handle, Host, Usage

# For a reading that waits for a server that is busy.
GRACE_S = 5.0


@dataclass
class Edges:
    """`when` is for the generator: the moment, on the servers' clock, at which the turn begins."""

    when: dict[str, int]
    readings: list[Usage] = field(default_factory=list)

    def filled(self, counted: dict[str, Any]) -> dict[str, Any]:
        """With the server's CPU time, where both readings are there."""
        if len(self.readings) < 2:
            return counted
        first, last = self.readings
        between_ns = last.at_ns - first.at_ns
        counted_ns = counted["counted_until_ns"] - counted["counted_from_ns"]
        if between_ns <= 0:
            return counted
        spent_ns = last.cpu.total_ns - first.cpu.total_ns
        return {**counted, "server_cpu_ns": round(spent_ns * counted_ns / between_ns)}


@contextmanager
def read_at_edges(host: Host, handle: Handle, lead_in_ms: int, counted_ms: int) -> Iterator[Edges]:
    """Around a turn. The server's host is asked by nobody else meanwhile."""
    at_ns = host.now_ns() + AHEAD_NS
    began = time.monotonic()
    edges = Edges({"at_ns": at_ns})
    over = threading.Event()

    def read() -> None:
        for after_ms in (lead_in_ms, lead_in_ms + counted_ms):
            if over.wait(max(0.0, began + (AHEAD_NS / 1e6 + after_ms) / 1e3 - time.monotonic())):
                return
            try:
                edges.readings.append(host.usage(handle, memory=False))
            except ExitedError:
                return  # whoever asks next is told

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield edges
    finally:
        over.set()
        reader.join(GRACE_S)
