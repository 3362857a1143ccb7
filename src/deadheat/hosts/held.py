"""This machine, held: as a host, under its lock, with Ctrl-C heard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deadheat.hosts import lock
from deadheat.hosts.local import LocalHost
from deadheat.hosts.protocol import Host
from deadheat.util.interrupt import Stop


@contextmanager
def this_machine(what: str) -> Iterator[tuple[Host, Stop]]:
    """The host for `what` is done here; no other of us races or builds meanwhile. Raises UserError."""
    with lock.machine(what), Stop() as stop, LocalHost() as host:
        yield host, stop
