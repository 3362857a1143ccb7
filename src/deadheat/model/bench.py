"""`bench/deadheat.toml` in a user's own repository: how its program is built, run and asked."""

from typing import Self

from pydantic import Field, model_validator

from deadheat.model.base import Record
from deadheat.model.container import is_contained
from deadheat.model.json_answer import JsonFields
from deadheat.model.known_services import KNOWN
from deadheat.model.login import Login
from deadheat.model.mask import Masks
from deadheat.model.service import Command, Exchange
from deadheat.model.workload import MOST_OF_A_MIX


class BenchRequest(Record):
    """A request to race; `status` and `answer` (the body) where they are not just what the base answers.

    Or, in the place of what the base answers, JSON with the values of `json_fields` at their places
    (`"$.items[0].id" = 7`), and as `json_schema` allows it, a file of the repository with a JSON Schema.

    `masks`: what of the base's answer is not compared by value, whether the base differs in it or not.
    `weight`: its share, beside theirs, of the one load that all requests of the file then are; 1 where only
    others have one. `values`: a file (CSV) of which each request takes a row at random; path, headers and
    body say `{column}`.
    """

    name: str | None = None
    method: str = "GET"
    path: str = Field(default="/", pattern="^/")
    headers: dict[str, str] = {}
    body: str | None = None
    status: int | None = Field(default=None, ge=100, le=599)
    answer: str | None = None
    json_fields: JsonFields = {}
    json_schema: str | None = None
    masks: Masks = {}
    values: str | None = None
    weight: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _masks_what_base_answers(self) -> Self:
        if self.values is not None and self.masks:
            raise ValueError("masks are of one answer, and each row of values has its own")
        if self.answer is not None and self.masks:
            raise ValueError("answer is the body to the byte: masks are of what the base answers")
        if (self.json_fields or self.json_schema) and (self.answer is not None or self.masks):
            raise ValueError("json_fields and json_schema say what is right: no answer and masks beside them")
        if (self.json_fields or self.json_schema) and self.values is not None:
            raise ValueError(
                "json_fields and json_schema are of one answer, and each row of values has its own"
            )
        return self

    @property
    def title(self) -> str:
        return self.name or f"{self.method} {self.path}"


class BenchCall(Record):
    """A unary gRPC call to race: a method of a contract (a .proto file of the repository), and its request as
    protobuf's JSON. What the base replies is right, message by message."""

    name: str | None = None
    proto: str
    call: str = Field(pattern="^[^/]+/[^/]+$")
    data: str = "{}"

    @property
    def title(self) -> str:
        return self.name or self.call


class BenchCommands(Record):
    """What a server is sent over Redis' protocol, in turn over all connections."""

    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        """Their names: `SET, GET`."""
        return ", ".join(dict.fromkeys(line.split()[0] for line in self.lines))


class BenchService(Record):
    """A service beside it, such as a database: by the `name` of one that is known, or by how it is run.

    `image`: it runs in a container, in the place of a `run` line; `args` and `port` as of the program itself.
    `fixture` fills it, by a shell; each side has one of its own, filled alike, fresh in each block. `run`
    may say `{host}`, `{port}` and `{data}` (an empty folder), and has PORT; `ready`: what it answers once it
    serves, and without it that it listens.
    """

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    fixture: str | None = None
    run: str | None = None
    image: str | None = None
    args: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    env: dict[str, str] = {}
    needs: tuple[str, ...] = ()
    ready: Exchange | Command | None = None
    ready_within_s: float = Field(default=30, gt=0)

    @model_validator(mode="after")
    def _is_known_or_run(self) -> Self:
        if is_contained(self) and self.run is not None:
            raise ValueError(f"{self.name}: run or image, not both")
        if self.run is not None or self.image is not None:
            return self
        if self.name not in KNOWN:
            raise ValueError(
                f'no service "{self.name}" is known: say how it is run (known: {", ".join(KNOWN)})'
            )
        if self.env or self.needs or self.ready is not None:
            raise ValueError(f"{self.name} is known: env, needs and ready are of a service with a run line")
        return self


