"""What the generator's connections cost a server to open, apart from all that it then answers on them."""

from __future__ import annotations

from collections.abc import Callable

from deadheat.hosts import Handle, Host
from deadheat.kinds.server.rest import rest

# The client's side of a handshake ends first; the server's has ended once its CPU clock stands still so long.
STILL_S = 0.005
# One that works on its own account never stands still.
LONGEST_S = 0.25


def cpu_ns(host: Host, handle: Handle, open_all: Callable[[], None]) -> int:
    """CPU time of a server, ns, while all connections are opened. Raises ExitedError, and what `open_all`
    raises."""
    before = _used_ns(host, handle)
    open_all()
    rest(host, handle, LONGEST_S, STILL_S, at_rest=0)
    # Who ends takes its time with it.
    return max(0, _used_ns(host, handle) - before)


def _used_ns(host: Host, handle: Handle) -> int:
    return host.usage(handle, memory=False).cpu.total_ns
