"""Command lines of a user become workloads, written to a folder: no files of their own."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.address import Address
from deadheat.model.mask import MaskClass
from deadheat.model.service import Service
from deadheat.model.workload import filled
from deadheat.suite import values_file
from deadheat.suite.suite import CONTENDER_FILE, WORKLOAD_FILE

WORKLOAD = "ad-hoc"
SCRIPT = "run.sh"
EXPECTED = "expected.txt"
ARTIFACT = "artifact"
VALUES = "values.csv"
# The column of it that is what the first answers.
ANSWER = "answer"
PORT = "{port}"
LONGEST_NAME = 24
CONNECTIONS = 64
MOST_AT_ONCE = 200
#: What hyperfine calls what is done around its programs, and so do we.
HOOKS = ("setup", "prepare", "conclude", "cleanup")
#: What a service's own line may say, in this order.
OF_SERVICES = ("host", "port", "data")
# Without leading zeros: those would be another word.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
# `NAME=value` before a command, as shells have it.
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True)
class Request:
    """What each server is asked; `status` and `answer` (the body) are what is right, where that is known;
    `masks` are of what the first answers. `values`: rows of which each request takes one at random."""

    method: str = "GET"
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    status: int | None = None
    answer: str | None = None
    masks: Mapping[str, MaskClass] = field(default_factory=dict)
    values: tuple[values_file.Row, ...] = ()

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
class Call:
    """What each gRPC server is asked: a method of a contract, and its request as protobuf's JSON."""

    proto: Path
    method: str
    data: str


@dataclass(frozen=True)
class Command:
    """A command line, what it is called, and where it runs. `title`: what reports say beside its name, the
    line itself where there is none; `artifact`: the program that a build made of it, where that is known.
    `at`: where a server that runs already is asked, whose line is its URL; `metered`: by the process that
    listens at its port here; `freezes`: whether it is stopped while others have their turn. `hooks`: lines
    for a shell by their names in HOOKS, of programs."""

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

    @property
    def called(self) -> str:
        """What people call it."""
        return self.title or self.name

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
    beside each of them."""

    commands: tuple[Command, ...]
    request: Request | Call | None = None
    shell: bool = False
    workload: str = WORKLOAD
    title: str | None = None
    connections: int | None = None
    streams: int | None = None
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    services: tuple[Beside, ...] = ()

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
    byte, but by its digest, or by structure with `masks`, or not at all. Any `content_type`, `coding`,
    `location` or `cookies` are right where they are None. `of_rows`: the body of each row of its values."""

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


def folder_of(wanted: Sequence[AdHoc], below: Path) -> Path:
    """Where their suite is: the same commands have the same place, and so their builds."""
    return below / hashlib.sha256(repr(tuple(wanted)).encode()).hexdigest()[:16]


def write_contenders(wanted: AdHoc, folder: Path) -> None:
    """A folder for each command: a script that runs it where it is to run."""
    for command in wanted.commands:
        home = folder / wanted.workload / command.name
        home.mkdir(parents=True, exist_ok=True)
        facts: dict[str, object] = {"title": command.title or command.line, "class": "idiomatic"}
        if command.at is not None:
            facts |= {"language": "a URL", "run": "", "freezes": command.freezes}
            facts |= {} if command.listens is None else {"listens": command.listens}
            asked = command.at.model_dump(mode="json", exclude_none=True)
            facts |= {f"at.{key}": value for key, value in asked.items()}
        else:
            (home / SCRIPT).write_text(script(wanted, command))
            for hook in hooks_of(wanted):
                (home / f"{hook}.sh").write_text(_of_hook(wanted, command, hook))
            facts["language"] = Path(words_of(command.line)[0]).name
            facts["run"] = _called(SCRIPT, wanted.given)
        if command.artifact is not None:
            facts["artifact"] = ARTIFACT
            _copy_artifact(command.artifact, home / ARTIFACT)
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
        (home / CONTENDER_FILE).write_text(text + "default = true\n")


def _copy_artifact(made: Path, to: Path) -> None:
    """For its size: the command runs the one that was built."""
    if made.is_dir():
        shutil.copytree(made, to, dirs_exist_ok=True)
    else:
        shutil.copyfile(made, to)


def write_workload(wanted: AdHoc, right: Answer, folder: Path) -> None:
    """What all of them are asked, and what is right."""
    match wanted.request:
        case None:
            text = _of_programs(wanted, right, folder)
        case Call() as call:
            text = _of_grpc(wanted, call, right)
        case Request() as request:
            text = _of_servers(wanted, request, right, folder)
    text += "\n".join(_parameters(wanted)) + "\n" if wanted.parameters else ""
    text += "\n".join(_services(wanted, folder / wanted.workload)) + "\n" if wanted.services else ""
    (folder / wanted.workload / WORKLOAD_FILE).write_text(text)


