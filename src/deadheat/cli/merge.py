"""deadheat merge: runs of one plan on several machines, put together."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import Json, RunsFolder


@dataclass(frozen=True, kw_only=True)
class MergeOptions(RunsFolder, Json):
    runs: tuple[str, ...] = argument(
        nargs=-1, metavar="RUN RUN...", help="Two runs or more, each of a machine of its own: ids or folders."
    )
    unlike_machines: bool = option(
        is_flag=True, help="Put machines of several kinds together: then nothing is said of any kind."
    )
    different_machines: bool = option(
        is_flag=True, help="They are different machines, whatever their ids say (clones of one image)."
    )


def run(options: MergeOptions) -> None:
    """Put runs of one plan on several machines together.

    Race the same workloads on each machine with --to-the-end, copy the folders of the runs to one place,
    and merge them. Each machine weighs the same. The first answer is for just these machines; from four
    of one kind on there is a second, for all machines of that kind.

    \b
    Examples:
      deadheat merge runs/a runs/b runs/c runs/d
      deadheat merge runs/a runs/b --unlike-machines --json
    """
    from deadheat.export import source
    from deadheat.report import merged as words
    from deadheat.results import machines
    from deadheat.results.claimed import Race
    from deadheat.storage import run_folder

    found = []
    for name in options.runs:
        folder = run_folder.find(options.out, name)
        read = source.read(folder)
        for warning in read.warnings:
            terminal.say(f"{read.plan.run}: {warning}")
        races = {race.key: Race(race.tally, race.result) for race in read.races}
        found.append(machines.Run(read.plan, folder.machine(), races))
    merged = machines.merge(found, unlike=options.unlike_machines, known_different=options.different_machines)
    if options.json:
        terminal.line(merged.model_dump_json(by_alias=True, indent=2))
        return
    for line in words.lines(merged):
        terminal.line(line)


COMMAND = command("merge", MergeOptions, run)
