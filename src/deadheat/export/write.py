"""An export onto the disk: every file is written beside, and all are renamed only when all are written."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from deadheat.errors import UserError
from deadheat.export.format import Format, Rendered
from deadheat.util.files import explained


def write(rendered: Rendered, format_: Format, out: Path) -> list[Path]:
    """Write the files: `out` is a folder for a format of several, else the file (or a folder that is there).

    Raises UserError, with what was there untouched.
    """
    if format_.several and out.exists() and not out.is_dir():
        raise UserError(
            f"{out}: is a file, and {format_.name} is {len(rendered.files)} files",
            hint="--out names a folder for them",
        )
    into_folder = format_.several or out.is_dir()
    targets = {(out / name if into_folder else out): content for name, content in rendered.files.items()}
    with explained(out, "--out names another place"):
        (out if into_folder else out.parent).mkdir(parents=True, exist_ok=True)
        beside = {target: target.with_name(f".{target.name}-{os.getpid()}") for target in targets}
        try:
            for target, content in targets.items():
                beside[target].write_bytes(content)
            for target, temporary in beside.items():
                temporary.replace(target)
        except OSError:
            for temporary in beside.values():
                with contextlib.suppress(OSError):
                    temporary.unlink()
            raise
    return list(targets)