def script(wanted: AdHoc, command: Command) -> str:
    """Its shell is gone once the command runs (exec), but for where the user asked for one."""
    head = f"cd {shlex.quote(str(command.cwd))} || exit 127\n"
    head += "".join(_told(each, wanted.given) for each in wanted.services)
    head += _exported(command.env, wanted.given)
    if wanted.request is not None:
        head += 'PORT="$1"; export PORT\n'
    if wanted.shell:
        return f"{head}{_for_shell(command.line, wanted.given)}\n"
    return head + _exec(command.line, wanted.given)


def _exec(line: str, given: Sequence[str]) -> str:
    """It takes the place of the shell."""
    words = words_of(line)
    if _ASSIGNMENT.match(words[0]):
        words = ["env", *words]
    return f"exec {' '.join(_quoted(word, given) for word in words)}\n"


def _exported(env: Iterable[tuple[str, str]], given: Sequence[str]) -> str:
    return "".join(f"export {name}={_quoted(value, given)}\n" for name, value in env)


def _told(beside: Beside, given: Sequence[str]) -> str:
    """What is in the environment of a service: POSTGRES, POSTGRES_HOST, POSTGRES_PORT, and its own."""
    address = [(name.upper(), f"{{{name}}}") for name in beside.placeholders]
    return _exported((*address, *beside.env), given)


def hooks_of(wanted: AdHoc) -> list[str]:
    """The hooks that any of the commands has."""
    return [hook for hook in HOOKS if any(hook in dict(command.hooks) for command in wanted.commands)]


def _of_hook(wanted: AdHoc, command: Command, hook: str) -> str:
    """Where the command runs; nothing is done for one that has none."""
    line = dict(command.hooks).get(hook, ":")
    return f"cd {shlex.quote(str(command.cwd))} || exit 127\n{_for_shell(line, wanted.asked)}\n"


def _called(script_file: str, given: Sequence[str]) -> str:
    return " ".join(["sh", shlex.quote(script_file), *(f"{{{name}}}" for name in given)])


def _for_shell(line: str, given: Sequence[str]) -> str:
    for place, name in enumerate(given, 1):
        line = line.replace(f"{{{name}}}", _bare(place))
    return line


def _of_grpc(wanted: AdHoc, call: Call, right: Answer) -> str:
    """As many calls at once as the built-in gRPC workload has, unless somebody says otherwise."""
    lines = [*_head("grpc", "throughput_rps", wanted), "[load]"]
    lines += [f"connections = {wanted.connections or 10}", f"streams = {wanted.streams or 50}", ""]
    lines += ["[grpc]", 'conformance = "call"']
    lines += _pairs([("proto", str(call.proto)), ("call", call.method), ("data", call.data)])
    return "\n".join([*lines, *_pairs([("expect", right.body)])]) + "\n"


def _of_servers(wanted: AdHoc, asked: Request, right: Answer, folder: Path) -> str:
    same = [("method", asked.method), ("path", asked.path)]
    lines = _head("http", "throughput_rps", wanted)
    if asked.values:
        # The answer is the last that is filled in: nothing in it is a name.
        own: Sequence[values_file.Row] = ({},) * len(asked.values)
        answers = own if right.of_rows is None else [{ANSWER: text} for text in right.of_rows]
        rows = [{**row, **answer} for row, answer in zip(asked.values, answers, strict=True)]
        values_file.write(folder / wanted.workload / VALUES, rows)
        lines += _pairs([("values", VALUES)])
    lines += ["[request]", *_pairs(same)]
    lines += _pairs([("body", asked.body)])
    lines += ["", "[request.headers]", *_pairs(asked.headers.items())]
    if wanted.connections is not None:
        # No more than it is loaded with: a queue that is short enough for that is nobody's fault.
        at_once = min(wanted.connections, MOST_AT_ONCE)
        lines += ["", "[load]", f"connections = {wanted.connections}", f"at_once = {at_once}"]
        lines += _pairs([("streams", wanted.streams)])
    lines += ["", "[[conformance]]", *_pairs(same), *_pairs([("send", asked.body)])]
    bodies = (f"{{{ANSWER}}}" if right.of_rows is not None else right.body, right.sha256, right.structure)
    head = (
        ("content_type", right.content_type),
        ("content_encoding", right.coding),
        ("location", right.location),
        ("cookies", right.cookies),
    )
    lines += [f"status = {right.status}", *_pairs(head)]
    lines += _pairs(zip(("body", "sha256", "structure"), bodies, strict=True))
    lines += ["", "[conformance.headers]", *_pairs(asked.headers.items())]
    lines += ["", "[conformance.masks]", *_pairs(right.masks.items())] if right.masks else []
    return "\n".join(lines) + "\n"


