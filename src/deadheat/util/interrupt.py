"""Ctrl-C: once to stop at the end of the slice, twice to stop at once."""

import contextlib
import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Self

NOTICE = b"\nstopping at the end of this slice; once more stops at once\n"


class InterruptedRunError(Exception):
    """Somebody asked to stop."""


class Stop:
    """Whether somebody asked to stop. Used as a context, it takes over SIGINT and SIGTERM."""

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, object] = {}

    def check(self) -> None:
        """Raises InterruptedRunError once a stop was asked for."""
        if self.requested:
            raise InterruptedRunError

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._asked)
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _asked(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        # Past the buffers: the signal may have come in the midst of a write to them. Nobody may be there.
        with contextlib.suppress(OSError):
            os.write(2, NOTICE)
