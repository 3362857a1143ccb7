"""What a race learnt of a build on this machine, kept beside the build: the lead-in that its slices need."""

from __future__ import annotations

from deadheat.build.built import Build
from deadheat.model.judged import without_judged
from deadheat.model.plan import RacePlan
from deadheat.run import kept

FILE = "lead-in.json"


def lead_in_ms(build: Build, race: RacePlan) -> int | None:
    """What an earlier race of this build under this load ended with; None where none made it longer."""
    found = kept.read(build, FILE).get(_key(race))
    return found if isinstance(found, int) and found > 0 else None


def keep_lead_in(build: Build, race: RacePlan, ms: int) -> None:
    """For the next race."""
    kept.keep(build, FILE, _key(race), ms)


def load_of(race: RacePlan) -> list[object]:
    """What is learnt of a build holds for one workload under one load: one build serves all of the
    application's, and is another program in each."""
    slices = race.slices
    values = (f"{name}={value}" for name, value in sorted(race.values.items()))
    of = race.workload, without_judged(race.setting), race.protocol, *values
    return [*filter(None, of), slices.connections, slices.streams]


def _key(race: RacePlan) -> str:
    return " ".join(map(str, load_of(race)))
