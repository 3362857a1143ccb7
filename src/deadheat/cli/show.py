"""deadheat show: the table of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from deadheat.cli import options, terminal

NAME = "show"

RunArgument = Annotated[str, typer.Argument(help="The run's id, its folder, or latest.")]


def run(
    run: RunArgument = "latest",
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
) -> None:
    """Print the verdicts of a run.

    \b
    Examples:
      deadheat show
      deadheat show latest --json | jq '.workloads[].verdicts'
    """
    from deadheat import run_folder  # noqa: PLC0415
    from deadheat.report import terminal as table  # noqa: PLC0415

    folder = run_folder.find(out, run)
    console = terminal.stdout()
    if json_:
        console.file.write(folder.results_file.read_text())
    else:
        table.show(folder.results(), console)
