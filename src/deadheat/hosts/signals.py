"""Signals as a shell leaves them: a program is not to find blocked what whoever starts it has blocked."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def none_blocked() -> Iterator[None]:
    """In this thread, so that what it starts meanwhile has none blocked either."""
    before = signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
