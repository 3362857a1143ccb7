"""Locks on files, which the kernel releases with their holder."""

from __future__ import annotations

import fcntl


def locked(file: int) -> bool:
    """Whether the open file is this process's from now on; False where another has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
