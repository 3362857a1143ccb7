"""Command lines of a user as workloads: what is raced and asked without files of theirs."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deadheat.errors import UserError
from deadheat.model.address import Address
from deadheat.model.login import Login
from deadheat.model.mask import MaskClass
from deadheat.model.service import Service
from deadheat.model.work.http import filled
from deadheat.suite import values_file

WORKLOAD = "ad-hoc"
#: Of a file of values: the column that is what the first answers.
ANSWER = "answer"
PORT = "{port}"
LONGEST_NAME = 24
# `NAME=value` before a command, as shells have it.
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
CONNECTIONS = 64
#: What hyperfine calls what is done around its programs, and so do we.
HOOKS = ("setup", "prepare", "conclude", "cleanup")


@dataclass(frozen=True)
class Request:
    """What each server is asked; `status` and `answer` (the body) are what is right, where that is known;
    `masks` are of what the first answers. `json_fields` and `json_schema` (JSON in a text) in the place of
    that. `values`: rows of which each request takes one at random."""

    method: str = "GET"
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    status: int | None = None
    answer: str | None = None
    masks: Mapping[str, MaskClass] = field(default_factory=dict)
    values: tuple[values_file.Row, ...] = ()
    json_fields: Mapping[str, Any] = field(default_factory=dict)
    json_schema: str | None = None

    @property
    def right_in_parts(self) -> bool:
        return bool(self.json_fields) or self.json_schema is not None

    def of(self, row: values_file.Row) -> Request:
        """With the values of a row for their names in braces. Raises UserError for one that breaks a path or
        a header."""

        path = filled(self.path, row)
        headers = {name: filled(text, row) for name, text in self.headers.items()}
        if bad := [text for text in (path, *headers.values()) if not text.isprintable()]:
            raise UserError(f"{bad[0]!r}: a path or a header of a row of values has what none may have")
        if " " in path or not path.isascii():
            raise UserError(
                f'"{path}" is no path', hint="values of a path stand in their file as URLs have them: a%20b"
            )
        return replace(
            self,
            path=path,
            headers=headers,
            body=None if self.body is None else filled(self.body, row),
            values=(),
        )


@dataclass(frozen=True)
class Part:
    """One request of a mix: what it is called, and its share beside those of the others."""

    name: str
    weight: float
    request: Request


@dataclass(frozen=True)
class Mix:
    """Several requests that are one load."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Call:
    """What each gRPC server is asked: a method of a contract, and its request as protobuf's JSON."""

    proto: Path
    method: str
    data: str


@dataclass(frozen=True)
class Commands:
    """What each server is sent over Redis' protocol: command lines, each as a shell splits it."""

    lines: tuple[str, ...]

    @property
    def words(self) -> list[list[str]]:
        """Raises UserError."""
        return [words_of(line) for line in self.lines]


@dataclass(frozen=True)
class Config:
    """A file that says `{port}`, and what else lines say in braces: each start has a copy in which that is
    filled in, `{config}` in its line. `name`: what the copy is called after."""

    name: str
    text: str

    @classmethod
    def read(cls, file: Path) -> Config:
        """Raises UserError."""
        try:
            return cls(file.name, file.read_text())
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise UserError(f"{file}: cannot be read: {why}", hint="--config-template FILE") from error


@dataclass(frozen=True)
class Command:
    """A command line, what it is called, and where it runs. `title`: what reports say beside its name, the
    line itself where there is none; `artifact`: the program that a build made of it, where that is known.
    `at`: where a server that runs already is asked, whose line is its URL; `metered`: by the process that
    listens at its port here; `freezes`: whether it is stopped while others have their turn. `hooks`: lines
    for a shell by their names in HOOKS, of programs. `image`: a server in a container, whose `line` is what
    the image is given; `port`: where it listens, if that is a port of its own. `config`: that it is told by a
    file."""

    line: str
    name: str
    cwd: Path
    title: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    artifact: Path | None = None
    at: Address | None = None
    metered: bool = True
    freezes: bool = False
    hooks: tuple[tuple[str, str], ...] = ()
    image: str | None = None
    port: int | None = None
    config: Config | None = None

    @property
    def called(self) -> str:
        """What people call it."""
        return self.title or self.name

    @property
    def shown(self) -> str:
        """What reports have as its title."""
        return self.title or " ".join(filter(None, (self.image, self.line)))

    @property
    def fixed_port(self) -> int | None:
        """Where a line of its own listens whatever it is told: in a network of its own then."""
        return self.port if self.image is None else None

    @property
    def listens(self) -> int | None:
        """The port by which it is metered, of a server that runs already on this machine."""
        return self.at.port if self.at is not None and self.metered else None


