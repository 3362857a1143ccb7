"""Programs that may not make a file grow: what an unprivileged test has of a full disk."""

from __future__ import annotations

# `make coverage` has every Python process write what it reached when it ends, which is a file too.
UNMEASURED = ("env", "-u", "COVERAGE_PROCESS_CONFIG")


def cramped(limit_bytes: int) -> tuple[str, ...]:
    """What to put before a command so that no file of its grows beyond the limit."""
    return (*UNMEASURED, "prlimit", f"--fsize={limit_bytes}")
