"""One race on a machine at a time: two would be each other's noise."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deadheat.errors import UserError
from deadheat.util.locks import locked

#: How often whoever waits for a machine looks whether it is free.
POLL_S = 0.05


def default_path() -> Path:
    """The machine's lock file; DEADHEAT_LOCK names another (for machines that are cut in parts)."""
    return Path(os.environ.get("DEADHEAT_LOCK") or Path(tempfile.gettempdir()) / "deadheat.lock")


@contextmanager
def machine(
    run: str,
    path: Path | None = None,
    *,
    wait_s: float = 0.0,
    waiting: Callable[[str], None] = lambda _holder: None,
) -> Iterator[None]:
    """Hold the machine. Raises UserError that names who still holds it after `wait_s`; `waiting` is told who
    that is as soon as there is something to wait for.

    The kernel releases the lock with its holder, however that died, so a stale file holds nobody up:
    its text only says who was last.
    """
    path = path or default_path()
    try:
        fd = _open(path)
    except OSError as error:
        raise UserError(
            f"{path}: the lock of this machine cannot be opened: {error.strerror}",
            hint="DEADHEAT_LOCK names another file; all who race on this machine must name the same",
        ) from error
    try:
        deadline, told = time.monotonic() + wait_s, False
        while not locked(fd):
            holder = os.pread(fd, 200, 0).decode(errors="replace").strip() or "another process"
            if time.monotonic() >= deadline:
                raise UserError(
                    f"a race is on already: {holder}",
                    hint="wait for it, or stop it with Ctrl-C; two at once would be each other's noise",
                )
            if not told:
                waiting(holder)
                told = True
            time.sleep(POLL_S)
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{run}, pid {os.getpid()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode(), 0)
        yield
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def _open(path: Path) -> int:
    # Not created where it is: in a sticky folder even root may not open another's file with O_CREAT.
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
