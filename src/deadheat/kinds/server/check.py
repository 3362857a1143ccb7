"""The check of a server before any timing: started alone, asked everything, stopped. Kinds http and grpc."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from deadheat.hosts import ExitedError, Handle, Host, StartError
from deadheat.hosts.network import dial
from deadheat.hosts.program import Exit, Why
from deadheat.kinds import conformance
from deadheat.kinds.conformance import Case
from deadheat.kinds.server.started import NotServingError, last_words, started_server
from deadheat.model.address import Address
from deadheat.run.check import Check
from deadheat.run.kind import Stage

LAST_BREATH_S = 0.5
CONNECT_S = 1.0
# Of what a server printed that answered wrong, in characters.
PRINTED = 2000


@dataclass(frozen=True)
class Listening:
    """A server that listens at a port; `at` is where it is asked, `stop` is for a case that looks at how it
    ends."""

    host: Host
    handle: Handle
    port: int
    at: Address

    def stop(self, grace_s: float) -> Exit:
        """SIGTERM, and SIGKILL after the grace."""
        return self.host.stop(self.handle, grace_s)


def check(stage: Stage, entry: str, cases: Callable[[Listening], Iterable[Case]]) -> Check:
    """Start an entry and ask it case after case, as soon as somebody listens."""
    host, port = stage.host, stage.port(entry)
    at = stage.address(entry, port)
    spec = stage.spec(entry, {"port": port})
    try:
        # Only that somebody listens: what it answers is for the cases to judge.
        with started_server(host, spec, port, lambda _: _nobody(at), stage.stop) as server:
            return _asked(host, server.handle, cases(Listening(host, server.handle, port, at)))
    except StartError as error:
        return Check(False, 0, str(error))
    except NotServingError as error:
        return Check(False, 0, str(error), error.output_tail)


def _asked(host: Host, handle: Handle, cases: Iterable[Case]) -> Check:
    found = conformance.run(cases)
    if not found.ok:
        # A connection that breaks is seen a moment before the death that broke it.
        for event in host.events(handle, LAST_BREATH_S):
            # One that a case stopped is gone because it was asked to be.
            if event.exit.why is Why.EXIT:
                # That it is gone says more than the answer that did not come.
                gone = f"{ExitedError(event.exit)}{last_words(host, handle)}"
                return Check(False, found.cases, gone, host.collect(handle).output_tail)
        # Why it answered so stands mostly there.
        if printed := host.collect(handle).output_tail.strip():
            said = printed[-PRINTED:]
            return replace(found, exchange=f"{found.exchange or ''}\nIt printed at last:\n{said}".lstrip())
    return found


def _nobody(at: Address) -> str | None:
    with dial(at, CONNECT_S):
        return None
