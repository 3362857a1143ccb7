"""Races of servers that run already: what they cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy
from deadheat.model.contender import Contender
from deadheat.model.plan import RacePlan


def noted(race: RacePlan, contenders: Sequence[Contender], by: JudgedBy) -> RacePlan:
    """The race with what is to be said of those that run already. Raises UserError where it would be judged
    by how they start."""
    running = [contender for contender in contenders if contender.listens is not None]
    if not running:
        return race
    if by == "startup":
        raise UserError("a server that runs already has no startup", hint="--command starts them")
    return race.replaced(notes=(*race.notes, *_notes(running)))


def _notes(running: Sequence[Contender]) -> Iterator[str]:
    names = ", ".join(contender.id for contender in running)
    yield (
        f"{names} ran already, and were neither started nor ended, nor bound to CPUs: how one start differs "
        "from the next is not in these intervals"
    )
    if not all(contender.freezes for contender in running):
        yield (
            f"{names} were idle but running while it was another's turn; what they did then on their own "
            "account was others' time (--freeze stops them meanwhile)"
        )
