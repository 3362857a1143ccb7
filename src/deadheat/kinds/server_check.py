"""The check of a server before any timing: started alone, asked everything, stopped. Kinds http and grpc."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from deadheat import conformance, hosts
from deadheat.conformance import Case, Check
from deadheat.hosts import ExitedError, Handle, Host, NotReadyError, StartError
from deadheat.kinds.base import Stage
from deadheat.kinds.server import READY_TIMEOUT_S, STOP_GRACE_S, elsewhere, last_words
from deadheat.program import Exit, Why

LAST_BREATH_S = 0.5


@dataclass(frozen=True)
class Listening:
    """A server that listens at a port; `stop` is for a case that looks at how it ends."""

    host: Host
    handle: Handle
    port: int

    def stop(self, grace_s: float) -> Exit:
        """SIGTERM, and SIGKILL after the grace."""
        return self.host.stop(self.handle, grace_s)


def check(stage: Stage, entry: str, cases: Callable[[Listening], Iterable[Case]]) -> Check:
    """Start an entry and ask it case after case, as soon as somebody listens."""
    host, port = stage.host, stage.host.free_port()
    with ExitStack() as stack:
        try:
            handle = host.start(stage.spec(entry, {"port": port}))
        except StartError as error:
            return Check(False, 0, str(error))
        stack.callback(host.stop, handle, STOP_GRACE_S)
        try:
            # Only that somebody listens: what it answers is for the cases to judge.
            hosts.ready(host, handle, lambda: _nobody(host.address, port), READY_TIMEOUT_S, stage.stop)
        except ExitedError as error:
            return _exited(host, handle, 0, error)
        except NotReadyError as error:
            reason = f"{error}{elsewhere(host, handle, port)}"
            return Check(False, 0, reason, host.collect(handle).output_tail)
        found = conformance.run(cases(Listening(host, handle, port)))
        if not found.ok:
            # A connection that breaks is seen a moment before the death that broke it.
            for event in host.events(handle, LAST_BREATH_S):
                # One that a case stopped is gone because it was asked to be.
                if event.exit.why is Why.EXIT:
                    return _exited(host, handle, found.cases, ExitedError(event.exit))
        return found


def _exited(host: Host, handle: Handle, cases: int, error: ExitedError) -> Check:
    """That it is gone says more than the answer that did not come."""
    return Check(False, cases, f"{error}{last_words(host, handle)}", host.collect(handle).output_tail)


def _nobody(address: str, port: int) -> str | None:
    with socket.create_connection((address, port), timeout=1):
        return None
