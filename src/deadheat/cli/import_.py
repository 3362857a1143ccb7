"""deadheat import: figures from other tools, as context."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.history import opened
from deadheat.cli.options import Database, RunsFolder
from deadheat.errors import UserError


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Database, RunsFolder):
    files: tuple[Path, ...] = argument(
        nargs=-1,
        required=True,
        type=click.Path(path_type=Path),
        metavar="FILE...",
        help="hyperfine's JSON, wrk's text, ghz's JSON, oha's JSON.",
    )
    workload: str | None = option(
        "--workload", "-w", metavar="NAME", help="The workload to show them beside."
    )
    contender: str | None = option(
        "--contender", "-c", metavar="NAME", help="The contender to show them beside."
    )


def run(options: ImportOptions) -> None:
    """Keep figures of other tools in the history, as context.

    They have no interval, are shown beside runs and never mixed into a verdict. A file imported
    again replaces itself.

    \b
    Examples:
      deadheat import wrk.txt --workload http-hello --contender go-net-http
      deadheat import hyperfine.json ghz.json
    """
    from deadheat.history import foreign, listing, store

    if options.contender is not None and options.workload is None:
        raise UserError("--contender needs --workload", hint="a contender is one of a workload's")
    # All are read before any is kept: half an import would be hard to take back.
    read = [(file.resolve(), foreign.read(file)) for file in options.files]
    with opened(options.db, options.out) as history:
        for file, rows in read:
            for row in store.add_context(history, rows, file, options.workload, options.contender):
                terminal.say(f"context: {row.tool}: {row.name}: {listing.figures(row)} (no interval)")


COMMAND = command("import", ImportOptions, run)
