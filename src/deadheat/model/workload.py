"""A workload: what is to be done, and what counts as right."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from deadheat.model import choices
from deadheat.model.base import Record
from deadheat.model.database import Database
from deadheat.model.kinds.registry import TRAITS, Kind
from deadheat.model.kinds.traits import Traits
from deadheat.model.login import Login
from deadheat.model.parameter import Parameter, Setting
from deadheat.model.pipeline import DEPTH, ROUNDS, Pipeline
from deadheat.model.service import Service, chosen
from deadheat.model.work.grpc import GrpcWork
from deadheat.model.work.http import HttpCase, HttpRequest, MixRequest
from deadheat.model.work.program import ProgramWork
from deadheat.model.work.redis import RedisWork

Preset = choices.Preset
Metric = choices.Metric

# Of a server that is loaded from its start on: the time from there to that reply.
COLD: tuple[Metric, ...] = ("first_reply_s", "reply_100_s", "reply_10000_s")
HIGHER_IS_FASTER: dict[str, bool] = {
    "throughput_rps": True,
    "wall_s": False,
    "cpu_s": False,
    **dict.fromkeys(COLD, False),
}

# More are a pool, of which each one says little.
MOST_OF_A_MIX = 50


class Load(Record):
    """How a server is loaded: connections in all, and requests in flight on each (of HTTP/1.1 pipelined).

    `at_once`: requests, each on a connection of its own, that it must answer at the same time before any
    timing.
    """

    connections: int = Field(default=64, ge=1)
    streams: int = Field(default=1, ge=1)
    at_once: int = Field(default=200, ge=1)


class Workload(Record):
    """`suite/<name>/workload.toml`. Loading a suite fills in a `reference` that is not named.

    `measure`: a server under steady load once it is warm, or "cold", from its start on: then `metric` is the
    time to its first, 100th or 10,000th reply. `contenders`: the folder of the suite, shared with other
    workloads, whose contenders race where they say that they serve this one; else the workload's own folder.
    `default`: whether a race has it that names no workload. `values`: a file of its folder (CSV) from which
    each request takes a row at random; the request and its case say `{column}`. `mix`, in the place of a
    `request`: several, each with its weight, of which every stretch of load has its share. `login`: asked
    at each start of a server, before its requests, which have values of its answer in braces. `headers`:
    which an HTTP answer must have; a `Date` among them must move.
    """

    name: str
    title: str
    question: str = ""
    kind: Kind
    metric: Metric
    measure: Literal["load", "cold"] = "load"
    reference: str = ""
    contenders: str | None = None
    default: bool = True
    values: str | None = None
    oracle: str | None = None
    request: HttpRequest | None = None
    mix: tuple[MixRequest, ...] = ()
    login: Login | None = None
    conformance: tuple[HttpCase, ...] = ()
    headers: tuple[str, ...] = ()
    load: Load = Load()
    parameters: dict[str, Parameter] = {}
    program: ProgramWork | None = None
    grpc: GrpcWork | None = None
    redis: RedisWork | None = None
    pipeline: Pipeline | None = None
    services: tuple[Service, ...] = ()
    database: Database | None = None

    @model_validator(mode="after")
    def _has_its_kinds_section(self) -> Self:
        needed = self.traits.section
        if getattr(self, needed) is None and not (needed == "request" and self.mix):
            raise ValueError(f'kind "{self.kind}" needs a [{needed}] section')
        if (self.metric in COLD) != (self.measure == "cold"):
            raise ValueError(f'metric is one of {", ".join(COLD)} where measure is "cold", and else none')
        if self.measure == "cold" and not self.traits.serves:
            raise ValueError('measure = "cold" is of servers')
        if self.login is not None and not self.asked:
            raise ValueError("a [login] is of servers that are asked by a [request] or a [[mix]]")
        if self.mix:
            self._is_a_mix()
        elif self.request is not None:
            self.expected()
        if self.values is not None and (self.request is None or self.database is not None):
            raise ValueError("values are of a [request], and of one without a [database]")
        self._can_be_proved_right()
        for service in self.services:
            self._are_parameters(f"service {service.name}: when", service.when)
            if self.database is not None and service.of_each and service.name == self.database.service:
                raise ValueError("database: each entry has one of its own on a service that all share")
        if self.database is not None and self.database.service not in {each.name for each in self.services}:
            raise ValueError(f'database: none of the [[services]] is called "{self.database.service}"')
        if self.grpc is not None and self.grpc.gzip_when is not None:
            self._are_parameters("grpc.gzip_when", self.grpc.gzip_when)
        return self

    def _is_a_mix(self) -> None:
        if self.request is not None or self.values is not None or self.database is not None:
            raise ValueError("a [[mix]] goes without [request], values and [database]")
        titles = [each.title for each in self.mix]
        if twice := [title for title in titles if titles.count(title) > 1]:
            raise ValueError(f'two requests of the [[mix]] are called "{twice[0]}": give each a name')
        if not 2 <= len(titles) <= MOST_OF_A_MIX:
            raise ValueError(f"a [[mix]] has 2 to {MOST_OF_A_MIX} requests")
        for each in self.mix:
            self._expected_of(each)

    def _can_be_proved_right(self) -> None:
        """A program's answers are an oracle's, or those of a service to its pipeline."""
        if self.pipeline is not None:
            self._has_its_pipelines_needs(self.pipeline)
        elif self.program is not None:
            if self.oracle is None and self.program.output == "oracle":
                raise ValueError(
                    f'kind "{self.kind}" needs an oracle: a command that prints the right output'
                )
            if self.program.n.check is None:
                raise ValueError("program.n needs a check: the sizes that are checked before any timing")

    def _has_its_pipelines_needs(self, pipeline: Pipeline) -> None:
        if self.program is None:
            raise ValueError('a [pipeline] is sent by programs: kind "program"')
        if not any(service.tells for service in self.services if service.name == pipeline.service):
            raise ValueError(
                f'pipeline: of the [[services]] called "{pipeline.service}" none tells what it was sent'
            )
        if any(service.of_each for service in self.services):
            raise ValueError("pipeline: its services are shared; leave of_each out")
        for name in (ROUNDS, DEPTH):
            if name in self.parameters and self.parameters[name].range is None:
                raise ValueError(f"the parameter {name} of a pipeline is a number: give it a range")

    def _are_parameters(self, where: str, when: Mapping[str, Setting]) -> None:
        """What goes by parameters goes by those that there are, and by values that they take."""
        for name, value in when.items():
            if name not in self.parameters:
                raise ValueError(f'{where} names "{name}", which is no parameter')
            self.parameters[name].value(str(value))

    @property
    def traits(self) -> Traits:
        """What its kind is."""
        return TRAITS[self.kind]

    def services_at(self, values: Mapping[str, Setting | None]) -> tuple[Service, ...]:
        """The services of a race at these values of its parameters."""
        return chosen(self.services, values)

    @property
    def asked(self) -> tuple[tuple[HttpRequest, HttpCase], ...]:
        """The requests that the load sends, and the answer to each: one, or those of a mix."""
        requests = self.mix or ((self.request,) if self.request is not None else ())
        return tuple((request, self._expected_of(request)) for request in requests)

    def case_of(self, row: Mapping[str, str]) -> tuple[HttpRequest, HttpCase]:
        """The request that the load sends, and its answer, of a row of its database."""
        assert self.request is not None
        return self.request.of(row), self.expected().of(row)

    def expected(self) -> HttpCase:
        """The conformance case of the very request that the load sends."""
        assert self.request is not None
        return self._expected_of(self.request)

    def _expected_of(self, request: HttpRequest) -> HttpCase:
        """Of requests of a mix that share method and path the one with its body."""
        cases = [
            case for case in self.conformance if (case.method, case.path) == (request.method, request.path)
        ]
        if self.mix:
            cases = [case for case in cases if (case.send, case.headers) == (request.body, request.headers)]
        if not cases:
            raise ValueError(f"no [[conformance]] case says what {request.path} answers")
        return cases[0]
