"""A server's life: started, waited for, stopped at the end whatever happens."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from deadheat import hosts
from deadheat.hosts import ExitedError, Handle, Host, NotReadyError, Spec
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import is_loopback
from deadheat.util.interrupt import Stop

READY_TIMEOUT_S = 30.0
STOP_GRACE_S = 5.0


# Asks a server something: None is a right answer, a clause says what is wrong with it, and OSError means that
# nobody answers yet.
Complaint = Callable[[Handle], str | None]


class NotServingError(Exception):
    """A server that was started and never answered right: why, in a clause, and its last lines. `ports`:
    where it listens, as far as that is known."""

    def __init__(self, reason: str, output_tail: str, ports: tuple[int, ...] = ()) -> None:
        super().__init__(reason)
        self.output_tail, self.ports = output_tail, ports


@dataclass(frozen=True)
class Serving:
    """A server that answers at its port; `ready_ns` is how long that took from its start."""

    host: Host
    handle: Handle
    port: int
    ready_ns: int


@contextmanager
def started_server(
    host: Host,
    spec: Spec,
    port: int,
    complaint: Complaint,
    stop: Stop,
    *,
    timeout_s: float | None = None,
    grace_s: float | None = None,
) -> Iterator[Serving]:
    """Start it, wait until there is no complaint, stop it at the end (at once where it never comes so far).

    Raises StartError, NotServingError and InterruptedRunError.
    """
    handle = host.start(spec)
    patience_s = READY_TIMEOUT_S if timeout_s is None else timeout_s
    try:
        try:
            ready_ns = hosts.ready(host, handle, lambda: complaint(handle), patience_s, stop)
        except ExitedError as error:
            raise NotServingError(f"{error}{last_words(host, handle)}", _tail(host, handle)) from error
        except NotReadyError as error:
            left = host.collect(handle)
            refused = error.errno == errno.ECONNREFUSED
            why = f"{error}{elsewhere(host.address, left.ports, port, refused=refused)}"
            raise NotServingError(why, left.output_tail, left.ports) from error
        yield Serving(host, handle, port, ready_ns)
    finally:
        host.stop(handle, STOP_GRACE_S if grace_s is None else grace_s)


def until_right(ask: Callable[[], None]) -> Complaint:
    """The complaint of a question that raises Wrong, or OSError where nobody answers yet."""

    def complaint(_: Handle) -> str | None:
        try:
            ask()
        except Wrong as wrong:
            return wrong.reason
        return None

    return complaint


def last_words(host: Host, handle: Handle) -> str:
    """A clause with the last line that a server printed; empty where it printed none."""
    tail = _tail(host, handle).strip().splitlines()
    return f"; its last line: {last_line(tail[-1])}" if tail else ""


def last_line(line: str) -> str:
    """As much of it as a clause has room for."""
    return line[:200]


def elsewhere(address: str, ports: tuple[int, ...], port: int, *, refused: bool) -> str:
    """A clause with the ports on which a server of a host at that address listens, if it does but not where
    it was told; `refused`: nobody took a connection there."""
    if port in ports and not is_loopback(address):
        return f"; it listens at that port, but not at {address}: let its run line or env have {{host}}"
    if port in ports and refused:
        return f"; it listens at that port, but not at {address} (at ::1 alone?)"
    if not ports or port in ports:
        return ""
    return f"; it was told port {port} and listens on {', '.join(map(str, ports))}"


def _tail(host: Host, handle: Handle) -> str:
    return host.collect(handle).output_tail
