"""Commands and servers that are raced without a suite: the options, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deadheat.cli import terminal
from deadheat.cli.command import option
from deadheat.cli.options import RequestParts
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.suite.ad_hoc import AdHoc, Request
    from deadheat.suite.suite import Suite


@dataclass(frozen=True, kw_only=True)
class AdHocOptions(RequestParts):
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
    remote: bool = option(
        is_flag=True,
        help="Let a --url be of another machine: its CPU time and memory are then not known. Load on a "
        "server that is not yours is an attack.",
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
        help="What a --command, --program or --url is called, in order.",
    )
    shell: bool = option(is_flag=True, help="Run each --command or --program by a shell.")
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


def asked(options: AdHocOptions) -> AdHoc | None:
    """The commands of the command line, None where it names none. Raises UserError."""
    from deadheat.suite import running
    from deadheat.suite.ad_hoc import AdHoc, Command, named

    lines = options.command or options.program or options.url
    if options.freeze and not options.url:
        raise UserError("--freeze is for servers of --url", hint="others are always frozen meanwhile")
    if (options.remote or options.insecure or options.cacert) and not options.url:
        raise UserError(
            "--remote, --insecure and --cacert are for servers of --url", hint="--url http://127.0.0.1:3000"
        )
    if not lines:
        if options.name:
            raise UserError(
                "--name names a --command, a --program or a --url", hint="-c chooses contenders of a suite"
            )
        return None
    given = {"--command": options.command, "--program": options.program, "--url": options.url}
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
    request = _request(options)
    commands = (
        running.commands(
            lines,
            options.name,
            running.Terms(options.freeze, options.remote, options.insecure, options.cacert),
        )
        if options.url
        else tuple(
            Command(line, name, Path.cwd())
            for line, name in zip(lines, named(lines, options.name), strict=True)
        )
    )
    return AdHoc(
        commands=commands,
        request=None if options.program else request,
        shell=options.shell,
    )


def _request(options: AdHocOptions) -> Request:
    """What servers are asked. Raises UserError."""
    from deadheat.suite import pasted
    from deadheat.suite.ad_hoc import Request

    if options.request is None:
        return Request(options.request_method, options.path, dict(options.header), options.body)
    if (options.request_method, options.path, options.header, options.body) != ("GET", "/", (), None):
        raise UserError("--request says all of the request", hint="leave out --path, -X, -H and --body")
    found = pasted.only(pasted.read(options.request), options.request)
    return Request(found.method, found.path, found.headers, found.body, found.status)


def suite(wanted: AdHoc, options: AdHocOptions) -> Suite:
    """Them as a suite, their answers compared. Raises UserError where these differ."""
    from deadheat.app import ad_hoc

    return ad_hoc.suite_of(wanted, terminal.view(), answers_may_differ=options.answers_may_differ)
