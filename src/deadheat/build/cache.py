"""What the cache keeps: builds and tools, how large each is and when it was last used. And throwing away."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deadheat.errors import UserError

BUILDS, TOOLS, MARKER = "builds", "tools", "built.json"
What = Literal["build", "tool"]


@dataclass(frozen=True)
class Kept:
    """One build (`contender` and its key) or one tool, its size on the disk and when it was last used.

    `used_s` is on the clock of files, seconds since 1970. One that is not `whole` failed, or was cut off.
    """

    what: What
    name: str
    path: Path
    size_bytes: int
    used_s: float
    whole: bool = True


def kept(cache: Path) -> tuple[Kept, ...]:
    """All builds and tools, the largest first."""
    builds = [_build(slot) for contender in _folders(cache / BUILDS) for slot in _folders(contender)]
    tools = [
        Kept("tool", tool.name, tool, _size(tool), tool.stat().st_mtime) for tool in _folders(cache / TOOLS)
    ]
    return tuple(sorted((*builds, *tools), key=lambda one: (-one.size_bytes, one.name)))


def chosen(
    everything: Sequence[Kept], now_s: float, *, older_than_s: float | None, at_most_bytes: int | None
) -> tuple[Kept, ...]:
    """What goes: all that was last used longer ago than that, then the longest unused until the rest is no
    larger than so many bytes. Everything, where neither is asked for.
    """
    if older_than_s is None and at_most_bytes is None:
        return tuple(everything)
    limit_s = now_s - older_than_s if older_than_s is not None else float("-inf")
    going = [one for one in everything if one.used_s < limit_s]
    staying = [one for one in everything if one.used_s >= limit_s]
    left = sum(one.size_bytes for one in staying)
    for one in sorted(staying, key=lambda one: one.used_s):
        if at_most_bytes is None or left <= at_most_bytes:
            break
        going.append(one)
        left -= one.size_bytes
    return tuple(going)


def throw_away(going: Iterable[Kept]) -> None:
    """For good. Whoever calls holds the machine, so that nothing runs from there. Raises UserError."""
    for one in going:
        try:
            if one.what == "build":
                # First the mark of a whole build: what is half gone must never be taken for one.
                (one.path / MARKER).unlink(missing_ok=True)
                one.path.with_suffix(".lock").unlink(missing_ok=True)
            shutil.rmtree(one.path)
            if one.what == "build":
                with contextlib.suppress(OSError):
                    one.path.parent.rmdir()  # where it was the contender's last
        except OSError as error:
            raise UserError(f"{one.path}: cannot be removed: {error.strerror}") from error


def note_use(marker: Path) -> None:
    """Note that a build is used now; a cache that may not be written keeps its old date."""
    with contextlib.suppress(OSError):
        os.utime(marker)


def _build(slot: Path) -> Kept:
    marker, name = slot / MARKER, slot.parent.name
    with contextlib.suppress(OSError, ValueError, KeyError):
        record = json.loads(marker.read_bytes())
        name = f"{record['workload']}/{record['contender']}"
        return Kept("build", name, slot, _size(slot), marker.stat().st_mtime)
    return Kept("build", name, slot, _size(slot), slot.stat().st_mtime, whole=False)


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return []


def _size(folder: Path) -> int:
    """Bytes that it takes on the disk; what is linked to twice counts twice."""
    size = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                size += _size(Path(entry.path))
            else:
                size += entry.stat(follow_symlinks=False).st_blocks * 512
    return size
