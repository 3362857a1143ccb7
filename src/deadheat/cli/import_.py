"""deadheat import: figures from other tools, as context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.cli.history import opened
from deadheat.errors import UserError

NAME = "import"


def run(
    files: Annotated[
        list[Path], typer.Argument(help="hyperfine's JSON, wrk's text, ghz's JSON, oha's JSON.")
    ],
    workload: Annotated[
        str | None, typer.Option("--workload", "-w", help="The workload to show them beside.")
    ] = None,
    contender: Annotated[
        str | None, typer.Option("--contender", "-c", help="The contender to show them beside.")
    ] = None,
    db: options.DbOption = None,
    out: options.OutOption = options.DEFAULT_OUT,
) -> None:
    """Keep figures of other tools in the history, as context without an interval.

    They are shown beside runs and never mixed into a verdict. A file imported again replaces itself.

    \b
    Examples:
      deadheat import wrk.txt --workload http-hello --contender go-net-http
      deadheat import hyperfine.json ghz.json
    """
    from deadheat.history import foreign, store, telling  # noqa: PLC0415

    if contender is not None and workload is None:
        raise UserError("--contender needs --workload", hint="a contender is one of a workload's")
    # All are read before any is kept: half an import would be hard to take back.
    read = [(file.resolve(), foreign.read(file)) for file in files]
    console = terminal.stderr()
    with opened(db, out) as history:
        for file, rows in read:
            kept = store.add_context(history, rows, file, workload, contender)
            for row in kept:
                line = f"context: {row.tool}: {row.name}: {telling.figures(row)} (no interval)"
                console.print(line, markup=False, highlight=False, soft_wrap=True)
