"""How a run went: blocks begun and ended, who left, why a race or all of it ended early."""

from typing import Literal

from deadheat.model.base import Record
from deadheat.model.observation.interference import Disturbance


class RaceUnavailable(Record):
    """A whole race that cannot be run here, and why: its server or its generator is missing."""

    type: Literal["race-unavailable"] = "race-unavailable"
    race: str
    reason: str


class BlockStarted(Record):
    """A block begins: entries in the order they are started."""

    type: Literal["block-started"] = "block-started"
    race: str
    block: int
    order: tuple[str, ...]
    at: str


class BlockEnded(Record):
    """A whole block is in the journal. Without this line a block does not count, nor does it if disturbed."""

    type: Literal["block-ended"] = "block-ended"
    race: str
    block: int
    disturbed: Disturbance | None = None


class Failed(Record):
    """A contender that leaves the race, and why.

    `not_run`: it cannot do what this setting asks for. `unavailable`: what should have loaded it broke.
    """

    type: Literal["failed"] = "failed"
    race: str
    block: int
    entry: str
    reason: str
    wrong_answer: bool = False
    not_run: bool = False
    unavailable: bool = False


class Settled(Record):
    """A race ended at a planned look, before its last block: every verdict was in, or given up (`Left`)."""

    type: Literal["settled"] = "settled"
    race: str
    blocks: int


class GoneOn(Record):
    """Somebody asked for more blocks than were planned to begin with: from here on up to `blocks` in all.
    Who had left because nothing could be settled is raced again."""

    type: Literal["gone-on"] = "gone-on"
    race: str
    blocks: int
    at: str


class Left(Record):
    """From block `from_block` on an entry is no longer raced, as the plan says: each of its pairs is
    `settled`, or given up because it hardly can be (`hopeless`), or it has as many blocks as planned."""

    type: Literal["left"] = "left"
    race: str
    entry: str
    from_block: int
    why: Literal["settled", "hopeless", "enough"]


class LeadInGrown(Record):
    """From block `from_block` on the slices of `entries` have a lead-in of so long, and what they did in
    blocks before it does not count; without any it is so for all."""

    type: Literal["lead-in-grown"] = "lead-in-grown"
    race: str
    from_block: int
    lead_in_ms: int
    why: str
    entries: tuple[str, ...] = ()


class LongTurnsKnown(Record):
    """What the long turns of these very builds said on this machine in an earlier race, `run`: the entry's
    ratio to the reference in them, over that in its slices, with its 95% interval; of so many `pairs` of
    turns in `blocks` blocks. No more are taken."""

    type: Literal["long-turns-known"] = "long-turns-known"
    race: str
    entry: str
    ratio: float
    ci: tuple[float, float]
    pairs: int
    blocks: int
    run: str


class Stopped(Record):
    """The run ended before its plan did (Ctrl-C, or the budget)."""

    type: Literal["stopped"] = "stopped"
    why: str


class Resumed(Record):
    """The run was taken up again; a block that was cut off starts anew."""

    type: Literal["resumed"] = "resumed"
    at: str
    note: str | None = None
