"""Where a calibration is kept: its races, one a line, and what they add up to."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from deadheat.errors import UserError
from deadheat.hosts import Host
from deadheat.hosts.held import this_host
from deadheat.model.calibration import Calibration, CalibrationCited, CalibrationRace, MachineId
from deadheat.util.files import explained, write_whole
from deadheat.util.paths import cache_folder

FILE, RACES = "calibration.json", "races.jsonl"


def folder() -> Path:
    """In the cache."""
    return cache_folder() / "calibration"


def of_host(host: Host) -> MachineId:
    """What a calibration made there now would be of."""
    here = host.machine(window_s=0)
    return MachineId(kernel=here.kernel, cpu_model=here.cpu_model, cores=here.cores)


def read_races(path: Path) -> list[CalibrationRace]:
    """Every whole race; none where there is no file. A torn last line is left out. Raises UserError."""
    if not path.exists():
        return []
    races = []
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            races.append(CalibrationRace.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise UserError(
                f"{path}:{number}: no race of this version: {where}: {first['msg']}",
                hint="deadheat calibrate --fresh starts over",
            ) from error
    return races


def append(path: Path, race: CalibrationRace) -> None:
    """One line more; a torn one before it, of a run that was killed, is dropped first."""
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        write_whole(path, f"{whole}{race.model_dump_json()}\n")


def write(calibration: Calibration, path: Path | None = None) -> Path:
    """calibration.json, in the cache where no other place is named."""
    path = path or folder() / FILE
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return write_whole(path, calibration.model_dump_json(by_alias=True, indent=2) + "\n")


def current(path: Path | None = None) -> Calibration | None:
    """The one that was kept last; None where there is none that can be read."""
    try:
        return Calibration.model_validate_json((path or folder() / FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def stale(calibration: Calibration, here: MachineId) -> str | None:
    """Why it does not hold here, or None."""
    was = calibration.machine
    compared = (
        ("kernel", was.kernel, here.kernel),
        ("processor", was.cpu_model, here.cpu_model),
        ("number of cores", was.cores, here.cores),
    )
    changed = [f"{what} {before}, now {now}" for what, before, now in compared if before != now]
    return f"it was made with {', and with '.join(changed)}" if changed else None


def cited(path: Path | None = None, here: MachineId | None = None) -> CalibrationCited | None:
    """What a plan records of it; None where this machine was never calibrated."""
    found = current(path)
    if found is None:
        return None
    return CalibrationCited(
        id=found.id, made=found.made, settles=found.settles, stale=stale(found, here or of_host(this_host()))
    )


def dump(calibration: Calibration) -> str:
    """For --json."""
    return json.dumps(calibration.model_dump(by_alias=True, mode="json"), indent=2) + "\n"
