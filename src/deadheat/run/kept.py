"""What is kept beside a build for later races of it, by what else it holds for: a JSON file each."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from deadheat.build.built import Build
from deadheat.errors import UserError
from deadheat.util.files import write_whole


def read(build: Build, file: str) -> dict[str, Any]:
    """All that is kept in this file; nothing where there is none, or it is none."""
    if build.folder is None:
        return {}
    try:
        found = json.loads((build.folder.parent / file).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def keep(build: Build, file: str, key: str, value: Any) -> None:
    """One more, or another in its place; a cache that cannot be written keeps none."""
    if build.folder is not None:
        with contextlib.suppress(UserError):
            write_whole(build.folder.parent / file, json.dumps({**read(build, file), key: value}))
