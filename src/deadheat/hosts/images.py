"""What the processes of a program consist of: their threads, and the files whose code they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Image:
    """One process. `files`: its program first, then whatever else it has mapped code of, by name."""

    pid: int
    threads: tuple[int, ...]
    files: tuple[str, ...]


def read(pids: Iterable[int], proc: Path = PROC) -> tuple[Image, ...]:
    """Of these processes. Raises OSError where one is gone, or may not be looked into."""
    return tuple(_read(pid, proc / str(pid)) for pid in pids)


def _read(pid: int, folder: Path) -> Image:
    program = str((folder / "exe").resolve(strict=True))
    mapped = sorted({*_code((folder / "maps").read_text().splitlines())} - {program})
    threads = sorted(int(task.name) for task in (folder / "task").glob("[0-9]*"))
    return Image(pid, tuple(threads), (program, *mapped))


def _code(lines: Sequence[str]) -> Iterator[str]:
    """The sixth column of /proc/PID/maps, of code."""
    for line in lines:
        columns = line.split(maxsplit=5)
        if len(columns) == 6 and "x" in columns[1] and columns[5].startswith("/"):
            yield columns[5]
