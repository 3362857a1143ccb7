"""Waiting on a host: for the end of a program, or until a server answers right."""

from __future__ import annotations

import time
from collections.abc import Callable

from deadheat.hosts.protocol import ExitedError, Handle, Host, NotReadyError
from deadheat.interrupt import Stop
from deadheat.program import Exit

# How long Ctrl-C may go unnoticed while nothing happens.
POLL_S = 0.2
FIRST_PAUSE_S = 0.001
LONGEST_PAUSE_S = 0.05


def wait(host: Host, handle: Handle, stop: Stop) -> Exit:
    """Until it ends. Raises InterruptedRunError where somebody asks to stop; the program is then stopped."""
    while True:
        for event in host.events(handle, POLL_S):
            return event.exit
        if stop.requested:
            host.stop(handle, grace_s=1.0)
            stop.check()


def ready(host: Host, handle: Handle, wrong: Callable[[], str | None], timeout_s: float, stop: Stop) -> int:
    """Ask `wrong` until it has no complaint; nanoseconds from the program's start to then.

    `wrong` says what is wrong with the program's answer, None if it is right; an OSError (nobody listens
    yet) is a complaint like any other. Raises ExitedError as soon as the program exits, NotReadyError at
    the deadline, InterruptedRunError where somebody asks to stop.
    """
    deadline = time.monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while True:
        stop.check()
        reason = _complaint(wrong)
        if reason is None:
            return host.now_ns() - handle.started_ns
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise NotReadyError(timeout_s, reason)
        for event in host.events(handle, min(pause_s, left_s)):
            raise ExitedError(event.exit)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _complaint(wrong: Callable[[], str | None]) -> str | None:
    try:
        return wrong()
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__