@dataclass(frozen=True)
class Beside:
    """A service that each command has one of, for itself. `run`: its own line, where `service` is none that
    is known; `fixture`: what fills it, for a shell; both run in `cwd`. `env`: what commands and the fixture
    have in their environment beside its address."""

    service: Service
    cwd: Path
    run: str | None = None
    fixture: str | None = None
    env: tuple[tuple[str, str], ...] = ()

    @property
    def placeholders(self) -> tuple[str, ...]:
        """What lines may say of its address."""
        name = self.service.name
        return (name, f"{name}_host", f"{name}_port")


@dataclass(frozen=True)
class AdHoc:
    """Commands to race, the first of them the reference; `request` where they are servers, which get their
    port as `{port}` and as PORT. They are run by a shell only where `shell` says so. `parameters`: by what
    stands for them in braces in the lines, the values of each, which are raced one by one. `services`:
    beside each of them. `login`: asked of servers before their requests."""

    commands: tuple[Command, ...]
    request: Request | Mix | Call | Commands | None = None
    shell: bool = False
    workload: str = WORKLOAD
    title: str | None = None
    connections: int | None = None
    streams: int | None = None
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    services: tuple[Beside, ...] = ()
    login: Login | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """What hooks are given, in this order, and have in braces."""
        port = (PORT[1:-1],) if self.request is not None else ()
        return (*port, *(name for name, _ in self.parameters))

    @property
    def given(self) -> tuple[str, ...]:
        """What commands are given, in this order, and have in braces: that, and where their services are."""
        return (*self.asked, *(name for each in self.services for name in each.placeholders))

    @property
    def first(self) -> Command:
        """The reference."""
        return self.commands[0]


@dataclass(frozen=True)
class Answer:
    """What is right: a server's status and body, a program's output. `body` None: it is not compared to the
    byte, but by its digest, or by structure with `masks`, or as its request says in parts, or not at all. Any
    `content_type`, `coding`, `location` or `cookies` are right where they are None. `of_rows`: the body of
    each row of its values."""

    body: str | None
    status: int = 200
    content_type: str | None = None
    coding: str | None = None
    location: str | None = None
    cookies: tuple[str, ...] | None = None
    sha256: str | None = None
    structure: str | None = None
    masks: Mapping[str, MaskClass] = field(default_factory=dict)
    of_rows: tuple[str, ...] | None = None


def named(lines: tuple[str, ...], given: tuple[str, ...]) -> tuple[str, ...]:
    """A name for each line: as given, else the program's own, with as much of the line as tells it apart.

    Raises UserError for too many, and for one that is given twice.
    """
    if len(given) > len(lines):
        raise UserError(
            f"{len(given)} names for {len(lines)} commands", hint="--name once a command, in order"
        )
    if twice := [name for name in given if given.count(name) > 1]:
        raise UserError(f'two commands are called "{twice[0]}"', hint="each --name is of its own")
    first = [slug(Path(words_of(line)[0]).name) for line in lines]
    names: list[str] = [slug(name) for name in given]
    for place in range(len(given), len(lines)):
        name = first[place] if first.count(first[place]) == 1 else slug(lines[place].replace(PORT, ""))
        names.append(name if name not in names else f"{name}-{place + 1}")
    return tuple(names)


def of_image(line: str, name: str, port: int | None) -> Command:
    """`NAME=value app:v2 --port {port}`: what it has in its environment, the image, and what that is given.
    Raises UserError."""
    words = words_of(line)
    env: list[tuple[str, str]] = []
    while words and ASSIGNMENT.match(words[0]):
        key, _, value = words.pop(0).partition("=")
        env.append((key, value))
    if not words:
        raise UserError(f"{line}: names no image", hint="--image 'NAME=value app:v2 --port {port}'")
    image, *args = words
    return Command(shlex.join(args), name, Path.cwd(), title=line, env=tuple(env), image=image, port=port)


def folder_of(wanted: Sequence[AdHoc], below: Path) -> Path:
    """Where their suite is: the same commands have the same place, and so their builds."""
    return below / hashlib.sha256(repr(tuple(wanted)).encode()).hexdigest()[:16]


def words_of(line: str) -> list[str]:
    """As a shell splits it. Raises UserError."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UserError(f"{line}: {str(error).lower()}", hint="quote it as a shell would have it") from error
    if not words:
        raise UserError("an empty command", hint="deadheat race --program 'sort big.txt' --program ...")
    return words


def slug(text: str) -> str:
    """As the name of a folder."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME].strip("-") or "command"
