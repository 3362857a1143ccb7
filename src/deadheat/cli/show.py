"""deadheat show: the table of a run, or what a verdict of it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import UserError

NAME = "show"

RunArgument = Annotated[str, typer.Argument(help="The run's id, its folder, or latest.")]


def run(
    run: RunArgument = "latest",
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
    image: Annotated[
        Path | None, typer.Option("--image", help="Write one picture for a post: FILE.png or FILE.svg.")
    ] = None,
    workload: Annotated[str | None, typer.Option(help="Of the picture, or of the pair of --why.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="A dark picture.")] = False,
    why: Annotated[
        tuple[str, str] | None,
        typer.Option("--why", metavar="A B", help="Follow the verdict on a pair down to its slices."),
    ] = None,
    block: Annotated[int | None, typer.Option(help="With --why: every turn of block K.", metavar="K")] = None,
) -> None:
    """Print the verdicts of a run, draw them, or follow one down to its slices in the journal.

    \b
    Examples:
      deadheat show
      deadheat show latest --json | jq '.workloads[].verdicts'
      deadheat show latest --image race.png --workload http-hello
      deadheat show latest --why crystal go --workload fib
      deadheat show latest --why crystal go --workload fib --block 2
    """
    from deadheat import checksum, run_folder  # noqa: PLC0415
    from deadheat.report import terminal as table  # noqa: PLC0415

    if block is not None and why is None:
        raise UserError("--block is of a pair", hint="deadheat show RUN --why A B --block K")
    if why is not None and (json_ or image is not None):
        raise UserError("--why prints text alone", hint="the same figures are in results.json")
    folder = run_folder.find(out, run)
    console = terminal.stdout()
    for complaint in checksum.complaints(folder):
        terminal.stderr().print(f"! {complaint}", style="yellow", markup=False, highlight=False)
    if why is not None:
        from deadheat import reports  # noqa: PLC0415
        from deadheat.report import why_view  # noqa: PLC0415

        found = reports.why(folder, why, workload)
        name = folder.path.name
        lines = why_view.lines(found, name) if block is None else why_view.block_lines(found, block, name)
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, highlight=False)
    elif image is not None:
        from deadheat.report import picture  # noqa: PLC0415

        picture.save(folder.results(), image, workload, dark=dark)
        terminal.stderr().print(f"picture: {image}", markup=False, highlight=False)
    elif json_:
        console.file.write(folder.results_file.read_text())
    else:
        table.show(folder.results(), console)
