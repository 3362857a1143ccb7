"""deadheat calibrate: what this machine can settle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import terminal, values
from deadheat.cli.command import command, option
from deadheat.cli.options import Cpus, Json, Seed
from deadheat.errors import ExitCode

DEFAULT_BUDGET_S = 600.0


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions(Cpus, Seed, Json):
    budget: float | None = option(
        type=values.DURATION_S,
        help="Time to race in all: 10m, 25m. 10m, but --full has no end of its own.",
    )
    full: bool = option(is_flag=True, help="60 races of identical servers, then 3 minutes a planted one.")
    fresh: bool = option(is_flag=True, help="Forget the races so far.")
    races: Path | None = option(
        type=click.Path(path_type=Path),
        help="Where races are kept, one a line; in the cache where not given.",
    )


def run(options: CalibrateOptions) -> None:
    """Say how often the verdict is right on this machine.

    By races of servers whose difference is planted, or none. Goes on where an earlier calibration ended;
    Ctrl-C keeps what there is.

    \b
    Examples:
      deadheat calibrate
      deadheat calibrate --budget 3m --json
      deadheat calibrate --full --budget 25m --races races.jsonl
    """
    from deadheat.calibration import races, store
    from deadheat.hosts.cpus import chosen_cpus
    from deadheat.hosts.held import this_host
    from deadheat.report import calibration as words

    cpus = chosen_cpus(this_host().cores(), options.server_cpus, options.generator_cpus)
    plan = races.CampaignPlan(
        budget_s=options.budget or (None if options.full else DEFAULT_BUDGET_S),
        full=options.full,
        fresh=options.fresh,
        races=options.races or store.folder() / (f"full-{store.RACES}" if options.full else store.RACES),
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
        seed=options.seed,
    )
    outcome = races.run(plan, terminal.say)
    if outcome.calibration is None:
        terminal.say("no race of identical servers was finished: a longer --budget")
        code = ExitCode.INTERRUPTED if outcome.interrupted else ExitCode.NOTHING_MEASURED
        raise click.exceptions.Exit(code)
    if options.json:
        click.echo(store.dump(outcome.calibration), nl=False)
    else:
        for line in words.lines(outcome.calibration):
            terminal.line(line)
    more = "all races are done" if outcome.complete else "the same command goes on from here"
    terminal.say(f"races: {plan.races} · {more}")
    if outcome.interrupted:
        raise click.exceptions.Exit(ExitCode.INTERRUPTED)


COMMAND = command("calibrate", CalibrateOptions, run, linux=True)
