"""Errors for the person who reads them, and the exit codes of the command line."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a run ended with."""

    DONE = 0
    GATE_FAILED = 1
    USAGE = 2
    NOTHING_MEASURED = 3
    NOTHING_JUDGED = 4
    INTERRUPTED = 130


# To `git bisect run`, which takes 2 for a bad commit: this one cannot be judged; and stop.
BISECT_SKIPS, BISECT_STOPS = 125, 128


class UserError(Exception):
    """Something the user can mend: what is wrong, where, and what to do (the hint)."""

    def __init__(self, message: str, *, hint: str | None = None, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
