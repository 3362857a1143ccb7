"""deadheat show: the table of a run, or what a verdict of it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deadheat.cli import terminal
from deadheat.cli.command import command, option
from deadheat.cli.options import Json, OneRun, RunsFolder
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.storage.run_folder import RunFolder


@dataclass(frozen=True, kw_only=True)
class ShowOptions(OneRun, RunsFolder, Json):
    image: Path | None = option(
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write one picture for a post: FILE.png or FILE.svg.",
    )
    workload: str | None = option(metavar="NAME", help="Of the picture, or of the pair of --why.")
    dark: bool = option(is_flag=True, help="A dark picture.")
    why: tuple[str, str] | None = option(
        nargs=2, metavar="A B", help="Follow the verdict on a pair down to its slices."
    )
    block: int | None = option(type=int, metavar="K", help="With --why: every turn of block K.")


def run(options: ShowOptions) -> None:
    """Print the verdicts of a run, or what one of them rests on.

    --image draws them; --why follows one down to its slices in the journal.

    \b
    Examples:
      deadheat show
      deadheat show latest --json | jq '.workloads[].verdicts'
      deadheat show latest --image race.png --workload http-hello
      deadheat show latest --why crystal go --workload fib
      deadheat show latest --why crystal go --workload fib --block 2
    """
    from deadheat.storage import checksum, run_folder

    if options.block is not None and options.why is None:
        raise UserError("--block is of a pair", hint="deadheat show RUN --why A B --block K")
    if options.why is not None and (options.json or options.image is not None):
        raise UserError("--why prints text alone", hint="the same figures are in results.json")
    folder = run_folder.find(options.out, options.run)
    for complaint in checksum.complaints(folder):
        terminal.warn(complaint)
    if options.why is not None:
        _why(folder, options.why, options.workload, options.block)
    elif options.image is not None:
        from deadheat.report import picture

        picture.save(folder.results(), options.image, options.workload, dark=options.dark)
        terminal.say(f"picture: {options.image}")
    else:
        terminal.results(folder, as_json=options.json)


def _why(folder: RunFolder, pair: tuple[str, str], workload: str | None, block: int | None) -> None:
    from deadheat.app import reports
    from deadheat.report import why_view

    why, name = reports.why(folder, pair, workload), folder.path.name
    lines = why_view.lines(why, name) if block is None else why_view.block_lines(why, block, name)
    for line in lines:
        terminal.line(line)


COMMAND = command("show", ShowOptions, run)
