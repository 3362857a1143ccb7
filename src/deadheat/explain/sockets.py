"""What the kernel counts of a server's TCP connections, as `ss -ti` prints it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deadheat.hosts import Host, StartError

_COUNTS = ("bytes_sent", "bytes_received", "segs_out", "segs_in", "data_segs_out", "data_segs_in")
TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Traffic:
    """Sums over the connections of a port, from the server's side."""

    bytes_sent: int
    bytes_received: int
    segs_out: int
    segs_in: int
    data_segs_out: int
    data_segs_in: int


def between(before: str, after: str) -> Traffic | None:
    """The difference of two outputs; None where a connection of the first is gone from the second."""
    earlier, later = parse(before), parse(after)
    if not earlier or not earlier.keys() <= later.keys():
        return None
    sums = dict.fromkeys(_COUNTS, 0)
    for peer, counts in later.items():
        for name in _COUNTS:
            sums[name] += counts[name] - earlier.get(peer, {}).get(name, 0)
    return Traffic(**sums)


def parse(text: str) -> dict[str, dict[str, int]]:
    """The counts of each connection, by its two ends. ss leaves out what is zero."""
    found: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4:
            continue
        counts = {name: int(value) for name, value in re.findall(r"\b([a-z_]+):(\d+)\b", line)}
        # The queues' lengths, then this end and the other.
        found[f"{words[2]} {words[3]}"] = {name: counts.get(name, 0) for name in _COUNTS}
    return found


def look(host: Host, port: int) -> str | None:
    """The connections to a server's port, one and its counts a line; None where ss does not tell."""
    argv = ["ss", "-tinHO", "state", "established", f"( sport = :{port} )"]
    try:
        ran = host.run(argv, env={"PATH": host.programs().path, "LC_ALL": "C"}, timeout_s=TIMEOUT_S)
    except (StartError, TimeoutError):
        return None
    return ran.stdout if ran.status == 0 else None
