"""deadheat check: manifests, builds and right answers; no timing."""

from __future__ import annotations

from dataclasses import dataclass

import click

from deadheat.cli import terminal
from deadheat.cli.command import command
from deadheat.cli.options import SomeContenders, SuiteFolder
from deadheat.errors import ExitCode


@dataclass(frozen=True, kw_only=True)
class CheckOptions(SomeContenders, SuiteFolder):
    pass


def run(options: CheckOptions) -> None:
    """Check manifests, build, and compare every answer.

    Where an answer is wrong the whole exchange is shown.

    \b
    Examples:
      deadheat check
      deadheat check go-net-http crystal-http-server
    """
    from rich.text import Text

    from deadheat.app import checking
    from deadheat.suite.suite import load

    out = terminal.stdout()
    bad = False
    for checked in checking.check(load(options.suite), options.contenders, terminal.say):
        style = {"right": "green", "unavailable": "yellow"}.get(checked.state, "red")
        line = f" {checked.workload}/{checked.id}: {checked.detail}"
        out.print(Text.assemble((checked.state.ljust(11), style), line), soft_wrap=True, highlight=False)
        for said in (checked.exchange or "").splitlines():
            terminal.line(f"    {said}")
        bad = bad or checked.state in ("wrong", "failed")
    if bad:
        raise click.exceptions.Exit(ExitCode.NOTHING_MEASURED)


COMMAND = command("check", CheckOptions, run, linux=True)
