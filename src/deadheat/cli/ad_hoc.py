"""Commands and servers that are raced without a suite: the options, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from deadheat.cli import terminal
from deadheat.cli.command import option
from deadheat.cli.options import CallParts, LoadParts, OwnDatabase, RequestParts, Services
from deadheat.errors import UserError

Given = TypeVar("Given")
#: What lines of a suite have in braces already.
TAKEN = ("args", "config", "cpus", "host", "port", "python")

if TYPE_CHECKING:
    from deadheat.model.login import Login
    from deadheat.suite.ad_hoc import AdHoc, Beside, Call, Commands, Config, Mix, Request
    from deadheat.suite.suite import Suite
    from deadheat.suite.values_file import Row


@dataclass(frozen=True, kw_only=True)
class AdHocOptions(RequestParts, LoadParts, CallParts, Services, OwnDatabase):
    """Commands to race without a suite."""

    command: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A server to race without a suite: './a {port}', or one that reads PORT; twice at least, the "
        "first is the reference.",
    )
    program: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A program to race without a suite, run to its end; twice at least, the first is the reference.",
    )
    url: tuple[str, ...] = option(
        multiple=True,
        metavar="URL",
        help="A server that runs already, http://127.0.0.1:3000 or https://[::1]:3000: metered, never "
        "started, never ended; twice at least, the first is the reference.",
    )
    image: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A server in a container of podman or docker: 'app:v2', 'NAME=value app:v2 --port {port}'; an "
        "image that is here, and that reads PORT unless --image-port says where it listens. After each "
        "--command, if there are such.",
    )
    image_port: int | None = option(
        type=click.IntRange(1, 65535),
        metavar="N",
        help="Where each --image listens in a network of its own; published on loopback, which costs.",
    )
    port: int | None = option(
        type=click.IntRange(1, 65535),
        metavar="N",
        help="Where each --command listens, if it takes no port: as root each has a network of its own.",
    )
    config_template: tuple[Path, ...] = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        multiple=True,
        metavar="FILE",
        help="A file that says {port}; {config} in a --command or --program is its copy that says one. Once "
        "for all, or once for each, in order.",
    )
    remote: bool = option(
        is_flag=True,
        help="Let a --url, or the PostgreSQL of --db-url, be of another machine: CPU time and memory of a "
        "--url are then not known. Load on a server that is not yours is an attack.",
    )
    insecure: bool = option(is_flag=True, help="Take any certificate of an https --url.")
    cacert: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="The authorities that an https --url is trusted by (PEM); else the public ones.",
    )
    freeze: bool = option(
        is_flag=True, help="Stop (SIGSTOP) each --url while it is another's turn; else it is idle, and runs."
    )
    name: tuple[str, ...] = option(
        "--name",
        "-n",
        multiple=True,
        metavar="NAME",
        help="What a --command, --image, --program or --url is called, in order.",
    )
    shell: bool = option(is_flag=True, help="Run each --command or --program by a shell.")
    no_shell: bool = option(
        "--no-shell", "-N", is_flag=True, help="Run them by no shell, as they are anyway: hyperfine's word."
    )
    setup: str | None = option(
        metavar="LINE", help="By a shell, before a --program's first invocation in each block; not timed."
    )
    prepare: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="By a shell, before each invocation; once for all programs, or once for each, in order.",
    )
    conclude: tuple[str, ...] = option(
        multiple=True, metavar="LINE", help="By a shell, after each invocation; once for all, or for each."
    )
    cleanup: str | None = option(
        metavar="LINE", help="By a shell, after a --program's last invocation in each block."
    )
    path: str = option(
        default="/", show_default=True, metavar="PATH", help="What each --command or --url is asked for."
    )
    request_method: str = option(
        "--request-method", "-X", default="GET", show_default=True, metavar="METHOD", help="How it is asked."
    )
    request: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="That request as a browser copies it: a line of curl, or an HTTP Archive of one.",
    )
    answers_may_differ: bool = option(
        is_flag=True,
        help="Compare the status alone (of programs the exit status), not with the first's answer.",
    )


def asked(options: AdHocOptions, parameters: Mapping[str, tuple[str, ...]]) -> AdHoc | None:
    """The commands of the command line, None where it names none; `parameters` are their values by name.
    Raises UserError."""
    from deadheat.suite import running
    from deadheat.suite.ad_hoc import AdHoc, Command, named, of_image

    lines = (*options.command, *options.image) or options.program or options.url
    if options.freeze and not options.url:
        raise UserError("--freeze is for servers of --url", hint="others are always frozen meanwhile")
    elsewhere = options.remote and options.db_url is None
    if (elsewhere or options.insecure or options.cacert) and not options.url:
        raise UserError(
            "--remote, --insecure and --cacert are for servers of --url", hint="--url http://127.0.0.1:3000"
        )
    _refuse_hooks_without_programs(options)
    beside = services(options)
    if beside and not (options.command or options.image or options.program):
        raise UserError("--service is beside a --command or a --program", hint="a suite says what it needs")
    _refuse_unfit_images(options, bool(beside))
    _refuse_unfit_ports(options, bool(beside))
    if options.shell and options.no_shell:
        raise UserError("--shell and -N are two", hint="without either no shell is between")
    if not lines:
        if options.requests is not None or _login(options) is not None:
            raise UserError(
                "--requests and --login are of a --command or a --url",
                hint="a suite's workload.toml has [[mix]] and [login]",
            )
        if options.name:
            raise UserError(
                "--name names a --command, a --program or a --url", hint="-c chooses contenders of a suite"
            )
        return None
    servers = "--command" if options.command or not options.image else "--image"
    given = {servers: options.command or options.image, "--program": options.program, "--url": options.url}
    kind, *others = (name for name, lines_of in given.items() if lines_of)
    if options.url and others:
        raise UserError(
            "servers that run already race each other alone", hint="start all of them, or none: --command"
        )
    if others:
        raise UserError(
            "servers and programs do not race each other", hint="--command or --program, not both"
        )
    if len(lines) < 2:
        raise UserError("a race takes two", hint=f"{kind} '...' {kind} '...'; the first is the reference")
    hooks = _hooks(options)
    taken = [name for each in beside for name in each.placeholders]
    _refuse_parameters_of_nothing(parameters, taken, (*lines, *(line for own in hooks for _, line in own)))
    login = _login(options)
    request = _request(options, login)
    commands = (
        running.commands(
            lines,
            options.name,
            running.Terms(options.freeze, options.remote, options.insecure, options.cacert),
        )
        if options.url
        else tuple(
            of_image(line, name, options.image_port)
            if place >= len(lines) - len(options.image)
            else Command(line, name, Path.cwd(), hooks=own, port=options.port, config=config)
            for place, (line, name, own, config) in enumerate(
                zip(lines, named(lines, options.name), hooks, _configs(options, lines), strict=True)
            )
        )
    )
    return AdHoc(
        commands=commands,
        request=None if options.program else request,
        shell=options.shell,
        parameters=tuple(parameters.items()),
        services=beside,
        login=login,
    )


def services(options: Services) -> tuple[Beside, ...]:
    """Those of the command line. Raises UserError."""
    from deadheat.app import given
    from deadheat.app.sides import beside

    return tuple(beside(each, Path.cwd()) for each in given.services(options.service, options.fixture))


def _refuse_unfit_images(options: AdHocOptions, beside: bool) -> None:
    if options.image_port is not None and not options.image:
        raise UserError("--image-port is of an --image", hint="a --command is given {port}, or PORT")
    if options.image and options.shell:
        raise UserError("--shell is of a --command: an --image runs no line of yours")
    if options.image_port is not None and beside:
        raise UserError(
            "an --image with a port has a network of its own, and does not reach a --service",
            hint="leave --image-port out, and let it listen at PORT",
        )


def _refuse_unfit_ports(options: AdHocOptions, beside: bool) -> None:
    if options.port is not None and not options.command:
        raise UserError("--port is of a --command", hint="--image has --image-port")
    if options.port is not None and beside:
        raise UserError(
            "a --command with a --port has a network of its own, and does not reach a --service",
            hint="leave --port out, and let it take its port: {port}, PORT or --config-template",
        )
    if options.port is not None and options.proto is not None:
        raise UserError("--port is of servers that speak HTTP or Redis' protocol")
    if options.config_template and not (options.command or options.program):
        raise UserError("--config-template is of a --command or a --program")


def _configs(options: AdHocOptions, lines: Sequence[str]) -> list[Config | None]:
    """Of each line. Raises UserError where there are neither one nor as many as lines, and where a line does
    not say what its template is for."""
    from deadheat.suite.ad_hoc import Config

    own = len(options.command or options.program)
    if options.config_template and (bad := [line for line in lines[:own] if "{config}" not in line]):
        raise UserError(f"{bad[0]}: does not say {{config}}", hint="./app --config {config}")
    read = [Config.read(file) for file in options.config_template]
    each = _of_each("--config-template", read, own, "lines")
    return [*each, *[None] * (len(lines) - len(each))]


def _of_each(option: str, given: Sequence[Given], count: int, what: str) -> list[Given]:
    """One for each of `count`, or none at all. Raises UserError where it is given otherwise."""
    if len(given) not in (0, 1, count):
        raise UserError(
            f"{option} is given {len(given)} times for {count} {what}",
            hint="once for all of them, or once for each, in order",
        )
    return list(given) * (count if len(given) == 1 else 1)


def _refuse_hooks_without_programs(options: AdHocOptions) -> None:
    from deadheat.suite.ad_hoc import HOOKS

    given = [name for name in HOOKS if getattr(options, name)]
    if given and not options.program:
        raise UserError(
            f"--{given[0]} is of a --program",
            hint="a server is started afresh in each block: let its --command do it",
        )


def _hooks(options: AdHocOptions) -> list[tuple[tuple[str, str], ...]]:
    """Of each program. Raises UserError where there are neither one nor as many as programs."""
    from deadheat.suite.ad_hoc import HOOKS

    count = len(options.program or (*options.command, *options.image) or options.url)
    each: list[dict[str, str]] = [{} for _ in range(count)]
    for name in HOOKS:
        given = getattr(options, name)
        lines = [given] if isinstance(given, str) else list(given or ())
        for own, line in zip(each, _of_each(f"--{name}", lines, count, "programs"), strict=False):
            own[name] = line
    return [tuple(own.items()) for own in each]


def _refuse_parameters_of_nothing(
    parameters: Iterable[str], by_services: Sequence[str], lines: Sequence[str]
) -> None:
    for name in parameters:
        if not re.fullmatch("[a-z_]+", name) or name in (*TAKEN, *by_services):
            raise UserError(
                f'"{name}" is no name for a parameter',
                hint=f"small letters and _, and none of {', '.join((*TAKEN, *by_services))}",
            )
        if not any(f"{{{name}}}" in line for line in lines):
            raise UserError(
                f'no line has "{{{name}}}", so there is nothing to set or to sweep',
                hint=f"--program 'sort -S{{{name}}} big.txt' --sweep {name}=1M,1G",
            )


def _login(options: AdHocOptions) -> Login | None:
    """Raises UserError."""
    from deadheat.app import given

    asked = given.login(
        options.login, dict(options.login_header), options.login_body, dict(options.login_take)
    )
    if asked is not None and options.program:
        raise UserError("--login is of servers", hint="--command or --url")
    return asked


def _request(options: AdHocOptions, login: Login | None) -> Request | Mix | Call | Commands:
    """What servers are asked. Raises UserError."""
    from deadheat.app import given
    from deadheat.suite.ad_hoc import Request

    of_http = (options.request_method, options.path, options.header) != ("GET", "/", ())
    files = options.request is not None or options.requests is not None
    other = given.other_than_http(
        options.proto,
        options.call,
        options.data,
        options.redis,
        over_http=of_http or files or login is not None,
    )
    if other is not None:
        if options.url or options.program:
            raise UserError("--proto and --redis are of servers that are started: --command")
        return other
    if files:
        parts = (options.request_method, options.path, options.header, options.body, options.values)
        others = parts != ("GET", "/", (), None, None)
        given.refuse_beside_a_file(options.request, options.requests, others=others)
        return _of_file(options)
    return Request(
        options.request_method,
        options.path,
        dict(options.header),
        options.body,
        values=_rows(options, login),
    )


def _of_file(options: AdHocOptions) -> Request | Mix:
    """The one of `--request`, or the load of `--requests`. Raises UserError."""
    from deadheat.app import sides
    from deadheat.suite import pasted, requests_file

    if options.program:
        raise UserError(
            "a program is asked nothing", hint="--request and --requests are of servers: --command"
        )
    if options.request is not None:
        return sides.request_of(pasted.only(pasted.read(options.request), options.request), Path.cwd())
    assert options.requests is not None
    return sides.load_of(requests_file.read(options.requests), Path.cwd())


def _rows(options: AdHocOptions, login: Login | None) -> tuple[Row, ...]:
    from deadheat.suite import values_file
    from deadheat.suite.ad_hoc import ANSWER

    if options.values is None:
        return ()
    return values_file.read(options.values, also_taken=(ANSWER, *(login.take if login is not None else ())))


def suite(wanted: AdHoc, options: AdHocOptions) -> Suite:
    """Them as a suite, their answers compared. Raises UserError where these differ."""
    from deadheat.app import ad_hoc

    return ad_hoc.suite_of(wanted, terminal.view(), answers_may_differ=options.answers_may_differ)
