"""A server that is left alone with what it puts off under load.

A compiler that translates what is hot has a thread of its own, and a server with a thread for each connection
has dozens beside it: on one core the compiler gets its share of the core and no more, and the server stands
for tens of seconds at the level of code that is not compiled yet. docs/method.md has the curves.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from deadheat.hosts import Handle, Host

# For so long at most, looked at so often.
MOST_S, LOOK_S = 2.0, 0.01
# Of the time between two looks; a thread that wakes up by a timer of its own uses less.
AT_REST = 0.2


@dataclass(frozen=True)
class Rest:
    """How long a server was left alone, seconds, and whether it was still at work at the end."""

    seconds: float
    working: bool


def rest(
    host: Host, handle: Handle, most_s: float = MOST_S, look_s: float = LOOK_S, at_rest: float = AT_REST
) -> Rest:
    """Leave a server alone until it uses no more CPU time between two looks than that share of a core, or for
    so long. Raises ExitedError."""
    began = before = host.usage(handle, memory=False)
    while True:
        time.sleep(look_s)
        now = host.usage(handle, memory=False)
        working = now.cpu.total_ns - before.cpu.total_ns > at_rest * (now.at_ns - before.at_ns)
        seconds = (now.at_ns - began.at_ns) / 1e9
        if not working or seconds >= most_s:
            return Rest(seconds, working)
        before = now
