"""deadheat cost: what a run's contenders would cost to serve with."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from deadheat.cli import terminal, values
from deadheat.cli.command import command, option
from deadheat.cli.options import Json, OneRun, RunsFolder
from deadheat.errors import UserError


@dataclass(frozen=True, kw_only=True)
class CostOptions(OneRun, RunsFolder, Json):
    core_hour: float = option(
        type=values.PRICE, required=True, help="The price of a core for an hour, in any currency."
    )
    gb_hour: float = option(
        type=values.PRICE, default="0", help="The price of a gigabyte of memory for an hour."
    )
    rate: float | None = option(
        type=values.RATE, help="What is to be served a second, 50k: then whole machines are counted."
    )
    p99: float | None = option(
        type=values.DURATION_S, help="What the 99th percentile may be at most, 20ms, at the rates measured."
    )
    workload: str | None = option(metavar="NAME", help="Of one workload alone.")


def run(options: CostOptions) -> None:
    """Print what serving a rate would cost with each contender of a run.

    Cores, machines and money. A machine is the cores that servers had in the race. Each figure is from the
    least to the most that the run's intervals allow; with --p99 from all that a machine might do to the
    highest rate at which that was seen to hold.

    \b
    Examples:
      deadheat cost latest --core-hour 0.04
      deadheat cost latest --core-hour 0.04 --gb-hour 0.005 --rate 50k --p99 20ms
      deadheat cost latest --core-hour 0.04 --workload http-hello --json
    """
    import json

    from deadheat.report import cost as words
    from deadheat.results.cost import Prices, Wanted, costs
    from deadheat.storage import run_folder

    folder = run_folder.find(options.out, options.run)
    wanted = Wanted(Prices(options.core_hour, options.gb_hour), options.rate, options.p99)
    cores = len(folder.plan().server_cpus)
    chosen = [one for one in folder.results().workloads if options.workload in (None, one.name)]
    found = [(race, race.server_cores or cores) for race in chosen]
    tables = [(race, each, table) for race, each in found if (table := costs(race, each, wanted))]
    if not tables:
        raise UserError(
            "no server was measured under load in this run"
            + (f", {options.workload}" if options.workload else ""),
            hint="deadheat runs lists them",
        )
    if options.json:
        shown = [
            {
                "workload": race.name,
                "setting": race.setting,
                "cores": each,
                "costs": [asdict(one) for one in table],
            }
            for race, each, table in tables
        ]
        terminal.line(json.dumps(shown, indent=2))
        return
    for race, each, table in tables:
        for text in words.lines(race, each, wanted, table):
            terminal.line(text)


COMMAND = command("cost", CostOptions, run)
