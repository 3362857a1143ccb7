"""The ledger of this machine's races: a line each, in the cache, the newest last.

A plain file and no database: a process that is about to measure loads nothing large for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from deadheat.model.past import PastRace
from deadheat.util.files import explained, write_whole
from deadheat.util.paths import cache_folder

# Older ones are forgotten: more than the pool of any one kind asks for.
MOST = 2_000


def file() -> Path:
    return cache_folder() / "past-races.jsonl"


def read(path: Path | None = None) -> list[PastRace]:
    """Every line that can be read, the oldest first; of a run that was resumed the last line of a race."""
    path = path or file()
    if not path.exists():
        return []
    races: dict[tuple[str, str, str | None], PastRace] = {}
    for line in path.read_text(errors="replace").splitlines():
        try:
            race = PastRace.model_validate_json(line)
        except ValidationError:
            # Torn, or of another version: what cannot be read was not seen.
            continue
        races[race.run, race.workload, race.setting] = race
    return list(races.values())


def add(found: Sequence[PastRace], path: Path | None = None) -> None:
    """Keep these with what is there. Raises UserError where the file cannot be written."""
    path = path or file()
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = {(race.run, race.workload, race.setting) for race in found}
        kept = [race for race in read(path) if (race.run, race.workload, race.setting) not in new]
        lines = [race.model_dump_json() for race in (*kept, *found)][-MOST:]
        write_whole(path, "".join(f"{line}\n" for line in lines))
