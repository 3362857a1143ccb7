"""deadheat calibrate: what this machine can settle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import ExitCode

NAME = "calibrate"
DEFAULT_BUDGET = "10m"


def run(
    budget: Annotated[
        str | None, typer.Option(help="Time to race in all: 10m, 25m. 10m, but --full has no end of its own.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="60 races of identical servers, then 3 minutes a planted one.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the races so far.")] = False,
    races: Annotated[
        Path | None, typer.Option(help="Where races are kept, one a line; in the cache where not given.")
    ] = None,
    server_cpus: Annotated[str | None, typer.Option(help="CPUs of the servers: 0 or 0-1.")] = None,
    generator_cpus: Annotated[
        str | None, typer.Option(help="CPUs of the load generator and the referee.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Draws every order; random where not given.")] = None,
    json_: options.JsonOption = False,
) -> None:
    """Race servers whose difference is known, and say how often the verdict is right on this machine.

    Goes on where an earlier calibration ended; Ctrl-C keeps what there is.

    \b
    Examples:
      deadheat calibrate
      deadheat calibrate --budget 3m --json
      deadheat calibrate --full --budget 25m --races races.jsonl
    """
    from deadheat.calibration import session, store, words  # noqa: PLC0415
    from deadheat.machine import default_cpus  # noqa: PLC0415

    default = default_cpus()
    asked = session.Asked(
        budget_s=options.duration_s(budget or DEFAULT_BUDGET) if budget or not full else None,
        full=full,
        fresh=fresh,
        races=races or store.folder() / (f"full-{store.RACES}" if full else store.RACES),
        server_cpus=options.cpus(server_cpus) if server_cpus is not None else default.servers,
        generator_cpus=options.cpus(generator_cpus) if generator_cpus is not None else default.generators,
        seed=seed,
    )
    console = terminal.stderr()
    outcome = session.run(
        asked, lambda line: console.print(line, soft_wrap=True, highlight=False, markup=False)
    )
    out = terminal.stdout()
    if outcome.calibration is None:
        console.print("no race of identical servers was finished: a longer --budget", highlight=False)
        raise typer.Exit(ExitCode.INTERRUPTED if outcome.interrupted else ExitCode.NOTHING_MEASURED)
    if json_:
        out.file.write(store.dump(outcome.calibration))
    else:
        for line in words.lines(outcome.calibration):
            out.print(line, soft_wrap=True, highlight=False, markup=False)
    more = "all races are done" if outcome.complete else "the same command goes on from here"
    console.print(f"races: {asked.races} · {more}", soft_wrap=True, highlight=False, markup=False)
    if outcome.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)
