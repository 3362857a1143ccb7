"""Commands and servers that are raced without a suite: what their options ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from deadheat.cli import ad_hoc_rules, terminal
from deadheat.cli.ad_hoc_options import AdHocOptions
from deadheat.cli.options import Services
from deadheat.errors import UserError

Given = TypeVar("Given")

if TYPE_CHECKING:
    from deadheat.app.ad_hoc import Recorded
    from deadheat.model.login import Login
    from deadheat.suite.ad_hoc import AdHoc, Beside, Call, Commands, Config, Mix, Request
    from deadheat.suite.values_file import Row


def asked(options: AdHocOptions, parameters: Mapping[str, tuple[str, ...]]) -> AdHoc | None:
    """The commands of the command line, None where it names none; `parameters` are their values by name.
    Raises UserError."""
    from deadheat.suite import running
    from deadheat.suite.ad_hoc import AdHoc, Command, named, of_image

    lines = (*options.command, *options.image) or options.program or options.url
    beside = services(options)
    ad_hoc_rules.refuse_unfit(options, bool(beside))
    login = _login(options)
    if not lines:
        ad_hoc_rules.refuse_without_lines(options, login)
        return None
    ad_hoc_rules.refuse_unequal(options, lines)
    hooks = _hooks(options)
    taken = [name for each in beside for name in each.placeholders]
    ad_hoc_rules.refuse_parameters_of_nothing(
        parameters, taken, (*lines, *(line for own in hooks for _, line in own))
    )
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


def recorded(wanted: AdHoc, options: AdHocOptions) -> Recorded:
    """Them as a suite, their answers compared. Raises UserError where these differ."""
    from deadheat.app import ad_hoc

    return ad_hoc.recorded((wanted,), terminal.view(), answers_may_differ=options.answers_may_differ)
