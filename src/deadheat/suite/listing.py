"""What a suite holds, in short. Manifests are read and checked once; after that, until one of them
changes, what was read is remembered in the cache: checking fifty of them takes longer than `deadheat list`
should.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

from deadheat import __version__
from deadheat.errors import UserError
from deadheat.util import files
from deadheat.util.paths import cache_folder

ROOM = Path(__file__).parent
#: What reads manifests: where one of these changes, so may what is right in a manifest.
READERS = (ROOM, ROOM.parent / "model", ROOM.parent / "model" / "kinds")
# A file: where it is, when it was written (ns), how long it is.
Stamp = list[str | int]


def of(folder: Path) -> list[dict[str, Any]]:
    """Workloads with their contenders, as `deadheat list --json` prints them. Raises UserError."""
    stamps = _stamps(folder)
    remembered = _file(folder)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(remembered.read_text(encoding="utf-8"))
        if kept["stamps"] == stamps:
            return list(kept["workloads"])
    workloads = _read(folder)
    with contextlib.suppress(OSError, UserError):  # a home that cannot be written is read anew each time
        remembered.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(remembered, json.dumps({"stamps": stamps, "workloads": workloads}))
    return workloads


def _file(folder: Path) -> Path:
    name = f"{zlib.crc32(os.fsencode(folder.absolute())):08x}.json"  # the stamps tell two of one name apart
    return cache_folder() / "suites" / name


def _read(folder: Path) -> list[dict[str, Any]]:
    from deadheat.suite.suite import load

    suite = load(folder)
    return [
        {
            "name": name,
            "kind": workload.kind,
            "question": workload.question,
            "reference": workload.reference,
            "family": workload.contenders,
            "parameters": {
                parameter: how.model_dump(mode="json", exclude_defaults=True)
                for parameter, how in workload.parameters.items()
            },
            "contenders": [
                {
                    "id": c.id,
                    "title": c.title,
                    "language": c.language,
                    "class": c.class_,
                    "default": c.default,
                    "by": c.by,
                    "protocols": sorted(c.protocols),
                }
                for c in suite.contenders[name]
            ],
        }
        for name, workload in suite.workloads.items()
    ]


def _stamps(folder: Path) -> list[Stamp | str]:
    """Of every manifest that a suite could read, of what reads them, and which version of it."""
    stamps: list[Stamp | str] = [__version__]
    for place in READERS:
        stamps += _stamped(str(place), ".py")
    for workload in _folders(str(folder.absolute())):
        stamps += _stamped(workload, ".toml")
        for contender in _folders(workload):
            stamps += _stamped(contender, ".toml")
    return stamps


def _folders(folder: str) -> list[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.is_dir())
    return []


def _stamped(folder: str, ending: str) -> list[Stamp]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        stats = [(entry.path, entry.stat()) for entry in entries if entry.name.endswith(ending)]
        return sorted([path, stat.st_mtime_ns, stat.st_size] for path, stat in stats)
    return []
