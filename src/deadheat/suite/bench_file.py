"""A user's own bench/deadheat.toml, and what stands in for it on a command line."""

from __future__ import annotations

from pathlib import Path

from deadheat.model.bench import BenchFile
from deadheat.suite import toml_file

PLACE = "bench/deadheat.toml"


def parse(text: str, shown: Path) -> BenchFile:
    """Its text as a record; `shown` is what messages call the file. Raises UserError with the line."""
    return toml_file.parse(text, shown, BenchFile)
