"""docs/results/: what races found whose figures stand in a page, so that the page can be made again of it."""

from __future__ import annotations

import lzma
from pathlib import Path

from deadheat.model.result import Results
from deadheat.storage.run_folder import RunFolder, results_in
from deadheat.util.files import write_whole

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "results"


def keep(name: str, run: RunFolder) -> Path:
    """Its results.json, compressed, in the place of what was kept by that name. Paths below the clone are as
    seen from there, for where that lies is nobody's business."""
    text = run.results_file.read_bytes().replace(f"{ROOT}/".encode(), b"")
    KEPT.mkdir(exist_ok=True)
    return write_whole(_file(name), lzma.compress(text, preset=9))


def results(name: str) -> Results:
    """What is kept by that name. Raises UserError where that is nothing."""
    return results_in(_file(name))


def _file(name: str) -> Path:
    return KEPT / f"{name}.json.xz"
