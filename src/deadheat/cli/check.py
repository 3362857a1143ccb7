"""deadheat check: manifests, builds and right answers; no timing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from deadheat.cli import terminal
from deadheat.cli.command import command, option
from deadheat.cli.options import OwnDatabase, Sandboxed, SomeContenders, SuiteFolder
from deadheat.errors import ExitCode, UserError
from deadheat.model import http_protocol
from deadheat.util import paths

if TYPE_CHECKING:
    from deadheat.app.checking import CheckedContender


@dataclass(frozen=True, kw_only=True)
class CheckOptions(SomeContenders, SuiteFolder, OwnDatabase, Sandboxed):
    tls: bool = option(is_flag=True, help="HTTP servers over TLS, as race --tls has them.")
    http2: bool = option(is_flag=True, help="HTTP servers over HTTP/2, as race --http2 has them.")
    remote: bool = option(is_flag=True, help="The PostgreSQL of --db-url may be on another machine.")


def run(options: CheckOptions) -> None:
    """Check manifests, build, and compare every answer.

    Where an answer is wrong the whole exchange is shown. In a repository of your own, with
    bench/deadheat.toml and without a suite, that is what is checked: the working tree is built, started and
    asked every request, as deadheat ab would.

    \b
    Examples:
      deadheat check
      deadheat check go-net-http crystal-http-server
      deadheat check go-net-http --tls --http2
      deadheat check go-net-http-pgx --db-url postgresql://me@127.0.0.1/postgres
    """
    from deadheat.app import checking
    from deadheat.hosts import sandbox
    from deadheat.suite import bench_file
    from deadheat.suite.suite import load

    source = click.get_current_context().get_parameter_source("suite")
    protocol = http_protocol.asked(tls=options.tls, http2=options.http2)
    no_suite = source == ParameterSource.DEFAULT and not paths.SUITE.is_dir()
    if no_suite and not options.contenders and Path(bench_file.PLACE).is_file():
        if options.sandbox:
            raise UserError("--sandbox is for suites: what is checked here is your own working tree")
        if protocol is not None:
            raise UserError("--tls and --http2 are for contenders of a suite, whose contender.toml says how")
        if options.db_url is not None:
            raise UserError("--db-url is for workloads of a suite that have a [database]")
        of_bench_file()
    else:
        if options.sandbox and options.db_url is not None:
            raise UserError("--sandbox has no network but its own loopback, and so no --db-url")
        if options.sandbox:
            sandbox.enter(sandbox.Walls((), (options.suite,)), terminal.say)
        found = checking.check(
            load(options.suite),
            options.contenders,
            terminal.say,
            protocol,
            db_url=options.db_url,
            remote=options.remote,
        )
        _print(found)


def of_bench_file() -> None:
    """Check the working tree by its bench/deadheat.toml, as `deadheat check` there."""
    from deadheat.app import bench_check

    _print(bench_check.check(Path.cwd(), terminal.view(), terminal.say))


def _print(found: Iterable[CheckedContender]) -> None:
    """A line each. Raises Exit where one is wrong."""
    from rich.text import Text

    out = terminal.stdout()
    bad = False
    for checked in found:
        style = {"right": "green", "unavailable": "yellow"}.get(checked.state, "red")
        line = f" {checked.workload}/{checked.id}: {checked.detail}"
        out.print(Text.assemble((checked.state.ljust(11), style), line), soft_wrap=True, highlight=False)
        for said in (checked.exchange or "").splitlines():
            terminal.line(f"    {said}")
        bad = bad or checked.state in ("wrong", "failed")
    if bad:
        raise click.exceptions.Exit(ExitCode.NOTHING_MEASURED)


COMMAND = command("check", CheckOptions, run, linux=True)
