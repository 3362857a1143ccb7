"""One race on a machine at a time: two would be each other's noise."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deadheat.errors import UserError


def default_path() -> Path:
    """The machine's lock file; DEADHEAT_LOCK names another (for machines that are cut in parts)."""
    return Path(os.environ.get("DEADHEAT_LOCK") or Path(tempfile.gettempdir()) / "deadheat.lock")


@contextmanager
def machine(run: str, path: Path | None = None) -> Iterator[None]:
    """Hold the machine. Raises UserError that names who holds it.

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
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 200, 0).decode(errors="replace").strip() or "another process"
            raise UserError(
                f"a race is on already: {holder}",
                hint="wait for it, or stop it with Ctrl-C; two at once would be each other's noise",
            ) from None
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
