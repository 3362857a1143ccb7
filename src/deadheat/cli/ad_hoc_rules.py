"""Commands and servers that are raced without a suite: which options do not go together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from deadheat.cli.ad_hoc_options import AdHocOptions
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.model.login import Login

#: What lines of a suite have in braces already.
TAKEN = ("args", "config", "cpus", "host", "port", "python")


def refuse_unfit(options: AdHocOptions, beside: bool) -> None:
    """Raise UserError where an option is given without what it is of; `beside`: there are services."""
    started = options.command or options.image or options.program
    if beside and not started:
        raise UserError("--service is beside a --command or a --program", hint="a suite says what it needs")
    if options.shell and options.no_shell:
        raise UserError("--shell and -N are two", hint="without either no shell is between")
    _refuse_unfit_urls(options)
    _refuse_hooks_without_programs(options)
    _refuse_unfit_images(options, beside)
    _refuse_unfit_ports(options, beside)


def refuse_without_lines(options: AdHocOptions, login: Login | None) -> None:
    """Raise UserError where something is given that is of commands, and there are none."""
    if options.requests is not None or login is not None:
        raise UserError(
            "--requests and --login are of a --command or a --url",
            hint="a suite's workload.toml has [[mix]] and [login]",
        )
    if options.name:
        raise UserError(
            "--name names a --command, a --program or a --url", hint="-c chooses contenders of a suite"
        )


def refuse_unequal(options: AdHocOptions, lines: Sequence[str]) -> None:
    """Raise UserError where they are not two of one kind at least."""
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


def refuse_parameters_of_nothing(
    parameters: Iterable[str], by_services: Sequence[str], lines: Sequence[str]
) -> None:
    """Raise UserError where a parameter is one that no line says, or that is somebody else's name."""
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


def _refuse_unfit_urls(options: AdHocOptions) -> None:
    if options.url:
        return
    if options.freeze:
        raise UserError("--freeze is for servers of --url", hint="others are always frozen meanwhile")
    elsewhere = options.remote and options.db_url is None
    if elsewhere or options.insecure or options.cacert:
        raise UserError(
            "--remote, --insecure and --cacert are for servers of --url", hint="--url http://127.0.0.1:3000"
        )


def _refuse_hooks_without_programs(options: AdHocOptions) -> None:
    from deadheat.suite.ad_hoc import HOOKS

    given = [name for name in HOOKS if getattr(options, name)]
    if given and not options.program:
        raise UserError(
            f"--{given[0]} is of a --program",
            hint="a server is started afresh in each block: let its --command do it",
        )


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
