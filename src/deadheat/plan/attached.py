"""Races of servers that run already, here or elsewhere: what they cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy
from deadheat.model.contender import Contender
from deadheat.model.plan import RacePlan

# What only whoever can see a server's process could judge it by.
UNMETERED: Mapping[JudgedBy, str] = {"cpu": "CPU time", "memory": "memory"}


def noted(race: RacePlan, contenders: Sequence[Contender], by: JudgedBy | None) -> RacePlan:
    """The race with what is to be said of those that run already. Raises UserError where it would be judged
    by how they start."""
    running = [contender for contender in contenders if contender.runs_already]
    if not running:
        return race
    if by == "startup":
        raise UserError("a server that runs already has no startup", hint="--command starts them")
    elsewhere = [contender.title for contender in running if contender.elsewhere]
    if elsewhere and by is not None and by in UNMETERED:
        raise UserError(
            f"{elsewhere[0]} runs elsewhere, where nobody here can meter its {UNMETERED[by]}",
            hint="--metric throughput, or p50, p90, p99",
        )
    return race.replaced(notes=(*race.notes, *_notes(running)))


def _notes(running: Sequence[Contender]) -> Iterator[str]:
    names = ", ".join(contender.id for contender in running)
    yield (
        f"{names} ran already, and were neither started nor ended, nor bound to CPUs: how one start differs "
        "from the next is not in these intervals"
    )
    if elsewhere := ", ".join(contender.id for contender in running if contender.elsewhere):
        yield (
            f"{elsewhere} run elsewhere (--remote): their CPU time and memory are not known, they were not "
            "stopped while it was another's turn, and the network and all that goes on there is in their "
            "figures, though no gate here sees it"
        )
    if idle := ", ".join(one.id for one in running if not one.elsewhere and not one.freezes):
        yield (
            f"{idle} were idle but running while it was another's turn; what they did then on their own "
            "account was others' time (--freeze stops them meanwhile)"
        )
