"""How each contender is built and run, and its sources, to be folded into the page."""

from dataclasses import dataclass
from pathlib import Path

from deadheat.model.contender import Contender

# The page is to stay below 3 MB whatever is raced.
MOST_BYTES_A_FILE = 12_000
MOST_BYTES_A_CONTENDER = 30_000
MOST_BYTES = 500_000
# Made, not written: nobody reads them.
LEFT_OUT = {"_build", "deps", "node_modules", "target", "__pycache__", "bin", "obj", "lib"}
LEFT_OUT_SUFFIXES = (".lock", "-lock.json", ".sum", ".lock.json")


@dataclass(frozen=True)
class SourceFile:
    """`text` is None where the file is too large to be shown here or no text."""

    name: str
    size: int
    text: str | None


class Sources:
    """Reads sources until the page has enough of them."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def of(self, contender: Contender) -> tuple[SourceFile, ...]:
        """The contender's own files, its manifest first, the shallow before the deep."""
        left = min(MOST_BYTES_A_CONTENDER, self._left)
        found = []
        for path in _files(contender.folder):
            size = path.stat().st_size
            text = _text(path) if size <= min(MOST_BYTES_A_FILE, left) else None
            if text is not None:
                left -= size
                self._left -= size
            found.append(SourceFile(path.relative_to(contender.folder).as_posix(), size, text))
        return tuple(found)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = []
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        made = any(part in LEFT_OUT or part.startswith(".") for part in parts)
        if (
            not made
            and not path.name.endswith(LEFT_OUT_SUFFIXES)
            and path.is_file()
            and not path.is_symlink()
        ):
            found.append(path)
    return sorted(found, key=lambda p: (p.name != "contender.toml", len(p.parts), p.as_posix()))


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
