"""deadheat show: the table of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deadheat.cli import options, terminal

NAME = "show"

RunArgument = Annotated[str, typer.Argument(help="The run's id, its folder, or latest.")]


def run(
    run: RunArgument = "latest",
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
    image: Annotated[
        Path | None, typer.Option("--image", help="Write one picture for a post: FILE.png or FILE.svg.")
    ] = None,
    workload: Annotated[str | None, typer.Option(help="The one workload that the picture shows.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="A dark picture.")] = False,
) -> None:
    """Print the verdicts of a run, or draw them.

    \b
    Examples:
      deadheat show
      deadheat show latest --json | jq '.workloads[].verdicts'
      deadheat show latest --image race.png --workload http-hello
    """
    from deadheat import checksum, run_folder  # noqa: PLC0415
    from deadheat.report import terminal as table  # noqa: PLC0415

    folder = run_folder.find(out, run)
    console = terminal.stdout()
    for complaint in checksum.complaints(folder):
        terminal.stderr().print(f"! {complaint}", style="yellow", markup=False, highlight=False)
    if image is not None:
        from deadheat.report import picture  # noqa: PLC0415

        picture.save(folder.results(), image, workload, dark=dark)
        terminal.stderr().print(f"picture: {image}", markup=False, highlight=False)
    elif json_:
        console.file.write(folder.results_file.read_text())
    else:
        table.show(folder.results(), console)