class BenchFile(Record):
    """One program: `run` starts a server, which gets its port as `{port}` and as PORT; `program` is a command
    that runs to its end. In the place of `run` and `build` a server may be an `image` that podman or docker
    has, or a `containerfile`, of which each revision's own image is built; `args` are what the image is
    given. `port`: where a server listens that takes none. `config_template`: a file of the repository that
    says `{port}`; `{config}` in `run` or `program` is its copy that says a port.

    `build` is a line for the shell. What it makes is the `artifact`, by default what `run` or `program`
    begins with, where that is no file of the repository. `copy`: files that git ignores and that are needed.
    `login`: asked before all requests, which have values of its answer in braces.
    `redis`: commands, of a server that speaks Redis' protocol, each as a shell splits it.
    `connections` (64; of gRPC 10, of `redis` 50) and `streams`, what is in flight on each (1; of gRPC 50).
    """

    title: str | None = None
    build: str | None = None
    artifact: str | None = None
    run: str | None = None
    program: str | None = None
    image: str | None = None
    containerfile: str | None = None
    args: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    config_template: str | None = None
    shell: bool = False
    env: dict[str, str] = {}
    needs: tuple[str, ...] = ()
    copied: tuple[str, ...] = Field(default=(), alias="copy")
    connections: int | None = Field(default=None, ge=1)
    streams: int | None = Field(default=None, ge=1)
    login: Login | None = None
    request: tuple[BenchRequest, ...] = ()
    call: tuple[BenchCall, ...] = ()
    redis: tuple[str, ...] = ()
    services: tuple[BenchService, ...] = ()

    @model_validator(mode="after")
    def _is_one_program(self) -> Self:
        if is_contained(self, fixed_port=True) + (self.run is not None) + (self.program is not None) != 1:
            raise ValueError(
                "one of run (a server), image or containerfile (one in a container) and program (one that "
                "ends) is what is raced"
            )
        if self.contained and self.shell:
            raise ValueError("shell is of a line of your own: args are what the image is given")
        self._is_told_its_port()
        if self.program is not None and (self.request or self.call or self.redis):
            raise ValueError(
                "a program that runs to its end is asked nothing: leave [[request]], [[call]] and redis out"
            )
        if sum(map(bool, (self.request, self.call, self.redis))) > 1:
            raise ValueError("[[request]], [[call]] or redis: a server speaks one of them here")
        if not all(line.split() for line in self.redis):
            raise ValueError("redis: an empty command")
        if self.login is not None and (self.program is not None or self.call or self.redis):
            raise ValueError("a [login] is of servers that are asked over HTTP")
        if self.mix:
            self._is_a_mix()
        names = [service.name for service in self.services]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f'two services are called "{twice[0]}"')
        return self

    def _is_told_its_port(self) -> None:
        if self.port is not None and self.services:
            raise ValueError(
                "a server with a port of its own has a network of its own, and does not reach services "
                "beside it: let it listen at PORT"
            )
        if self.port is not None and self.program is not None:
            raise ValueError("port is of a server")
        if self.port is not None and self.call and not self.contained:
            raise ValueError("a gRPC server takes its port: {port} in run, or PORT")
        if self.contained and self.config_template is not None:
            raise ValueError("config_template is of run or program: an image has its own files")
        if self.config_template is not None and "{config}" not in self.line:
            raise ValueError("a config_template is told by {config}, which neither run nor program says")

    def _is_a_mix(self) -> None:
        titles = [each.title for each in self.request]
        if not 2 <= len(titles) <= MOST_OF_A_MIX:
            raise ValueError(f"weight is of 2 to {MOST_OF_A_MIX} requests that are one load")
        if twice := [title for title in titles if titles.count(title) > 1]:
            raise ValueError(f'two requests of one load are called "{twice[0]}": give each a name')
        if any(each.values is not None for each in self.request):
            raise ValueError("values are of a request that is a race of its own: leave weight out")

    @property
    def mix(self) -> bool:
        """Whether its requests are one load, by weight, and not a race of each."""
        return any(each.weight is not None for each in self.request)

    @property
    def line(self) -> str:
        """The command line; of one in a container what its image is given."""
        lines = (self.run, self.program, self.args)
        return next((line for line in lines if line is not None), "")

    @property
    def contained(self) -> bool:
        """In a container."""
        return self.image is not None or self.containerfile is not None

    @property
    def serves(self) -> bool:
        """A server, and no program that runs to its end."""
        return self.program is None

    @property
    def asked(self) -> tuple[BenchRequest | BenchCall | BenchCommands, ...]:
        """What a server is asked: / where nothing is said; nothing of a program."""
        if not self.serves:
            return ()
        if self.redis:
            return (BenchCommands(lines=self.redis),)
        return self.call or self.request or (BenchRequest(),)
