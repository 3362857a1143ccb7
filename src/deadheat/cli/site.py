"""deadheat site: runs as a site of pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.errors import UserError


@dataclass(frozen=True, kw_only=True)
class SiteOptions:
    runs: tuple[str, ...] = argument(
        nargs=-1, metavar="[RUN]...", help="Runs: ids or folders; without any, all of the runs folder."
    )
    out: Path | None = option(
        type=click.Path(path_type=Path), metavar="DIR", help="The folder to write it into. Required."
    )
    title: str = option(default="Deadheat", help="What the site is called.")
    url: str | None = option(
        metavar="URL", help="Where it will stand: then it has a feed of the newest runs."
    )
    runs_folder: Path | None = option(
        type=click.Path(path_type=Path),
        metavar="DIR",
        envvar="DEADHEAT_RUNS",
        show_envvar=True,
        help="Where runs are kept, if not where `deadheat race` keeps them.",
    )


def run(options: SiteOptions) -> None:
    """Write runs as a site of pages: what to publish.

    It has the newest verdict of each workload, workloads side by side, a page for each workload, contender
    and run, trends over runs and machines with the points where they changed, what became of published
    claims, and the data. It asks nothing of any network, and opens from a file. Written again, it takes
    the place of the one before; what a link names stays where it is.

    \b
    Examples:
      deadheat site --out site
      deadheat site runs/*-standard --out site --title 'Our stacks' --url https://bench.example/
    """
    from deadheat.report import words
    from deadheat.site import places, write
    from deadheat.storage import run_folder
    from deadheat.util import paths

    if options.out is None:
        raise UserError("where to?", hint="deadheat site --out DIR")
    if options.url is not None and not options.url.startswith(("https://", "http://")):
        raise UserError(f"--url: {options.url} is no http or https URL", hint="--url https://bench.example/")
    kept = options.runs_folder or paths.runs_folder()
    folders = [run_folder.find(kept, name) for name in options.runs] or run_folder.all_runs(kept)
    found = []
    for folder in folders:
        if folder.results_file.exists():
            found.append(folder.results())
        else:
            terminal.warn(f"{folder.path.name} has no results yet: left out (deadheat report makes them)")
    if not found:
        raise UserError(f"no run in {kept} has results", hint="deadheat race makes one")
    size = write.write(found, options.out, title=options.title, url=options.url, say=terminal.say)
    runs = f"{len(found)} run{'s' if len(found) != 1 else ''}"
    terminal.line(f"{options.out / places.INDEX}: {runs}, {words.size(size)}")


COMMAND = command("site", SiteOptions, run)
