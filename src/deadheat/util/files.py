"""Files written whole or not at all, and what to do where they cannot be written."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from deadheat.errors import ExitCode, UserError


def write_whole(path: Path, content: str | bytes, elsewhere: str = "--out names another folder") -> Path:
    """Write a file beside and rename it into place. Raises UserError, with what was there untouched."""
    beside = path.with_name(f".{path.name}-{os.getpid()}")
    with explained(path, elsewhere):
        try:
            if isinstance(content, bytes):
                beside.write_bytes(content)
            else:
                beside.write_text(content, encoding="utf-8")
            beside.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    return path


def write_new(path: Path, text: str, *, name: str, there: str, elsewhere: str | None = None) -> Path:
    """Write a file that is not there yet, and its folder. Raises UserError, which calls it `name`, with hint
    `there` where it is there already, `elsewhere` where it cannot be written."""
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError as error:
        raise UserError(f"{name} is there already", hint=there) from error
    except OSError as error:
        raise UserError(f"{name} cannot be written: {error.strerror}", hint=elsewhere) from error
    return path


@contextlib.contextmanager
def explained(path: Path, elsewhere: str = "--out names another folder") -> Iterator[None]:
    """An OSError while writing becomes a sentence with the file and what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise UserError(
            f"{path}: cannot be written: {error.strerror}",
            hint="make room and run it again" if full else elsewhere,
            code=ExitCode.NOTHING_MEASURED if full else ExitCode.USAGE,
        ) from error
