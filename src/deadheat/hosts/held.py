"""This machine as a host: to be looked at, or held, under its lock and with Ctrl-C heard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deadheat.hosts.local import LocalHost
from deadheat.hosts.process import Launcher
from deadheat.hosts.protocol import Host
from deadheat.util.interrupt import Stop


def this_host() -> Host:
    """As whoever plans looks at it: others may race here meanwhile."""
    return LocalHost()


@contextmanager
def this_machine(what: str) -> Iterator[tuple[Host, Stop]]:
    """The host for `what` is done here; no other of us races or builds meanwhile. Raises UserError."""
    with Stop() as stop, LocalHost(Launcher.find()) as host:
        host.hold(what)
        yield host, stop
