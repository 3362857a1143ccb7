"""Why a pair was not settled, or a claim not judged: one class a reason; report/reasons.py words them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.gate import GateResult


class Note(Record):
    """Text of a study or of the statistics, or of results of schema 1."""

    reason: Literal["note"] = "note"
    text: str


class BrokenGate(Record):
    """A gate does not hold. `contender`: whose gate it is; null: the race's."""

    reason: Literal["broken-gate"] = "broken-gate"
    contender: str | None
    gate: GateResult


class NoCommonBlock(Record):
    """In no block did both have a value."""

    reason: Literal["no-common-block"] = "no-common-block"


class RoundsLost(Record):
    """So many of the `rounds` have no value: somebody stood still or failed in them."""

    reason: Literal["rounds-lost"] = "rounds-lost"
    lost: int
    rounds: int


class TooFewBlocks(Record):
    """There are fewer `blocks` than the `needed` ones."""

    reason: Literal["too-few-blocks"] = "too-few-blocks"
    blocks: int
    needed: int


class NoSpread(Record):
    """All `blocks` gave exactly the same ratio, which no measurement does."""

    reason: Literal["no-spread"] = "no-spread"
    blocks: int


class Undecided(Record):
    """The interval lies across the edge of the `margin` (0.02 is 2%). `hopeless`: more blocks are unlikely to
    settle it."""

    reason: Literal["undecided"] = "undecided"
    margin: float
    hopeless: bool = False


class SingleFigure(Record):
    """There is one figure of each, and so no interval."""

    reason: Literal["single-figure"] = "single-figure"


class NeedsServerCores(Record):
    """A claim is about servers with at least `cores` CPUs, which servers here did not have."""

    reason: Literal["needs-server-cores"] = "needs-server-cores"
    cores: int


class NotInThisRun(Record):
    """The race that a claim is about was not in this run; `claims`: the study whose own load or setting it
    needs, which `race --claims` plans."""

    reason: Literal["not-in-this-run"] = "not-in-this-run"
    workload: str
    method: str
    claims: str | None = None


class NotRaced(Record):
    """A contender of the claim was not entered."""

    reason: Literal["not-raced"] = "not-raced"
    contender: str


class NotMeasured(Record):
    """A contender of the claim was entered and has no figures. `because`: the first line of what it said;
    `gate`: where it said nothing, its gate that was broken first."""

    reason: Literal["not-measured"] = "not-measured"
    contender: str
    status: str
    because: str | None = None
    gate: GateResult | None = None


class NotKnown(Record):
    """The metric of the claim is not known here."""

    reason: Literal["not-known"] = "not-known"
    metric: str


class AnotherSize(Record):
    """The race was run at another `n` than the `published` one."""

    reason: Literal["another-size"] = "another-size"
    n: int | None
    published: int


class GeneratorShare(Record):
    """The generator shared the servers' CPUs, and took these shares of them (0 to 1) while `a` and `b` were
    loaded."""

    reason: Literal["generator-share"] = "generator-share"
    a: float
    b: float


Reason = Annotated[
    Note
    | BrokenGate
    | NoCommonBlock
    | RoundsLost
    | TooFewBlocks
    | NoSpread
    | Undecided
    | SingleFigure
    | NeedsServerCores
    | NotInThisRun
    | NotRaced
    | NotMeasured
    | NotKnown
    | AnotherSize
    | GeneratorShare,
    Field(discriminator="reason"),
]
