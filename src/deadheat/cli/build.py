"""deadheat build: build contenders, and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import ExitCode

NAME = "build"


def run(
    contenders: options.Contenders = None,
    times: Annotated[
        int | None,
        typer.Option(min=2, help="Build so often, cold and warm, by turns, and print how long it took."),
    ] = None,
    suite: options.SuiteOption = options.DEFAULT_SUITE,
) -> None:
    """Build contenders out of tree; what is built already is left alone.

    \b
    Examples:
      deadheat build
      deadheat build crystal-http-server go:stripped
      deadheat build --times 7 go crystal
    """
    from rich.text import Text  # noqa: PLC0415

    from deadheat import checking  # noqa: PLC0415
    from deadheat.report import builds_table, words  # noqa: PLC0415
    from deadheat.suite import load  # noqa: PLC0415

    out, err = terminal.stdout(), terminal.stderr()
    if times is not None:
        timed = checking.time_builds(load(suite), contenders or [], times, lambda text: err.print(Text(text)))
        for line in builds_table.lines(timed):
            out.print(Text(line), soft_wrap=True, highlight=False)
        return
    failed = False
    for build in checking.build(load(suite), contenders or [], lambda text: err.print(Text(text))):
        record = build.record
        took = (
            "cached"
            if record.cached
            else words.seconds(record.build_s)
            if record.build_s
            else "nothing to build"
        )
        detail = record.reason or f"{took}, {words.size(record.artifact_bytes)}, {build.folder}"
        out.print(
            Text(f"{record.status:<11} {record.workload}/{record.contender}: {detail}"),
            soft_wrap=True,
            highlight=False,
        )
        for line in record.tail:
            out.print(Text(f"    {line}"), soft_wrap=True, highlight=False)
        failed = failed or record.status == "failed"
    if failed:
        raise typer.Exit(ExitCode.NOTHING_MEASURED)
