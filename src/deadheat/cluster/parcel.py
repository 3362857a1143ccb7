"""A suite on its way to another machine: its files, packed, and known by what they are."""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from deadheat.build.sources import sources
from deadheat.suite.suite import CONTENDER_FILE, Suite


@dataclass(frozen=True, slots=True)
class Parcel:
    """A tar of a suite, and its SHA-256: the same suite has the same one wherever it was packed."""

    digest: str
    data: bytes


def packed(suite: Suite, workloads: Collection[str]) -> Parcel:
    """What these workloads need of a suite: manifests and sources, nothing that a build left."""
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in _files(suite, workloads):
            about = tar.gettarinfo(file, str(file.relative_to(suite.folder)))
            # Whose they were, and when they were written, is no part of what they are.
            about.mtime, about.uid, about.gid, about.uname, about.gname = 0, 0, 0, "", ""
            if about.isreg():
                with file.open("rb") as content:
                    tar.addfile(about, content)
            else:
                tar.addfile(about)
    data = kept.getvalue()
    return Parcel(hashlib.sha256(data).hexdigest(), data)


def unpacked(parcel: Parcel, folder: Path) -> Path:
    """The suite below `folder`, unpacked unless it is there. Raises ValueError where it came damaged."""
    if hashlib.sha256(parcel.data).hexdigest() != parcel.digest:
        raise ValueError("the suite came damaged")
    there = folder / parcel.digest[:16]
    if not there.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
            with tarfile.open(fileobj=io.BytesIO(parcel.data)) as tar:
                # Debian 12's Python 3.11.2 has no filters and knows no argument for one.
                tar.extraction_filter = getattr(tarfile, "tar_filter", None)
                tar.extractall(Path(beside) / "suite")
            # Machines may share a home: who comes second has the same.
            with suppress(OSError):
                (Path(beside) / "suite").rename(there)
    return there


def _files(suite: Suite, workloads: Collection[str]) -> Iterator[Path]:
    """All that lies below these workloads, and whatever shares a folder of contenders with one of them: a
    suite is read whole or not at all."""
    shared = {suite.workloads[name].contenders for name in workloads} - {None}
    family = {w.name for w in suite.workloads.values() if w.contenders in shared} | set(workloads)
    for name in sorted(family | {folder for folder in shared if folder is not None}):
        folder = suite.folder / name
        yield from sorted({*sources(folder), *folder.glob(f"*/{CONTENDER_FILE}")})
