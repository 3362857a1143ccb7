"""A workload: what is to be done, and what counts as right."""

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from deadheat.model import choices
from deadheat.model.base import Record
from deadheat.model.database import Database
from deadheat.model.json_answer import JsonFields, JsonSchema
from deadheat.model.kinds.registry import TRAITS, Kind
from deadheat.model.kinds.traits import Traits
from deadheat.model.login import Login
from deadheat.model.mask import Masks
from deadheat.model.parameter import Parameter, Setting, holds
from deadheat.model.pipeline import DEPTH, ROUNDS, Pipeline
from deadheat.model.service import Service, chosen

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
_NAMED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpRequest(Record):
    """The request that a load of kind http sends; `{token}` stands for the slice's random token."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    body: str | None = None

    def of(self, row: Mapping[str, str]) -> Self:
        """With the values of a row in the place of their names in braces."""
        return self.model_validate(_filled(self.model_dump(), row))


class MixRequest(HttpRequest):
    """One of several requests that a load draws from: its `weight` is its share, beside theirs, of all that
    are sent. `name`: what reports call it, its method and path where it has none."""

    name: str | None = None
    weight: float = Field(default=1, gt=0)

    @property
    def title(self) -> str:
        return self.name or f"{self.method} {self.path}"


class HttpCase(Record):
    """A request and the answer that alone is right: the status, the body to the byte, the media type (without
    parameters such as its charset), the content coding (`identity`: none), the Location and the names of the
    cookies that are set, each but the status any where it is null.

    A `location` has no scheme, host and port of the server's own, is "" for none, and may have `{uuid}`,
    `{number}` or `{any}` for a part that varies. `cookies` are in order of the alphabet.

    In the place of the body to the byte its SHA-256, or an answer that it must be equal to by `structure`,
    but for what `masks` name: of JSON without regard to the order of keys. Or JSON that is right in parts: by
    the values of `json_fields` at their places (`$.items[0].id`), and by a `json_schema`, which is JSON in a
    text. All these are of the body with gzip, deflate, br and zstd decoded. Under load the status alone is
    compared.

    Or a `page`: HTML in UTF-8 that it must be equal to, but for white space between tags and for how
    characters are escaped. What a server's own page has of these is learned when it has started, and under
    load its pages are compared to the byte.
    """

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    send: str | None = None
    status: int = 200
    content_type: str | None = None
    content_encoding: str | None = None
    location: str | None = None
    cookies: tuple[str, ...] | None = None
    body: str | None = None
    sha256: str | None = None
    structure: str | None = None
    page: str | None = None
    json_fields: JsonFields = {}
    json_schema: JsonSchema | None = None
    masks: Masks = {}

    @field_validator("json_fields", mode="before")
    @classmethod
    def _read_fields(cls, value: Any) -> Any:
        return _json(value)

    @model_validator(mode="after")
    def _says_one_body(self) -> Self:
        by_parts = (self.json_fields or None, self.json_schema)
        whole = (self.body, self.sha256, self.structure, self.page)
        if sum(each is not None for each in whole) + any(each is not None for each in by_parts) > 1:
            raise ValueError(
                "body, sha256, structure, page or json_fields and json_schema: one says what is right"
            )
        if self.masks and self.structure is None:
            raise ValueError("masks are of a structure")
        return self

    def of(self, row: Mapping[str, str]) -> Self:
        """With the values of a row in the place of their names in braces."""
        return self.model_validate(_filled(self.model_dump(), row))


def _filled(value: Any, row: Mapping[str, str]) -> Any:
    """A text, or each in a table, with the values of a row in the place of their names in braces."""
    if isinstance(value, dict):
        return {key: _filled(each, row) for key, each in value.items()}
    return filled(value, row) if isinstance(value, str) else value


def filled(text: str, row: Mapping[str, str]) -> str:
    """A text with the values of a row in the place of their names in braces; they are not looked at again."""
    return _NAMED.sub(lambda found: row.get(found[1], found[0]), text)


class Load(Record):
    """How a server is loaded: connections in all, and requests in flight on each (of HTTP/1.1 pipelined).

    `at_once`: requests, each on a connection of its own, that it must answer at the same time before any
    timing.
    """

    connections: int = Field(default=64, ge=1)
    streams: int = Field(default=1, ge=1)
    at_once: int = Field(default=200, ge=1)


class SizeCheck(Record):
    """Which n are checked before any timing: a range (both ends), and a range one n is drawn from."""

    range: tuple[int, int]
    random: tuple[int, int]


class Sizes(Record):
    """The size n of a program, for each preset where that is not the default."""

    default: int
    quick: int | None = None
    standard: int | None = None
    thorough: int | None = None
    check: SizeCheck | None = None

    def at(self, preset: Preset) -> int:
        own = getattr(self, preset)
        return self.default if own is None else int(own)


class RaceSize(Record):
    """How much a race of a preset measures: blocks, and rounds of each."""

    blocks: int = Field(ge=1)
    rounds: int = Field(ge=1)


class CallsWork(Record):
    """Two small n, and how many more calls the source asks for at the larger than at the smaller."""

    n: tuple[int, int]
    asked: int = Field(ge=1)


class Hooks(Record):
    """Lines for a shell, in the folder of each contender, with what `args` may name in braces; neither timed
    nor counted. `setup` and `cleanup`: before the first and after the last invocation of a contender in a
    block; `prepare` and `conclude`: before and after each invocation."""

    setup: str | None = None
    prepare: str | None = None
    conclude: str | None = None
    cleanup: str | None = None


class ProgramWork(Record):
    """A program run to completion: its arguments (`{n}` is the size) and how long it may take, seconds.

    `output`: what it must print, the oracle's output or anything. `races`: of presets, where that is not
    what is usual for programs.
    """

    args: tuple[str, ...]
    timeout_s: float = Field(default=120, gt=0)
    n: Sizes
    calls: CallsWork | None = None
    output: Literal["oracle", "any"] = "oracle"
    hooks: Hooks = Hooks()
    races: dict[Preset, RaceSize] = {}


class GrpcWork(Record):
    """A unary (or server-streaming) call: `data` and the reply that is right, `expect`, each a table or JSON
    in a text, as protobuf has it; `{token}` as above. Without `expect` any reply will do whose status is OK.

    `conformance`: how a "stack" answers calls of all sorts, and what it refuses; or just how this "call" is
    answered, of a contract of which nothing else is known. Requests are compressed, and replies may be, in
    races whose parameters are as `gzip_when` says.
    """

    proto: str
    call: str
    data: dict[str, Any]
    expect: dict[str, Any] | None = None
    conformance: Literal["stack", "call"] = "stack"
    messages: int = Field(default=1, ge=1)
    gzip_when: dict[str, Setting] | None = None

    @field_validator("data", "expect", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return _json(value)

    @model_validator(mode="after")
    def _a_stack_has_a_reply(self) -> Self:
        if self.expect is None and self.conformance == "stack":
            raise ValueError('expect: say which reply is right, or conformance = "call"')
        return self

    def gzip(self, values: Mapping[str, Setting]) -> bool:
        """Whether requests are compressed in a race with these values of the workload's parameters."""
        return self.gzip_when is not None and holds(self.gzip_when, values)