def _of_programs(wanted: AdHoc, right: Answer, folder: Path) -> str:
    lines = _head("program", "wall_s", wanted)
    if right.body is not None:
        (folder / wanted.workload / EXPECTED).write_text(right.body)
        lines += [f'oracle = "cat {EXPECTED}"']
    lines += ["", "[program]", "args = []", "timeout_s = 3600"]
    lines += [] if right.body is not None else ['output = "any"']
    if hooks := hooks_of(wanted):
        called = ((hook, _called(f"{hook}.sh", wanted.asked)) for hook in hooks)
        lines += ["", "[program.hooks]", *_pairs(called)]
    once = "default = 1\nquick = 1\nstandard = 1\nthorough = 1\ncheck = { range = [1, 1], random = [1, 1] }"
    return "\n".join([*lines, "", "[program.n]", once]) + "\n"


def _parameters(wanted: AdHoc) -> list[str]:
    """Numbers where all values are, so that a race through them has a curve; else words."""
    lines = []
    for name, values in wanted.parameters:
        lines += ["", f"[parameters.{name}]", *_pairs([("what", f"{{{name}}} of the lines")])]
        if all(_WHOLE.fullmatch(value) for value in values):
            numbers = [int(value) for value in values]
            lines += [f"range = [{min(numbers)}, {max(numbers)}]"]
        else:
            lines += _pairs([("one_of", list(values))])
    return lines


def _services(wanted: AdHoc, folder: Path) -> list[str]:
    """Their tables, and in the workload's `folder` the scripts that they name."""
    lines = []
    for each in wanted.services:
        service, name = each.service.replaced(of_each=True), each.service.name
        if each.run is not None:
            script_file = folder / f"{name}-run.sh"
            at = 'PORT="$2"; export PORT\n'
            head = f"cd {shlex.quote(str(each.cwd))} || exit 127\n{at}"
            script_file.write_text(head + _exec(each.run, OF_SERVICES))
            service = service.replaced(run=_called(str(script_file.absolute()), OF_SERVICES))
        if each.fixture is not None:
            script_file = folder / f"{name}-fixture.sh"
            head = f"cd {shlex.quote(str(each.cwd))} || exit 127\n{_told(each, each.placeholders)}set -e\n"
            script_file.write_text(f"{head}{_for_shell(each.fixture, each.placeholders)}\n")
            service = service.replaced(fixture=_called(script_file.name, each.placeholders))
        lines += ["", "[[services]]", *_table(service.model_dump(mode="json", exclude_defaults=True))]
    return lines


def _table(values: Mapping[str, object]) -> list[str]:
    """A table of TOML, the tables in it inline."""
    flat = [(key, value) for key, value in values.items() if not isinstance(value, dict)]
    inner = [
        f"{json.dumps(key)} = {{ {', '.join(_pairs(value.items()))} }}"
        for key, value in values.items()
        if isinstance(value, dict)
    ]
    return [*_pairs(flat), *inner]


def _head(kind: str, metric: str, wanted: AdHoc) -> list[str]:
    title = wanted.title or "Ad hoc: " + ", ".join(command.name for command in wanted.commands)
    return _pairs([("title", title), ("kind", kind), ("metric", metric), ("reference", wanted.first.name)])


def _pairs(pairs: object) -> list[str]:
    """TOML's basic strings are JSON's, where nothing but ASCII is written as it is."""
    return [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in pairs if value is not None]  # type: ignore[attr-defined]


def _quoted(word: str, given: Sequence[str]) -> str:
    places = {f"{{{name}}}": _argument(place) for place, name in enumerate(given, 1)}
    if not places:
        return shlex.quote(word)
    parts = re.split("|".join(map(re.escape, places)).join("()"), word)
    return "".join(places.get(part) or shlex.quote(part) for part in parts if part) or "''"


def _argument(place: int) -> str:
    """Of a script, quoted."""
    return f'"{_bare(place)}"'


def _bare(place: int) -> str:
    """`$10` would be the first, and a 0."""
    return f"${place}" if place < 10 else f"${{{place}}}"


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
