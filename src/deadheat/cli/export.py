"""deadheat export: a run in the format of another tool."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import terminal
from deadheat.cli.command import command, option
from deadheat.cli.options import OneRun
from deadheat.errors import UserError
from deadheat.util import paths


@dataclass(frozen=True, kw_only=True)
class ExportOptions(OneRun):
    to: str = option(
        metavar="FORMAT", default="list", show_default=True, help="The format; list shows them all."
    )
    out: Path | None = option(
        type=click.Path(path_type=Path),
        help="The file, or the folder of a format of several; standard output where not given, or the "
        "run's folder exports.",
    )
    runs: Path = option(
        type=click.Path(path_type=Path),
        default=paths.runs_folder,
        show_default="as of race --out",
        envvar="DEADHEAT_RUNS",
        show_envvar=True,
        help="Where runs are kept.",
    )


def run(options: ExportOptions) -> None:
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
    from deadheat import export
    from deadheat.export import source, write
    from deadheat.storage import run_folder

    if options.to == "list":
        _list()
        return
    format_ = export.named(options.to)
    folder = run_folder.find(options.runs, options.run)
    read = source.read(folder)
    rendered = format_.render(read)
    half_done = [f"half-done: {read.unfinished}"] if read.unfinished else []
    for note in (*read.warnings, *half_done, *rendered.notes):
        terminal.warn(note)
    if options.out is None and not format_.several:
        if format_.binary and sys.stdout.isatty():
            raise UserError(f"{options.to} is not for a terminal", hint="--out names its file")
        for content in rendered.files.values():
            sys.stdout.buffer.write(content)
        return
    for path in write.write(rendered, format_, options.out or folder.path / "exports"):
        terminal.say(f"{options.to}: {path}")


def _list() -> None:
    from deadheat import export

    width = max(map(len, export.FORMATS))
    for format_ in export.FORMATS.values():
        terminal.line(f"{format_.name:<{width}}  {format_.what}")
        terminal.line(f"{'':<{width}}  {format_.example}")


COMMAND = command("export", ExportOptions, run)
