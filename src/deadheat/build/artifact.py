"""What an artifact is made of: the sizes of an ELF file, and the libraries it needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from deadheat.model.artifact import Binary

_MAGIC = b"\x7fELF"
_NEEDED = re.compile(r"\(NEEDED\).*\[(.*?)\]")


def is_elf(path: Path) -> bool:
    """Whether it is native code of this system."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def binary(path: Path) -> Binary | None:
    """Its sizes; None for what is no ELF file. The file itself is left as it is."""
    if not path.is_file() or not is_elf(path):
        return None
    return Binary(
        as_built=path.stat().st_size,
        without_debug=_stripped_bytes(path, "--strip-debug"),
        stripped=_stripped_bytes(path, "--strip-all"),
        libraries=_libraries(path),
    )


def _stripped_bytes(path: Path, option: str) -> int | None:
    """The size of a copy without some of it; None without strip, or where it does not know the format."""
    if shutil.which("strip") is None:
        return None
    with tempfile.TemporaryDirectory(prefix="deadheat-strip-") as folder:
        copy = Path(folder) / "copy"
        ended = subprocess.run(["strip", option, "-o", copy, path], capture_output=True, check=False)
        return copy.stat().st_size if ended.returncode == 0 else None


def _libraries(path: Path) -> tuple[str, ...] | None:
    if shutil.which("readelf") is None:
        return None
    ended = subprocess.run(
        ["readelf", "--dynamic", "--wide", path], capture_output=True, text=True, check=False
    )
    return tuple(_NEEDED.findall(ended.stdout)) if ended.returncode == 0 else None
