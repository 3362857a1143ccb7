"""A workload: what is to be done, and what counts as right."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from deadheat.model import choices
from deadheat.model.base import Record
from deadheat.model.kinds.registry import TRAITS, Kind
from deadheat.model.kinds.traits import Traits
from deadheat.model.parameter import Parameter, Setting
from deadheat.model.service import Service, chosen

Preset = choices.Preset
Metric = Literal["throughput_rps", "wall_s", "cpu_s"]

HIGHER_IS_FASTER: dict[str, bool] = {"throughput_rps": True, "wall_s": False, "cpu_s": False}


class HttpRequest(Record):
    """The request that a load of kind http sends; `{token}` stands for the slice's random token."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    body: str | None = None


class HttpCase(Record):
    """A request and the answer that alone is right: the status, and the body to the byte (any, if null)."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    send: str | None = None
    status: int = 200
    body: str | None = None


class Load(Record):
    """How a server is loaded: connections in all, and requests in flight on each."""

    connections: int = Field(default=64, ge=1)
    streams: int = Field(default=1, ge=1)


class SizeCheck(Record):
    """Which n are checked before any timing: a range (both ends), and a range one n is drawn from."""

    range: tuple[int, int]
    random: tuple[int, int]


class Sizes(Record):
    """The argument n of a program, for each preset."""

    default: int
    quick: int
    standard: int
    thorough: int
    check: SizeCheck

    def at(self, preset: Preset) -> int:
        return int(getattr(self, preset))


class CallsWork(Record):
    """Two small n, and how many more calls the source asks for at the larger than at the smaller."""

    n: tuple[int, int]
    asked: int = Field(ge=1)


class ProgramWork(Record):
    """A program run to completion: its arguments (`{n}` is the size) and how long it may take, seconds.

    `output`: what it must print, the oracle's output or anything.
    """

    args: tuple[str, ...]
    timeout_s: float = Field(default=120, gt=0)
    n: Sizes
    calls: CallsWork | None = None
    output: Literal["oracle", "any"] = "oracle"


class GrpcWork(Record):
    """A unary (or server-streaming) call, as JSON; `{token}` as above."""

    proto: str
    call: str
    data: dict[str, str]
    expect: dict[str, str]
    messages: int = Field(default=1, ge=1)


# Before a command that is sent once an iteration.
EACH = "N "


class RedisRules(Record):
    """What a client may do, as the workload's comments say in full."""

    overlap: Literal["allowed", "forbidden"] = "allowed"
    use_before_handed_over: Literal["allowed", "forbidden"] = "forbidden"
    unparsed_replies: Literal["allowed", "forbidden"] = "forbidden"
    connections: int = 1
    before_the_clock: tuple[str, ...] = ()


class ReplyDigest(Record):
    """How replies are rendered for the digest that proves they were parsed."""

    function: Literal["fnv1a-64"]
    text: str
    integer: str
    nil: str


class PipelineCosts(Record):
    """About what an invocation takes, for estimates only: the process, a command, and a round trip."""

    process_s: float = 0.1
    command_s: float = 1e-6
    round_trip_s: float = 45e-6

    def invocation_s(self, commands: int, depth: int | None) -> float:
        """Seconds, with so many commands handed over at a time (None: all)."""
        return self.process_s + self.command_s * commands + self.round_trip_s * commands / (depth or commands)


class RedisWork(Record):
    """The pipeline that a client program sends, rounds of it in one process, and how long an invocation may
    take, seconds.

    `round`: its commands in order, `N GET foo` one that is sent `iterations` times; `{increment}` stands for
    any one spelling of `increments`, all of which are right. `key` is the only one that commands touch.
    `most_round_trips` of an invocation: with few commands at a time it has fewer iterations.
    """

    timeout_s: float = Field(default=120, gt=0)
    iterations: int = Field(default=100_000, ge=1)
    rounds: int = Field(default=1, ge=1)
    key: str
    round: tuple[str, ...]
    increments: tuple[str, ...]
    most_round_trips: int | None = Field(default=None, ge=1)
    takes: PipelineCosts = PipelineCosts()
    rules: RedisRules
    digest: ReplyDigest

    @property
    def repeated(self) -> tuple[str, ...]:
        """The commands that are sent once an iteration."""
        return tuple(command for command in self.round if command.startswith(EACH))

    @property
    def first_command(self) -> str:
        """The name of the first."""
        return self.round[0].removeprefix(EACH).split()[0]

    def commands(self, iterations: int, rounds: int = 1) -> int:
        """How many commands that is."""
        once = len(self.round) - len(self.repeated)
        return (len(self.repeated) * iterations + once) * rounds

    def runs(self, iterations: int, increment: str) -> tuple[tuple[int, str], ...]:
        """One round as runs of equal commands: how often each is sent, in order."""
        return tuple(
            (iterations if command.startswith(EACH) else 1, self._spelt(command, increment))
            for command in self.round
        )

    def _spelt(self, command: str, increment: str) -> str:
        return command.removeprefix(EACH).replace("{increment}", increment)


class Workload(Record):
    """`suite/<name>/workload.toml`. Loading a suite fills in a `reference` that is not named."""

    name: str
    title: str
    question: str = ""
    kind: Kind
    metric: Metric
    reference: str = ""
    oracle: str | None = None
    request: HttpRequest | None = None
    conformance: tuple[HttpCase, ...] = ()
    load: Load = Load()
    parameters: dict[str, Parameter] = {}
    program: ProgramWork | None = None
    grpc: GrpcWork | None = None
    redis: RedisWork | None = None
    services: tuple[Service, ...] = ()

    @model_validator(mode="after")
    def _has_its_kinds_section(self) -> Self:
        needed = self.traits.section
        if getattr(self, needed) is None:
            raise ValueError(f'kind "{self.kind}" needs a [{needed}] section')
        if self.program is not None and self.oracle is None and self.program.output == "oracle":
            raise ValueError(f'kind "{self.kind}" needs an oracle: a command that prints the right output')
        if self.request is not None:
            self.expected()
        self._has_its_services()
        return self

    def _has_its_services(self) -> None:
        """Services go by parameters that there are."""
        if self.traits.needs_service and not self.services:
            raise ValueError(f'kind "{self.kind}" needs a [[services]] section')
        for service in self.services:
            for name, value in service.when.items():
                if name not in self.parameters:
                    raise ValueError(f'service {service.name}: when names "{name}", which is no parameter')
                self.parameters[name].value(str(value))

    @property
    def traits(self) -> Traits:
        """What its kind is."""
        return TRAITS[self.kind]

    def services_at(self, values: Mapping[str, Setting | None]) -> tuple[Service, ...]:
        """The services of a race at these values of its parameters."""
        return chosen(self.services, values)

    def expected(self) -> HttpCase:
        """The conformance case of the very request that the load sends."""
        assert self.request is not None
        for case in self.conformance:
            if (case.method, case.path) == (self.request.method, self.request.path):
                return case
        raise ValueError(f"no [[conformance]] case says what {self.request.path} answers")
