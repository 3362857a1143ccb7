"""A row of a race's table: what every contender has, and what its kind of row has beside it."""

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.artifact import Binary
from deadheat.model.base import Record
from deadheat.model.contender import Class, Offer
from deadheat.model.gate import GateResult
from deadheat.model.observation import OutsideRun
from deadheat.model.published import PublishedRow
from deadheat.model.result.measures import (
    Against,
    Calls,
    Compiling,
    CpuRatio,
    Handshakes,
    Latency,
    LatencyAtLoad,
    Measure,
    Overlaps,
    RequestFigures,
    Variance,
    WarmUp,
)

Status = Literal["measured", "unavailable", "failed", "invalid", "not run"]


class ServerFigures(Record):
    """Of a server under load, whoever loads it."""

    throughput_rps: Measure | None = None
    cpu_us_per_request: Measure | None = None
    latency_ms: Latency | None = None
    memory_bytes: int | None = None
    private_memory_bytes: int | None = None
    shared_memory_bytes: int | None = None
    bytes_per_response: float | None = None
    threads: int | None = None
    first_response_ms: float | None = None


class SliceFigures(ServerFigures):
    """Of a server under the load of our own engine."""

    cpu_against_reference: CpuRatio | None = None
    latency_closed_ms: Latency | None = None
    latency_at_load: tuple[LatencyAtLoad, ...] = ()
    by_request: tuple[RequestFigures, ...] = ()
    handshakes: Handshakes | None = None
    of_ceiling: float | None = None


class ColdFigures(Record):
    """Of a server that was loaded from its start on: seconds to that reply, and how many times as fast as the
    reference by each, described where it is not the race's metric."""

    first_reply_s: Measure | None = None
    reply_100_s: Measure | None = None
    reply_10000_s: Measure | None = None
    cold_against_reference: dict[str, Against | None] = {}


class ProgramFigures(Record):
    """Of a program that runs to its end."""

    wall_s: Measure | None = None
    cpu_s: Measure | None = None
    cpu_against_reference: CpuRatio | None = None
    user_s: Measure | None = None
    system_s: Measure | None = None
    own_wall_s: Measure | None = None
    calls: Calls | None = None


class ConnectionFigures(Record):
    """Of what a program does on its connection to a server."""

    overlaps: Overlaps | None = None
    write_calls: int | None = None
    read_calls: int | None = None
    bytes_out: int | None = None
    bytes_in: int | None = None


class Figures(SliceFigures, ColdFigures, ProgramFigures, ConnectionFigures):
    """All that a table may show of a row of some kind; None or empty where its own kind has no such thing."""

    outside: OutsideRun | None = None

    def measure(self, metric: str) -> Measure | None:
        """A race's own metric; raises AttributeError for what is no metric."""
        found = getattr(self, metric)
        assert found is None or isinstance(found, Measure)
        return found


class ContenderResult(Record):
    """What each row of a race's table has, whatever its kind; its subclasses are the kinds of rows.

    `offers`: what a gRPC server has beside its service, as was checked. `runtime_bytes`: what must be shipped
    beside the artifact, where it does not bring its runtime itself. `published`: what the study printed, by
    its own method.
    """

    name: str
    variant: str | None = None
    title: str
    language: str
    class_: Annotated[Class, Field(alias="class")]
    status: Status
    reason: str | None = None
    response_headers: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    artifact_bytes: int | None = None
    runtime_bytes: int | None = None
    build_s: float | None = None
    binary: Binary | None = None
    compiling: Compiling | None = None
    toolchains: dict[str, str] = {}
    peak_memory_bytes: int | None = None
    peak_memory_range_bytes: tuple[int, int] | None = None
    against_reference: Against | None = None
    place: int | None = None
    shares_place: bool = False
    lower_bound: bool = False
    published: PublishedRow | None = None
    variance: Variance | None = None
    warm_up: WarmUp | None = None
    drift: Against | None = None
    gates: tuple[GateResult, ...] = ()

    @property
    def id(self) -> str:
        return self.name if self.variant is None else f"{self.name}:{self.variant}"

    @property
    def broken(self) -> tuple[GateResult, ...]:
        """Its gates that do not hold."""
        return tuple(gate for gate in self.gates if not gate.ok)

    @property
    def figures(self) -> Figures:
        """For who tells of rows of any kind in one table."""
        known = type(self).model_fields.keys() & Figures.model_fields.keys()
        return Figures(**{name: getattr(self, name) for name in known})


class NoFigures(ContenderResult):
    """One that was not built, not run, failed, or answered wrongly."""

    row: Literal["not measured"] = "not measured"


class ServerResult(ColdFigures, SliceFigures, ContenderResult):
    """A server under load."""

    row: Literal["server"] = "server"


class PublishedServerResult(ServerFigures, ContenderResult):
    """A server under somebody else's load generator, by a study's own method; figures are of the best run."""

    row: Literal["server as published"] = "server as published"
    outside: OutsideRun


class ProgramResult(ProgramFigures, ContenderResult):
    """A program by itself."""

    row: Literal["program"] = "program"


class ClientResult(ConnectionFigures, ProgramFigures, ContenderResult):
    """A program that talks to a server; calls and bytes are those of its connection."""

    row: Literal["client"] = "client"


AnyResult = Annotated[
    NoFigures | ServerResult | PublishedServerResult | ProgramResult | ClientResult,
    Field(discriminator="row"),
]
