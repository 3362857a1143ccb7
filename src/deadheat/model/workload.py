"""A workload: what is to be done, and what counts as right."""

from typing import Literal, Self

from pydantic import Field, model_validator

from deadheat.model.base import Noun

Kind = Literal["program", "http", "grpc", "redis-client"]
Metric = Literal["throughput_rps", "wall_s", "cpu_s"]
Preset = Literal["quick", "standard", "thorough"]

HIGHER_IS_FASTER: dict[str, bool] = {"throughput_rps": True, "wall_s": False, "cpu_s": False}


class HttpRequest(Noun):
    """The request that a load of kind http sends; `{token}` stands for the slice's random token."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    body: str | None = None


class HttpCase(Noun):
    """A request and the answer that alone is right: the status, and the body to the byte."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    send: str | None = None
    status: int = 200
    body: str


class Load(Noun):
    """How a server is loaded: connections in all, and requests in flight on each."""

    connections: int = Field(default=64, ge=1)
    streams: int = Field(default=1, ge=1)


class SizeCheck(Noun):
    """Which n are checked before any timing: a range (both ends), and a range one n is drawn from."""

    range: tuple[int, int]
    random: tuple[int, int]


class Sizes(Noun):
    """The argument n of a program, for each preset."""

    default: int
    quick: int
    standard: int
    thorough: int
    check: SizeCheck

    def at(self, preset: Preset) -> int:
        return int(getattr(self, preset))


class CallsWork(Noun):
    """Two small n, and how many more calls the source asks for at the larger than at the smaller."""

    n: tuple[int, int]
    asked: int = Field(ge=1)


class ProgramWork(Noun):
    """A program run to completion: its arguments (`{n}` is the size) and how long it may take, seconds."""

    args: tuple[str, ...]
    timeout_s: float = Field(default=120, gt=0)
    n: Sizes
    calls: CallsWork | None = None


class GrpcWork(Noun):
    """A unary (or server-streaming) call, as JSON; `{token}` as above."""

    proto: str
    call: str
    data: dict[str, str]
    expect: dict[str, str]
    messages: int = Field(default=1, ge=1)


class RedisRules(Noun):
    """What a client may do, as the workload's comments say in full."""

    overlap: Literal["allowed", "forbidden"] = "allowed"
    use_before_handed_over: Literal["allowed", "forbidden"] = "forbidden"
    unparsed_replies: Literal["allowed", "forbidden"] = "forbidden"
    connections: int = 1
    before_the_clock: tuple[str, ...] = ()


class ReplyDigest(Noun):
    """How replies are rendered for the digest that proves they were parsed."""

    function: Literal["fnv1a-64"]
    text: str
    integer: str
    nil: str


class RedisWork(Noun):
    """The pipeline that a client program sends: iterations of each command, rounds in one process, and how
    long an invocation may take, seconds.
    """

    timeout_s: float = Field(default=120, gt=0)
    iterations: int = Field(default=100_000, ge=1)
    rounds: int = Field(default=1, ge=1)
    key: str
    value: str
    increments: tuple[str, ...]
    rules: RedisRules
    digest: ReplyDigest


class Workload(Noun):
    """`suite/<name>/workload.toml`."""

    name: str
    title: str
    question: str
    kind: Kind
    metric: Metric
    reference: str
    oracle: str | None = None
    request: HttpRequest | None = None
    conformance: tuple[HttpCase, ...] = ()
    load: Load = Load()
    program: ProgramWork | None = None
    grpc: GrpcWork | None = None
    redis: RedisWork | None = None

    @model_validator(mode="after")
    def _has_its_kinds_section(self) -> Self:
        needed = {"program": "program", "http": "request", "grpc": "grpc", "redis-client": "redis"}[self.kind]
        if getattr(self, needed) is None:
            raise ValueError(f'kind "{self.kind}" needs a [{needed}] section')
        if self.kind == "program" and self.oracle is None:
            raise ValueError('kind "program" needs an oracle: a command that prints the right output')
        if self.kind == "http":
            self.expected()
        return self

    def expected(self) -> HttpCase:
        """The conformance case of the very request that the load sends."""
        assert self.request is not None
        for case in self.conformance:
            if (case.method, case.path) == (self.request.method, self.request.path):
                return case
        raise ValueError(f"no [[conformance]] case says what {self.request.path} answers")
