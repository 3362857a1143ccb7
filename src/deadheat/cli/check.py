"""deadheat check: manifests, builds and right answers; no timing."""

from __future__ import annotations

import typer

from deadheat.cli import options, terminal
from deadheat.errors import ExitCode

NAME = "check"


def run(contenders: options.Contenders = None, suite: options.SuiteOption = options.DEFAULT_SUITE) -> None:
    """Check manifests, build, and compare every answer; where one is wrong, show the whole exchange.

    \b
    Examples:
      deadheat check
      deadheat check go-net-http crystal-http-server
    """
    from rich.text import Text  # noqa: PLC0415

    from deadheat import checking  # noqa: PLC0415
    from deadheat.suite import load  # noqa: PLC0415

    out, err = terminal.stdout(), terminal.stderr()
    bad = False
    for found in checking.check(load(suite), contenders or [], lambda text: err.print(Text(text))):
        style = {"right": "green", "unavailable": "yellow"}.get(found.state, "red")
        line = Text.assemble((found.state.ljust(11), style), f" {found.workload}/{found.id}: {found.detail}")
        out.print(line, soft_wrap=True, highlight=False)
        if found.exchange:
            out.print(Text(_indented(found.exchange)), soft_wrap=True, highlight=False)
        bad = bad or found.state in ("wrong", "failed")
    if bad:
        raise typer.Exit(ExitCode.NOTHING_MEASURED)


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