class RedisWork(Record):
    """Commands of Redis, each a list of words, sent in turn over all connections; `{token}` as above.

    `expect`: the reply to each, as JSON has it (null: no such key), in a list or in a text. Without it any
    reply will do that is no error. Connections do not wait for each other: a reply that hangs on which of
    their commands came first is not one to expect.
    """

    commands: tuple[tuple[str, ...], ...] = Field(min_length=1)
    expect: list[Any] | None = None

    @field_validator("expect", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return _json(value)

    @model_validator(mode="after")
    def _says_each_reply(self) -> Self:
        if not all(self.commands):
            raise ValueError("a command has a name")
        if self.expect is not None and len(self.expect) != len(self.commands):
            raise ValueError(f"expect: {len(self.expect)} replies to {len(self.commands)} commands")
        return self

    def commands_of(self, token: str) -> list[tuple[str, ...]]:
        """The commands of a turn."""
        return [tuple(word.replace("{token}", token) for word in words) for words in self.commands]

    def expected_of(self, token: str) -> list[Any] | None:
        """The replies that are right in it."""
        return None if self.expect is None else [_with_token(reply, token) for reply in self.expect]


def _with_token(reply: Any, token: str) -> Any:
    if isinstance(reply, list):
        return [_with_token(each, token) for each in reply]
    return reply.replace("{token}", token) if isinstance(reply, str) else reply


def _json(value: Any) -> Any:
    """A value as TOML has it, or JSON in a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"no JSON: {error}") from error


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
