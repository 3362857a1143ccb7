"""How a race is measured: what its turns are, and what each sort of turn needs to be told."""

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.http_protocol import HttpProtocol
from deadheat.model.published import Tool


class LongTurns(Record):
    """Turns of `turn_ms` without a break, held against the slices: so many `rounds` in all, in each of which
    every contender has two; none where they would take longer than the race."""

    turn_ms: int = Field(default=2000, ge=1)
    rounds: int = Field(ge=0)


class SlicePlan(Record):
    """Servers under load, by slices. Times in milliseconds.

    `loads`: shares of the slowest contender's capacity at which latency is measured in an open loop.
    `server_cpus`: the servers' CPUs where they are not the run's; `shared_cpus`: those of them that the
    generator has too, which may then take little of them. `lead_ins_ms`: of entries that need a
    longer one. `long_turns`: null in plans of before there were any. `protocol`: null for HTTP/1.1 in the
    clear, and where it is not HTTP.
    """

    by: Literal["slices"] = "slices"
    connections: int = Field(ge=1)
    streams: int = Field(default=1, ge=1)
    protocol: HttpProtocol | None = None
    server_cpus: tuple[int, ...] | None = None
    shared_cpus: tuple[int, ...] = ()
    generator_threads: int = Field(default=1, ge=1)
    warm_up_ms: int = 0
    lead_in_ms: int = 0
    lead_ins_ms: dict[str, int] = {}
    counted_ms: int = 0
    loads: tuple[float, ...] = ()
    open_loop_ms: int = 0
    long_turns: LongTurns | None = None


class ColdPlan(Record):
    """Servers started afresh for each turn, and loaded from their first answer on."""

    by: Literal["cold"] = "cold"
    connections: int = Field(ge=1)
    streams: int = Field(default=1, ge=1)
    protocol: HttpProtocol | None = None
    server_cpus: tuple[int, ...] | None = None
    generator_threads: int = Field(default=1, ge=1)


class InvocationPlan(Record):
    """Programs that run to their end, each time with the size `n`.

    `commands`: how many an invocation sends, where its workload has a pipeline. `about_s`: about how long an
    invocation takes, seconds, for estimates only; null where nobody says. `warmed_blocks`: how many blocks
    begin with an invocation of each that is not timed and tells its memory; null: all do.
    """

    by: Literal["invocations"] = "invocations"
    n: int
    commands: int | None = Field(default=None, ge=1)
    about_s: float | None = None
    warmed_blocks: int | None = Field(default=None, ge=1)


class Length(Record):
    """How long a run is: so many seconds, so many requests, or the size n of a program."""

    seconds: int | None = None
    total: int | None = None
    n: int | None = None


class OutsidePlan(Record):
    """How a race is run the way a study's author did, with the author's tool.

    `arguments` of each entry are whole, the length of the run with them; `in_flight` is how many requests
    they ask to have in flight, `connections` on how many connections, where the study says so. `part`: which
    of the study's. `seconds`, `total` or `n`: how long, as planned; `published` the same as the study had it.
    Of programs `about_s`: about how long a run takes, for estimates; `memory`: whether each is run once more,
    not timed, for its peak memory. `notes` say what is unlike the study.
    """

    by: Literal["outside"] = "outside"
    study: str
    part: int = 0
    tool: Tool
    arguments: dict[str, tuple[str, ...]]
    in_flight: dict[str, int] = {}
    connections: int | None = None
    seconds: int | None = None
    total: int | None = None
    n: int | None = None
    published: Length | None = None
    about_s: float | None = None
    memory: bool = False
    runs: int = 1
    path: str | None = None
    body: str | None = None
    instead: str | None = None
    notes: tuple[str, ...] = ()


Measured = Annotated[
    SlicePlan | ColdPlan | InvocationPlan | OutsidePlan,
    Field(discriminator="by"),
]
