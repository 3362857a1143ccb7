"""deadheat explain: why one is faster than another."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import Json, RunsFolder, SuiteFolder
from deadheat.errors import ExitCode


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(SuiteFolder, RunsFolder, Json):
    a: str = argument(help="NAME or NAME:VARIANT.")
    b: str = argument(help="Another of the same workload.")
    workload: str | None = option(metavar="NAME", help="Where both are in several workloads: which.")
    seconds: float = option(
        type=click.FloatRange(min=0.2, max=60),
        metavar="N",
        default=3.0,
        show_default=True,
        help="How long each instrument loads a server.",
    )


def run(options: ExplainOptions) -> None:
    """Run two contenders under instruments: what differs a request.

    \b
    Examples:
      deadheat explain go-net-http crystal-http-server
      deadheat explain go-grpc rust-tonic --workload grpc-unary
      deadheat explain go crystal --workload fib
    """
    import json

    from deadheat.explain import explanation
    from deadheat.explain import terminal as page
    from deadheat.suite.suite import load
    from deadheat.util.interrupt import InterruptedRunError

    command_line = ("deadheat", *sys.argv[1:])
    wanted = explanation.Wanted(
        options.a, options.b, options.workload, options.seconds, options.out, command_line
    )
    try:
        explained = explanation.explain(wanted, load(options.suite), terminal.say)
    except InterruptedRunError:
        terminal.say("interrupted: nothing is kept")
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    if options.json:
        terminal.line(json.dumps(explained.page.to_dict(), indent=2, ensure_ascii=False))
    else:
        page.show(explained.page, terminal.stdout())
    terminal.say(f"page: {explained.folder / 'explain.md'}")


COMMAND = command("explain", ExplainOptions, run, linux=True)
