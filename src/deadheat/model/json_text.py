"""Values of manifests that may be tables, or JSON in a text."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BeforeValidator


def read(value: Any) -> Any:
    """A value as TOML has it, or JSON in a text. Raises ValueError."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"no JSON: {error}") from error


# Of a field that may be given so.
READ = BeforeValidator(read)
