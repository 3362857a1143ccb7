"""results.sha256: whether results.json is still what a run wrote, or was edited by hand since."""

import hashlib
from pathlib import Path

from deadheat.storage.run_folder import RunFolder
from deadheat.util.files import write_whole

FILE = "results.sha256"
EDITED = "results.edited.json"


def write(folder: RunFolder) -> None:
    """In the form that `sha256sum --check` reads."""
    folder.write(FILE, f"{_digest(folder.results_file)}  {folder.results_file.name}\n")


def fits(folder: RunFolder) -> bool | None:
    """None where there is no checksum: a run of before there was one, or half a folder."""
    try:
        recorded = (folder.path / FILE).read_text().split()
        return recorded[0] == _digest(folder.results_file)
    except (OSError, IndexError):
        return None


def keep_edited(folder: RunFolder) -> list[str]:
    """Before results.json is written again: keep an edited one beside. What to say of it from then on."""
    if fits(folder) is False:
        # A copy, not a move: on a full disk nothing may come to stand in its place.
        write_whole(folder.path / EDITED, folder.results_file.read_bytes())
    if not (folder.path / EDITED).exists():
        return []
    return [
        "results.json was edited by hand: its checksum failed. What is shown here was derived again from the "
        f"journal; the edited file is kept as {EDITED}."
    ]


def complaints(folder: RunFolder) -> list[str]:
    """One line where the checksum fails, or did."""
    if fits(folder) is False:
        return ["The checksum of results.json fails: it was edited by hand after the run wrote it."]
    return keep_edited(folder)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
