"""deadheat race --cluster: its options, and the race on several machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import click

from deadheat.cli import terminal, values
from deadheat.cli.command import option
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.cli.race_options import RaceOptions
    from deadheat.cluster.parts import Labels
    from deadheat.plan import Asked


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Several machines, by Ray."""

    cluster: str | None = option(
        metavar="HOST:PORT",
        help="Race on the machines of this Ray cluster, side by side; auto for the one that this machine "
        "belongs to.",
    )
    load_from: tuple[tuple[str, str], ...] = option(
        type=values.LABEL,
        multiple=True,
        help="Servers on one machine, their load from those of the cluster with this label: role=load.",
    )
    servers_on: tuple[tuple[str, str], ...] = option(
        type=values.LABEL,
        multiple=True,
        help="With --load-from: the servers on the machine with this label; "
        "the first of those that do not load where not given.",
    )
    services_on: tuple[tuple[str, str], ...] = option(
        type=values.LABEL,
        multiple=True,
        help="With --load-from: the services, such as a PostgreSQL, on a machine of their own, the first "
        "with this label; beside the servers where not given.",
    )
    machines: int | None = option(
        type=click.IntRange(2), metavar="N", help="So many of the cluster's machines; all where not given."
    )
    unlike_machines: bool = option(
        is_flag=True, help="On machines of several kinds too: then nothing is said of any kind."
    )
    different_machines: bool = option(
        is_flag=True, help="They are different machines, whatever their ids say (clones of one image)."
    )


def refuse_alone(options: ClusterOptions) -> None:
    """Raises UserError for what there is on several machines alone."""
    given = {
        "--machines": options.machines is not None,
        "--load-from": bool(options.load_from),
        "--servers-on": bool(options.servers_on),
        "--services-on": bool(options.services_on),
        "--unlike-machines": options.unlike_machines,
        "--different-machines": options.different_machines,
    }
    if found := [name for name, one in given.items() if one]:
        raise UserError(f"{found[0]} is for races on several machines", hint="--cluster HOST:PORT")


def _labels(options: RaceOptions) -> Labels:
    """Who does what. Raises UserError where nobody loads the servers of another."""
    from deadheat.cluster.parts import Labels

    placed = {"--servers-on": options.servers_on, "--services-on": options.services_on}
    for name in (name for name, labels in placed.items() if labels):
        if not options.load_from and (name == "--servers-on" or options.resume is None):
            raise UserError(f"{name} without --load-from: each machine has servers and load of its own")
    return Labels(
        load=dict(options.load_from), servers=dict(options.servers_on), services=dict(options.services_on)
    )


def race(options: RaceOptions, address: str, asked: Callable[[], Asked]) -> NoReturn:
    """The same race on several machines; `asked` says of what, where none is taken up. Raises UserError for
    what there is on one machine alone."""
    from deadheat.app import clustered
    from deadheat.report import merged as words
    from deadheat.suite.suite import load

    alone = {
        "--url, --command and --program": bool(options.url or options.command or options.program),
        "--live": options.live or options.live_port is not None,
        "--more": options.more is not None,
        "--sandbox": options.sandbox,
        "--scale": options.scale,
        "--dry-run": options.dry_run,
        "--db-url": options.db_url is not None,
    }
    if found := [name for name, given in alone.items() if given]:
        raise UserError(f"{found[0]}: not on several machines", hint="leave out --cluster")
    on = clustered.On(
        address,
        options.machines,
        labels=_labels(options),
        remote=options.remote,
        unlike=options.unlike_machines,
        known_different=options.different_machines,
    )
    if options.resume is not None:
        raced = clustered.resume(options.out, options.resume, on, terminal.say, terminal.warn)
    else:
        raced = clustered.start(asked(), load(options.suite), options.out, on, terminal.say, terminal.warn)
    if raced.merged is None and len(raced.runs) == 1:
        terminal.results(raced.runs[0], as_json=options.json)
    if raced.merged is not None:
        if options.json:
            terminal.line(raced.merged.model_dump_json(by_alias=True, indent=2))
        else:
            for line in words.lines(raced.merged):
                terminal.line(line)
    if raced.why is not None:
        terminal.warn(raced.why)
    terminal.say(f"each machine: {', '.join(str(run.path / 'report.html') for run in raced.runs)}")
    if raced.merged is not None:
        terminal.say(f"all: {raced.folder / clustered.MERGED}")
    if raced.unfinished:
        terminal.say(f"resume: deadheat race --cluster {address} --resume {raced.folder}")
    raise click.exceptions.Exit(raced.code)
