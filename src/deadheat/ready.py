"""Ready when it answers right, not after a sleep."""

from __future__ import annotations

import time
from collections.abc import Callable

from deadheat.process import ExitedError, Process

FIRST_PAUSE_S = 0.001
LONGEST_PAUSE_S = 0.05


class NotReadyError(Exception):
    """It did not answer right by the deadline. `reason` is the last thing that was wrong."""

    def __init__(self, timeout_s: float, reason: str) -> None:
        super().__init__(f"not ready after {timeout_s:g} s: {reason}")
        self.reason = reason


def wait_until_ready(process: Process, wrong: Callable[[], str | None], timeout_s: float) -> int:
    """Asks `wrong` until it has no complaint; nanoseconds from the program's start to then.

    `wrong` says what is wrong with the program's answer, or None if it is right; an OSError (nobody
    listens yet) is a complaint like any other. It must not block for long: give its sockets a timeout.
    Pauses grow from 1 to 50 ms. Raises ExitedError as soon as the program exits, NotReadyError at
    the deadline.
    """
    deadline = time.monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while True:
        reason = _complaint(wrong)
        if reason is None:
            return time.monotonic_ns() - process.started_ns
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise NotReadyError(timeout_s, reason)
        try:
            raise ExitedError(process.wait(min(pause_s, left_s)))
        except TimeoutError:
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _complaint(wrong: Callable[[], str | None]) -> str | None:
    try:
        return wrong()
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__
