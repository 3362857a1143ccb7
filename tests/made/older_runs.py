"""Runs of commit f6a1ed6, as they were kept: packed, and without the suite's place."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "tests" / "fixtures" / "runs-f6a1ed6"


def unpacked(name: str, folder: Path) -> Path:
    """A copy of one of them in this folder, as a race leaves it: of today's suite."""
    shutil.copytree(RUNS / name, folder)
    for packed in folder.glob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    plan = folder / "plan.json"
    plan.write_text(plan.read_text().replace("@SUITE@", str(ROOT / "suite")))
    return folder
