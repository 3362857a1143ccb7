"""Waiting on a host: for the end of a program, or until a server answers right."""

from __future__ import annotations

import time
from collections.abc import Callable

from deadheat.hosts.program import Exit
from deadheat.hosts.protocol import ExitedError, Handle, Host, NotReadyError
from deadheat.util.interrupt import Stop

# How long Ctrl-C may go unnoticed while nothing happens.
POLL_S = 0.2
# A server is asked each millisecond, after a second each thousandth of the time so far, and never so often
# that asking takes more than this share of a CPU: it might be the one that the server starts on.
SHORTEST_PAUSE_S = 0.001
OF_THE_TIME_SO_FAR = 0.001
CPU_SHARE = 0.1


def wait(host: Host, handle: Handle, stop: Stop, meanwhile: Callable[[], None] = lambda: None) -> Exit:
    """Until it ends; `meanwhile` is called every now and then. Raises InterruptedRunError where somebody asks
    to stop; the program is then stopped."""
    while True:
        for event in host.events(handle, POLL_S):
            return event.exit
        meanwhile()
        if stop.requested:
            host.stop(handle, grace_s=1.0)
            stop.check()


def ready(host: Host, handle: Handle, wrong: Callable[[], str | None], timeout_s: float, stop: Stop) -> int:
    """Ask `wrong` until it has no complaint; nanoseconds from the program's start to then.

    `wrong` says what is wrong with the program's answer, None if it is right; an OSError (nobody listens
    yet) is a complaint like any other. Raises ExitedError as soon as the program exits, NotReadyError at
    the deadline, InterruptedRunError where somebody asks to stop.
    """
    began = time.monotonic()
    while True:
        stop.check()
        cpu_s = time.thread_time()
        reason, errno = _complaint(wrong)
        if reason is None:
            return host.now_ns() - handle.started_ns
        cpu_s = time.thread_time() - cpu_s
        waited_s = time.monotonic() - began
        if waited_s >= timeout_s:
            raise NotReadyError(timeout_s, reason, errno)
        for event in host.events(handle, min(_pause_s(waited_s, cpu_s), timeout_s - waited_s)):
            raise ExitedError(event.exit)


def _pause_s(waited_s: float, cpu_s: float) -> float:
    """Until the next question, after so long and one that cost so much CPU."""
    return max(SHORTEST_PAUSE_S, OF_THE_TIME_SO_FAR * waited_s, cpu_s * (1 / CPU_SHARE - 1))


def _complaint(wrong: Callable[[], str | None]) -> tuple[str | None, int | None]:
    """With the error's number, where it is the operating system's."""
    try:
        return wrong(), None
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__, error.errno
