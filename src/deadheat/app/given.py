"""What somebody says instead of a bench file, or beside it: on a command line, or from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deadheat.app.sides import Given, Setting
from deadheat.errors import UserError
from deadheat.model.bench import BenchCall, BenchRequest, BenchService
from deadheat.model.known_services import KNOWN
from deadheat.model.login import Login
from deadheat.suite import pasted, requests_file
from deadheat.suite.ad_hoc import Call, Commands


@dataclass(frozen=True, kw_only=True)
class Said:
    """Each as the option of `deadheat ab` of that name; None or empty where it is not said."""

    build: str | None = None
    artifact: str | None = None
    command: str | None = None
    program: str | None = None
    containerfile: str | None = None
    image_port: int | None = None
    port: int | None = None
    config_template: str | None = None
    shell: bool = False
    copy: Sequence[str] = ()
    connections: int | None = None
    path: str | None = None
    request_method: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    values: Path | None = None
    request: Path | None = None
    requests: Path | None = None
    login: str | None = None
    login_headers: Mapping[str, str] = field(default_factory=dict)
    login_body: str | None = None
    login_take: Mapping[str, str] = field(default_factory=dict)
    proto: Path | None = None
    call: str | None = None
    data: str = "{}"
    redis: Sequence[str] = ()
    service: Sequence[str] = ()
    fixture: str | None = None


def given(said: Said, settings: Sequence[Setting]) -> Given:
    """As fields of a bench file. Raises UserError."""
    if said.command is not None and said.program is not None:
        raise UserError("a server or a program, not both", hint="--command or --program")
    if said.path is not None and not said.path.startswith("/"):
        raise UserError(
            f"{said.path}: a path begins with /",
            hint="deadheat ab starts both servers itself, on this machine: write the path alone",
        )
    fields: dict[str, Any] = {
        "build": said.build,
        "artifact": said.artifact,
        "run": said.command,
        "program": said.program,
        "containerfile": said.containerfile,
        "port": said.port if said.port is not None else said.image_port,
        "config_template": said.config_template,
        "shell": said.shell or None,
        "copied": tuple(said.copy) or None,
        "connections": said.connections,
        "login": login(said.login, said.login_headers, said.login_body, said.login_take),
        "services": services(said.service, said.fixture) or None,
        **_asked(said),
    }
    return Given({name: value for name, value in fields.items() if value is not None}, settings)


def _asked(said: Said) -> dict[str, Any]:
    """Requests or a call in the place of those of the file; neither where nothing is said of them."""
    parts: dict[str, Any] = {"path": said.path, "method": said.request_method, "body": said.body}
    parts["values"] = None if said.values is None else str(said.values.absolute())
    parts["headers"] = dict(said.headers) or None
    parts = {name: value for name, value in parts.items() if value is not None}
    files = [file for file in (said.request, said.requests) if file is not None]
    over_http = bool(parts or files) or said.login is not None
    other = other_than_http(said.proto, said.call, said.data, said.redis, over_http=over_http)
    if isinstance(other, Commands):
        return {"redis": other.lines, "request": (), "call": ()}
    if files:
        refuse_beside_a_file(said.request, said.requests, others=bool(parts))
        read = pasted.read if said.requests is None else requests_file.read
        return {"request": read(files[0]), "call": (), "redis": ()}
    if other is not None:
        if other.method.count("/") != 1:
            raise UserError(f"{other.method}: no method", hint="--call package.Service/Method")
        own = BenchCall(proto=str(other.proto), call=other.method, data=other.data)
        return {"call": (own,), "request": (), "redis": ()}
    return {"request": (BenchRequest(**parts),), "call": (), "redis": ()} if parts else {}


def refuse_beside_a_file(request: Path | None, requests: Path | None, *, others: bool) -> None:
    """`others`: whether anything else says what servers are asked. Raises UserError."""
    if request is not None and requests is not None:
        raise UserError(
            "--request or --requests, not both", hint="a race of each request, or one load of all of them"
        )
    if others:
        option = "--request" if requests is None else "--requests"
        raise UserError(
            f"{option} says all of the requests", hint="leave out --path, -X, -H, --body and --values"
        )


def login(
    asked: str | None, headers: Mapping[str, str], body: str | None, take: Mapping[str, str]
) -> Login | None:
    """`POST /login`, or its path alone, as a bench file has it. Raises UserError."""
    if asked is None:
        if headers or body is not None or take:
            raise UserError(
                "--login-header, --login-body and --login-take are of a login", hint="--login 'POST /login'"
            )
        return None
    if not take:
        raise UserError(
            "nothing of the login's answer is taken", hint="--login-take 'session=cookie session_id'"
        )
    method, _, path = asked.strip().rpartition(" ")
    try:
        return Login(
            method=method.strip() or "POST", path=path, headers=dict(headers), body=body, take=dict(take)
        )
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("path",):
            raise UserError(f'"{asked}" is no login', hint="--login 'POST /login'") from error
        raise UserError(f"--login: {first['msg'].removeprefix('Value error, ')}") from error


def services(names: Sequence[str], fixture: str | None) -> tuple[BenchService, ...]:
    """Known ones by their names, as a bench file has them. Raises UserError."""
    if fixture is not None and len(names) != 1:
        raise UserError("--fixture fills one --service", hint="bench/deadheat.toml may have more")
    for name in names:
        if name not in KNOWN:
            raise UserError(
                f'no service "{name}" is known: {", ".join(KNOWN)}',
                hint="[[services]] of bench/deadheat.toml or of a suite says how any other is run",
            )
        if names.count(name) > 1:
            raise UserError(f"--service {name} is given twice")
    return tuple(BenchService(name=name, fixture=fixture) for name in names)


def other_than_http(
    proto: Path | None, call: str | None, data: str, redis: Sequence[str], *, over_http: bool
) -> Call | Commands | None:
    """By what servers are asked that speak gRPC or Redis' protocol; None of others. `over_http`: whether
    something says what they are asked over HTTP. Raises UserError."""
    if proto is None and call is None:
        if data != "{}":
            raise UserError("--data is of a gRPC --call", hint="--body is that of an HTTP request")
        if redis and over_http:
            raise UserError(
                "Redis or HTTP, not both", hint="leave out --path, -X, -H, --body, --requests and --login"
            )
        return Commands(tuple(redis)) if redis else None
    if proto is None or call is None:
        raise UserError("a gRPC server is called by --proto and --call, both")
    if over_http or redis:
        raise UserError("gRPC or another protocol, not both", hint="--data is the request of a --call")
    return Call(proto.resolve(), call, data)
