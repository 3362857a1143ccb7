"""What a race learnt of a build on this machine, kept beside the build: the lead-in that its slices need."""

from __future__ import annotations

import contextlib
import json

from deadheat.build.built import Build
from deadheat.errors import UserError
from deadheat.model.judged import without_judged
from deadheat.model.plan import RacePlan
from deadheat.util.files import write_whole

FILE = "lead-in.json"


def lead_in_ms(build: Build, race: RacePlan) -> int | None:
    """What an earlier race of this build under this load ended with; None where none made it longer."""
    kept = _read(build).get(_key(race))
    return kept if isinstance(kept, int) and kept > 0 else None


def keep_lead_in(build: Build, race: RacePlan, ms: int) -> None:
    """For the next race; a cache that cannot be written keeps none."""
    if build.folder is not None:
        with contextlib.suppress(UserError):
            write_whole(build.folder.parent / FILE, json.dumps({**_read(build), _key(race): ms}))


def load_of(race: RacePlan) -> list[object]:
    """What is learnt of a build holds for one workload under one load: one build serves all of the
    application's, and is another program in each."""
    slices = race.slices
    values = (f"{name}={value}" for name, value in sorted(race.values.items()))
    of = race.workload, without_judged(race.setting), race.protocol, *values
    return [*filter(None, of), slices.connections, slices.streams]


def _key(race: RacePlan) -> str:
    return " ".join(map(str, load_of(race)))


def _read(build: Build) -> dict[str, object]:
    if build.folder is None:
        return {}
    try:
        found = json.loads((build.folder.parent / FILE).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
