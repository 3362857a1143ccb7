"""What else the blocks of a race show, a class a finding: figures; report/findings.py words them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.container import Contained
from deadheat.model.observation import Disturbance
from deadheat.model.own_database import OwnDatabase
from deadheat.model.past import Outcome

Interval = tuple[float, float]


class Note(Record):
    """Text of the plan, or of results of schema 1: what a race cannot show, or does unlike others."""

    finding: Literal["note"] = "note"
    text: str


class Attempt(Record):
    """Which race of this workload it was on this machine that day, `number` counting from 1: of this very
    `pair`, or of two or more of these contenders. `outcomes`: how many before it ended how, as far as known.
    """

    finding: Literal["attempt"] = "attempt"
    number: int
    pair: bool
    outcomes: dict[Outcome, int] = {}


class AtOwnDatabase(Record):
    """The race had its databases on somebody's own PostgreSQL, where less is known of them."""

    finding: Literal["own-database"] = "own-database"
    database: OwnDatabase


class StandInReference(Record):
    """`reference` took the place of the workload's own, `instead_of`, which could not race: `reason`."""

    finding: Literal["stand-in-reference"] = "stand-in-reference"
    reference: str
    instead_of: str
    reason: str


class CutShort(Record):
    """Only `blocks` of the `planned` blocks could be raced, and count; `reason` says why."""

    finding: Literal["cut-short"] = "cut-short"
    blocks: int
    planned: int
    reason: str


class DisturbedBlocks(Record):
    """Blocks that somebody else got into, which do not count: how many, and the worst of them."""

    finding: Literal["disturbed-blocks"] = "disturbed-blocks"
    blocks: int
    worst: Disturbance


class LongWarmUp(Record):
    """A start was loaded for `seconds` (the median) until this contender was no longer getting faster."""

    finding: Literal["long-warm-up"] = "long-warm-up"
    contender: str
    seconds: float


class WrongWhileWarmingUp(Record):
    """A server gave so many wrong `replies` while it was warming up, where none count, and what the first of
    them was."""

    finding: Literal["wrong-while-warming-up"] = "wrong-while-warming-up"
    contender: str
    replies: int
    first_error: str | None


class MessageRates(Record):
    """Calls that bring `messages` each: messages a second, by contender."""

    finding: Literal["message-rates"] = "message-rates"
    messages: int
    per_second: dict[str, float]


class GivenUp(Record):
    """Contenders that left the race after so many blocks, hardly any chance being left to settle them."""

    finding: Literal["given-up"] = "given-up"
    contenders: dict[str, int]
    planned: int


class LongerLeadIn(Record):
    """From block `from_block` on (the first is 1) the lead-in of `contenders` (none: of all) is
    `lead_in_ms`; of their blocks only those count."""

    finding: Literal["longer-lead-in"] = "longer-lead-in"
    reason: str
    from_block: int
    lead_in_ms: int
    contenders: tuple[str, ...] = ()


class VarianceOfStarts(Record):
    """The share of each one's variance (0 to 1) that lies between starts, where that is most of it."""

    finding: Literal["variance-of-starts"] = "variance-of-starts"
    shares: dict[str, float]


class NotSteady(Record):
    """A contender's level changed within its blocks.

    `start`: its first level over its last. `steady_from`: the first slice of the last level; null: never.
    """

    finding: Literal["not-steady"] = "not-steady"
    contender: str
    kind: Literal["warms up", "slows down", "never got steady"]
    steady_from: int | None
    start: float


class Drifts(Record):
    """A contender's ratio to the reference in the second half of a block over that in the first half.

    The interval holds for all contenders of the race together (Bonferroni).
    """

    finding: Literal["drifts"] = "drifts"
    contender: str
    reference: str
    ratio: float
    ci: Interval | None


class CarriedOver(Record):
    """A contender right after `predecessor` does `ratio` times as well as after the others."""

    finding: Literal["carry-over"] = "carry-over"
    contender: str
    predecessor: str
    ratio: float
    ci: Interval | None


# Responses whose sizes differ by more than this are not the same work on the wire.
EQUAL_BYTES = 1.05


class UnequalBytes(Record):
    """Responses differ in size: bytes a response of who sends least and of who sends most."""

    finding: Literal["unequal-bytes"] = "unequal-bytes"
    least: str
    least_bytes: float
    most: str
    most_bytes: float


