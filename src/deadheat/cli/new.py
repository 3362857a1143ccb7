"""deadheat new: the bench file of one's own service, or the first draft of a study's claims."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deadheat.cli import terminal
from deadheat.cli.check import of_bench_file
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import SuiteFolder
from deadheat.errors import ExitCode, UserError

if TYPE_CHECKING:
    from deadheat.suite.new_bench import Wanted
    from deadheat.suite.project_files import Project

BENCH = "bench"


@dataclass(frozen=True, kw_only=True)
class NewOptions(SuiteFolder):
    what: str = argument(
        type=click.Choice([BENCH, "claims"]),
        required=False,
        default=BENCH,
        metavar="[bench|claims]",
        help="What to draft: bench, bench/deadheat.toml of your own service, or claims of a study.",
    )
    name: str | None = argument(
        required=False, metavar="[STUDY]", help="What the study is to be called: grpc-rust-2023."
    )
    workload: str | None = option(
        metavar="NAME", help="The workload that claims are about; the suite's first where none is named."
    )
    build: str | None = option(metavar="LINE", help="How your service is built, by a shell.")
    command: str | None = option(
        metavar="LINE", help="How it is started: './app {port}', or a line that reads PORT."
    )
    path: tuple[str, ...] = option(
        multiple=True, metavar="PATH", help="What it is asked for; may be repeated, each is raced."
    )
    connections: int | None = option(type=click.IntRange(min=1), metavar="N", help="To the server.")
    yes: bool = option(is_flag=True, help="Ask nothing: what the project's files say is taken.")
    no_check: bool = option(is_flag=True, help="Write the file alone: neither build nor start anything.")


def run(options: NewOptions) -> None:
    """Draft bench/deadheat.toml of your own service, or the claims of a published study.

    In the folder of a service its language, build line, start line, port and a route are found by its files
    (go.mod, Cargo.toml, package.json, pyproject.toml, pom.xml, mix.exs, Gemfile, shard.yml, cpanfile and
    others); you are asked about each, or say it by an option. Then it is built, started and asked, as
    deadheat check does. Claims can be planned at once: what is left is to fill in what the study says, as
    docs/how-to/replicate-a-study.md has it.

    \b
    Examples:
      deadheat new
      deadheat new --yes --path /api/items
      deadheat new --build make --command './app {port}' --path /users --path /health
      deadheat new claims grpc-rust-2023 --workload grpc-unary
      deadheat new claims fib-2024 --workload fib --suite my-suite
    """
    if options.what == BENCH:
        _bench(options)
    else:
        _claims(options)


def _claims(options: NewOptions) -> None:
    from deadheat.suite import new_claims
    from deadheat.suite.suite import load

    if options.name is None:
        raise UserError("claims are of a study: name it", hint="deadheat new claims grpc-rust-2023")
    file = new_claims.write(load(options.suite), options.name, options.workload)
    terminal.say(f"written: {file}")
    terminal.say(f"its races: deadheat race --claims {options.name} --dry-run")


def _bench(options: NewOptions) -> None:
    from deadheat.suite import bench_file, found_project, new_bench

    if options.name is not None or options.workload is not None:
        raise UserError(
            "a study and --workload are of claims", hint="deadheat new claims STUDY --workload NAME"
        )
    folder = Path.cwd()
    if (folder / bench_file.PLACE).exists():
        raise UserError(f"{bench_file.PLACE} is there already", hint="deadheat check says whether it works")
    project = found_project.found(folder)
    wanted = _said(options, new_bench.wanted(project))
    if not options.yes:
        wanted = _asked(options, wanted, project)
    new_bench.write(folder, new_bench.draft(wanted, project))
    terminal.say(f"written: {bench_file.PLACE}")
    for sentence in (to_do := new_bench.to_do(wanted, project)):
        terminal.say(f"to do: {sentence}")
    if wanted.run is None:
        raise click.exceptions.Exit(ExitCode.NOTHING_MEASURED)
    if not options.no_check:
        of_bench_file()
    if not to_do:
        terminal.say("compare your branch with main: deadheat ab")


def _said(options: NewOptions, found: Wanted) -> Wanted:
    """With what options say."""
    return replace(
        found,
        build=options.build if options.build is not None else found.build,
        run=options.command if options.command is not None else found.run,
        paths=options.path or found.paths,
        connections=options.connections or found.connections,
    )


def _asked(options: NewOptions, found: Wanted, project: Project | None) -> Wanted:
    """With what a person says to what no option said. Raises UserError where there is no terminal."""
    if not sys.stdin.isatty():
        raise UserError("there is no terminal to ask at", hint="--yes takes what the project's files say")
    if project is not None:
        terminal.say(f"{project.file}: {project.language}")
    build, start, paths = found.build, found.run, found.paths
    if options.build is None:
        build = _prompt("built by (a line for the shell, empty for nothing)", build)
    if options.command is None:
        start = _prompt("started by (with {port}, or reading PORT)", start)
    if not options.path:
        paths = (_prompt("asked for", paths[0]) or "/",)
    return replace(found, build=build, run=start, paths=paths)


def _prompt(what: str, default: str | None) -> str | None:
    return str(click.prompt(what, default=default or "", err=True)).strip() or None


COMMAND = command("new", NewOptions, run)
