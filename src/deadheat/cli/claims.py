"""deadheat claims: published claims and what became of them here."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import UserError

NAME = "claims"


def run(
    study: Annotated[str | None, typer.Argument(help="One study; all where none is named.")] = None,
    run: Annotated[str, typer.Option("--run", help="The run to hold them against.")] = "latest",
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
) -> None:
    """Print the published claims, and what became of them in a run.

    \b
    Examples:
      deadheat claims
      deadheat claims go-vs-crystal-2020 --run latest
    """
    from deadheat import run_folder  # noqa: PLC0415
    from deadheat.report import terminal as table  # noqa: PLC0415

    results = run_folder.find(out, run).results()
    known = dict.fromkeys(row.study for row in results.claims)
    if study is not None and study not in known:
        hint = "it has: " + ", ".join(known) if known else "it has none"
        raise UserError(f'no claims of "{study}" in the run {results.run}', hint=hint)
    rows = tuple(row for row in results.claims if study in (None, row.study))
    gates = tuple(gate for gate in results.published_gates if study in (None, gate.study))
    console = terminal.stdout()
    if json_:
        console.file.write(json.dumps([row.model_dump(mode="json") for row in rows], indent=2) + "\n")
        return
    chosen = results.model_copy(update={"claims": rows, "published_gates": gates})
    for line in table.claims(chosen, console.width, whole=True):
        console.print(line, soft_wrap=True, highlight=False)