class SlicesUnchecked(Record):
    """Contenders whose slices were not held against turns of `turn_s` seconds: they were `planned` and no
    whole block has any yet, or would have taken longer than the race."""

    finding: Literal["slices-unchecked"] = "slices-unchecked"
    contenders: tuple[str, ...]
    turn_s: float
    planned: bool


class LongTurnsOpen(Record):
    """After so many pairs of long turns it is not known whether they agree with the slices: how many times
    the slices' ratio to the reference theirs is, with an interval that is too wide, or none."""

    finding: Literal["long-turns-open"] = "long-turns-open"
    contender: str
    ratio: float
    ci: Interval | None
    pairs: int


class CpuOutside(Record):
    """Servers that use more CPU a request outside of what is counted (lead-ins, drains, until they are
    frozen) than in it: how many times as much."""

    finding: Literal["cpu-outside"] = "cpu-outside"
    ratios: dict[str, float]


class InContainers(Record):
    """Contenders, or services, that ran in containers: how all of these were contained."""

    finding: Literal["in-containers"] = "in-containers"
    names: tuple[str, ...]
    how: Contained


class AnswersKnown(Record):
    """Contenders of which not everything was asked in this run, as their builds had answered right before: in
    these `runs`, or in a check by itself (`deadheat check`)."""

    finding: Literal["answers-known"] = "answers-known"
    contenders: tuple[str, ...]
    runs: tuple[str, ...]


class ClosesConnections(Record):
    """A server closed connections under load: `reopened` were opened again for `replies` replies."""

    finding: Literal["closes-connections"] = "closes-connections"
    contender: str
    reopened: int
    replies: int


class ConnectionsWait(Record):
    """Under load a server leaves some of its connections waiting while it serves others: latencies in a
    closed loop of so many `connections`, in milliseconds."""

    finding: Literal["connections-wait"] = "connections-wait"
    contender: str
    connections: int
    p50_ms: float
    p99_ms: float


class LoadHost(Record):
    """A host that loaded the servers of another: the share of one core that its generator used while slices
    were counted (0 to 1), bytes a second through its network over whole blocks (None where it does not tell),
    and how long a byte took to the servers and back before the race. Of its clock, how far it was ahead at
    most, and by how much that may be wrong, milliseconds."""

    host: str
    generator: float
    in_bytes_per_s: float | None
    out_bytes_per_s: float | None
    rtt_ms: float | None
    rtt_p99_ms: float | None
    clock_ahead_ms: float
    clock_error_ms: float


class LoadFromHosts(Record):
    """Where the load came from, if not from the servers' own host."""

    finding: Literal["load-from-hosts"] = "load-from-hosts"
    hosts: tuple[LoadHost, ...]


class ServicesOn(Record):
    """The machine `host` that services ran on, where it was not the servers' own: the share of its `cpus`
    CPUs that they used from their start on (0 to 1), and as of one that load comes from what went through its
    network, and how long a byte takes to the servers and back."""

    finding: Literal["services-on"] = "services-on"
    host: str
    services: tuple[str, ...]
    cpus: int
    used: float
    in_bytes_per_s: float | None
    out_bytes_per_s: float | None
    rtt_ms: float | None
    rtt_p99_ms: float | None


class NetworkPart(Record):
    """How much of what clients waited was the way: of each contender's median `p50_ms` by name, `rtt_ms`
    there and back, the mean of the hosts that load came from."""

    finding: Literal["network-part"] = "network-part"
    rtt_ms: float
    p50_ms: dict[str, float]


Finding = Annotated[
    Note
    | Attempt
    | AtOwnDatabase
    | StandInReference
    | CutShort
    | DisturbedBlocks
    | LongWarmUp
    | WrongWhileWarmingUp
    | MessageRates
    | GivenUp
    | LongerLeadIn
    | VarianceOfStarts
    | NotSteady
    | Drifts
    | CarriedOver
    | UnequalBytes
    | CpuOutside
    | InContainers
    | AnswersKnown
    | ClosesConnections
    | ConnectionsWait
    | SlicesUnchecked
    | LongTurnsOpen
    | LoadFromHosts
    | ServicesOn
    | NetworkPart,
    Field(discriminator="finding"),
]
