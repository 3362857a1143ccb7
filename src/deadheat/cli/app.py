"""The verbs, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from deadheat import __version__
from deadheat.cli import (
    build,
    calibrate,
    check,
    claims,
    compare,
    doctor,
    explain,
    export,
    history,
    import_,
    list_,
    race,
    report,
    runs,
    show,
)

app = typer.Typer(
    name="deadheat",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deadheat {__version__}")
        raise typer.Exit


@app.callback()
def deadheat(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Settle which of several implementations of the same service is faster, by how much and how surely.

    \b
    Examples:
      deadheat race                      race the built-in suite, quick preset
      deadheat race http-hello --all     every contender of one workload
      deadheat doctor                    is this machine fit to measure on?
    """


for verb in (
    race,
    list_,
    check,
    build,
    show,
    report,
    claims,
    explain,
    runs,
    export,
    history,
    compare,
    import_,
    doctor,
    calibrate,
):
    app.command(name=verb.NAME)(verb.run)
