"""A service: a program of somebody else's that contenders talk to, such as a Redis or a PostgreSQL."""

import shlex
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import Field, model_validator

from deadheat.model.base import Record
from deadheat.model.container import is_contained
from deadheat.model.parameter import Setting, holds


class Exchange(Record):
    """A line that is sent to a service's port, and the line that alone is the right answer."""

    send: str
    expect: str


class Command(Record):
    """A program of its own (`pg_isready -h {host} -p {port}`) that ends with status 0 where all is well."""

    command: str


class Service(Record):
    """One `[[services]]` of workload.toml. The referee starts it afresh for each block, with a data folder
    that nobody used before, and stops it at the block's end.

    `name`: under which contenders are told its address, `{redis}` as host:port, `{redis_host}`,
    `{redis_port}`. Several of one name stand for one another: `when` says at which values of the workload's
    parameters it is this one. `needs`, from what is installed, as a contender's; the version of the first is
    recorded. `run` and what else is run may say `{host}`, `{port}`, `{data}` (its folder), `{cpus}` (how
    many), `{python}` and `{client}`, the network that contenders reach it from (`127.0.0.1/32`): one that
    says it lets nobody else in, and may have a machine of its own. `prepare` fills an empty data folder, once
    a run (`initdb -D {data}`); each start has a copy. `ready`: what it answers once it serves; without it, it
    serves as soon as it listens. `fixture`: a command that fills it, in the workload's folder, with what
    contenders may say of the service in braces: once a run, into what `prepare` made, else after each start.
    `reset`: what makes it as it was at first, between invocations. `of_each`: each entry of a race has one of
    its own. `refuses_root`: where the referee is root, an ordinary user runs it. `tells`: it prints what each
    connection sent, as docs/redis-sink.md has it, so that what contenders say of themselves can be held
    against it. `image`: it runs in a container, in the place of a `run` line; `args` are what the image is
    given, and `port` where it listens, if that is a port of its own, as of contenders.
    """

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    when: dict[str, Setting] = {}
    needs: tuple[str, ...] = ()
    prepare: str | None = None
    run: str = ""
    image: str | None = None
    args: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    env: dict[str, str] = {}
    ready: Exchange | Command | None = None
    fixture: str | None = None
    reset: Exchange | Command | None = None
    ready_within_s: float = Field(default=10, gt=0)
    stops_within_s: float = Field(default=2, gt=0)
    refuses_root: bool = False
    tells: bool = False
    of_each: bool = False

    @model_validator(mode="after")
    def _is_run_or_an_image(self) -> Self:
        if bool(self.run) == (self.image is not None):
            raise ValueError("a service has a run line or an image: one of the two")
        if is_contained(self) and (self.prepare is not None or self.refuses_root or self.tells):
            raise ValueError(
                "an image prepares its own data as its own user: prepare, refuses_root and tells are of a "
                "run line"
            )
        return self

    @property
    def program(self) -> str:
        """What it is called in messages: the first word of its line, or its image."""
        return self.image if self.image is not None else shlex.split(self.run)[0]


def chosen(services: Iterable[Service], values: Mapping[str, Setting | None]) -> tuple[Service, ...]:
    """Those that race at these values of a workload's parameters, one of each name.

    Raises ValueError where two of one name would.
    """
    found: dict[str, Service] = {}
    for service in services:
        if not holds(service.when, values):
            continue
        if service.name in found:
            raise ValueError(f"two services are called {service.name} at the same time")
        found[service.name] = service
    return tuple(found.values())
