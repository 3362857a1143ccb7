"""Places in JSON: `$.items[0].id`, and `$` for all of it."""

from __future__ import annotations

import re
from typing import Any

#: Of a place below the top.
PATTERN = r"\$(\.[A-Za-z_][A-Za-z0-9_-]*|\[\d+\])+"
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


class Missing:
    """There is nothing at a place: not the same as null."""


MISSING = Missing()


def at(path: str, value: Any) -> Any:
    """What stands there in a value as json.loads has it; MISSING where nothing does."""
    for key, index in _STEP.findall(path):
        try:
            value = value[key] if key else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value
