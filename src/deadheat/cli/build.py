"""deadheat build: build contenders, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from deadheat.cli import terminal
from deadheat.cli.command import command, option
from deadheat.cli.options import Sandboxed, SomeContenders, SuiteFolder
from deadheat.errors import ExitCode

if TYPE_CHECKING:
    from deadheat.model.observation import Built


@dataclass(frozen=True, kw_only=True)
class BuildOptions(SomeContenders, SuiteFolder, Sandboxed):
    times: int | None = option(
        type=click.IntRange(min=2),
        metavar="N",
        help="Build so often, cold and warm, by turns, and print how long it took.",
    )


def run(options: BuildOptions) -> None:
    """Build contenders out of tree.

    What is built already is left alone.

    \b
    Examples:
      deadheat build
      deadheat build crystal-http-server go:stripped
      deadheat build --times 7 go crystal
      deadheat build --sandbox --suite theirs
    """
    from deadheat.app import checking
    from deadheat.hosts import sandbox
    from deadheat.report import builds_table
    from deadheat.suite.suite import load

    if options.sandbox:
        sandbox.enter(sandbox.Walls((), (options.suite,), network=True), terminal.say)
    suite = load(options.suite)
    if options.times is not None:
        times = checking.time_builds(suite, options.contenders, options.times, terminal.say)
        for line in builds_table.lines(times):
            terminal.line(line)
        return
    failed = False
    for build in checking.build(suite, options.contenders, terminal.say):
        record = build.record
        detail = record.reason or f"{_took(record)}, {build.folder}"
        terminal.line(f"{record.status:<11} {record.workload}/{record.contender}: {detail}")
        for line in record.tail:
            terminal.line(f"    {line}")
        failed = failed or record.status == "failed"
    if failed:
        raise click.exceptions.Exit(ExitCode.NOTHING_MEASURED)


def _took(record: Built) -> str:
    from deadheat.report import words

    if record.cached:
        took = "cached"
    else:
        took = words.seconds(record.build_s) if record.build_s else "nothing to build"
    return f"{took}, {words.size(record.artifact_bytes)}"


COMMAND = command("build", BuildOptions, run, linux=True)
