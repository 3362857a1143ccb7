"""What the generator's connections cost a server to open, apart from all that it then answers on them."""

from __future__ import annotations

import time
from collections.abc import Callable

from deadheat.hosts import Handle, Host

# The client's side of a handshake ends first; the server's has ended once its CPU clock stands still so long.
STILL_S = 0.005
# One that works on its own account never stands still.
LONGEST_S = 0.25


def cpu_ns(host: Host, handle: Handle, open_all: Callable[[], None]) -> int:
    """CPU time of a server, ns, while all connections are opened. Raises ExitedError, and what `open_all`
    raises."""
    before = _used_ns(host, handle)
    open_all()
    until = time.monotonic() + LONGEST_S
    used = _used_ns(host, handle)
    while time.monotonic() < until:
        time.sleep(STILL_S)
        last, used = used, _used_ns(host, handle)
        if used == last:
            break
    return max(0, used - before)


def _used_ns(host: Host, handle: Handle) -> int:
    return host.usage(handle, memory=False).cpu.total_ns
