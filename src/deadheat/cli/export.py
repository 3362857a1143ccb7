"""deadheat export: a run in the format of another tool."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.cli.show import RunArgument
from deadheat.errors import UserError

NAME = "export"

RunsOption = Annotated[Path, typer.Option("--runs", help="Where runs are kept.", envvar="DEADHEAT_RUNS")]


def run(
    run: RunArgument = "latest",
    to: Annotated[str, typer.Option("--to", help="The format; list shows them all.")] = "list",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The file, or the folder of a format of several; standard output where not given, or the "
            "run's folder exports.",
        ),
    ] = None,
    runs: RunsOption = options.DEFAULT_OUT,
) -> None:
    """Write a run in the format of another tool.

    \b
    Formats: csv, parquet, hyperfine, bencher, github-action-benchmark, gobench (benchstat),
    hdr-log, junit, openmetrics, svg, png. `--to list` says what each is for.

    \b
    Examples:
      deadheat export --to list
      deadheat export latest --to gobench --out new.txt
      deadheat export 20260102-030405-quick --to junit > junit.xml
      deadheat export latest --to parquet --out tables
    """
    from deadheat import export, run_folder  # noqa: PLC0415
    from deadheat.export import source, write  # noqa: PLC0415

    if to == "list":
        _list()
        return
    format_ = export.named(to)
    folder = run_folder.find(runs, run)
    read = source.read(folder)
    rendered = format_.render(read)
    half_done = [f"half-done: {read.unfinished}"] if read.unfinished else []
    for note in (*read.warnings, *half_done, *rendered.notes):
        terminal.stderr().print(f"! {note}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    if out is None and not format_.several:
        if format_.binary and sys.stdout.isatty():
            raise UserError(f"{to} is not for a terminal", hint="--out names its file")
        for content in rendered.files.values():
            sys.stdout.buffer.write(content)
        return
    for path in write.write(rendered, format_, out or folder.path / "exports"):
        terminal.stderr().print(f"{to}: {path}", markup=False, highlight=False, soft_wrap=True)


def _list() -> None:
    from deadheat import export  # noqa: PLC0415

    console = terminal.stdout()
    width = max(map(len, export.FORMATS))
    for format_ in export.FORMATS.values():
        console.out(f"{format_.name:<{width}}  {format_.what}", highlight=False)
        console.out(f"{'':<{width}}  {format_.example}", highlight=False)
