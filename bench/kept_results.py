"""docs/results/: what races found whose figures stand in a page, so that the page can be made again of it."""

from __future__ import annotations

import lzma
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.result import Results
from deadheat.storage.run_folder import RunFolder, results_of
from deadheat.util.files import write_whole

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "results"
SUFFIX = ".json.xz"


def keep(name: str, run: RunFolder) -> Path:
    """Its results.json, compressed, in the place of what was kept by that name. Paths below the clone are as
    seen from there, and those below the user's folder as from that: where they lie is nobody's business."""
    text = run.results_file.read_bytes().replace(f"{ROOT}/".encode(), b"")
    text = text.replace(f"{Path.home()}/".encode(), b"~/")
    KEPT.mkdir(exist_ok=True)
    return write_whole(_file(name), lzma.compress(text, preset=9))


def results(name: str) -> Results:
    """What is kept by that name. Raises UserError where that is nothing, or damaged."""
    file = _file(name)
    try:
        text = lzma.decompress(file.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{file}: cannot be read: {why}", hint="racing it again keeps it anew") from error
    return results_of(text, file)


def of_study(study: str, run: str) -> str:
    """The name of one of a study's runs: `deadheat`, `beside.plug-cowboy`, `as-published`."""
    return f"{study}.{run}"


def names_of(study: str) -> list[str]:
    """Those kept of a study's runs: by our method, then rows beside it, then by its own."""
    found = KEPT.glob(of_study(study, "*") + SUFFIX)
    return sorted((file.name.removesuffix(SUFFIX) for file in found), reverse=True)


def _file(name: str) -> Path:
    return KEPT / f"{name}{SUFFIX}"
