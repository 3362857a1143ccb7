"""deadheat new: the first draft of a study's claims."""

from __future__ import annotations

from dataclasses import dataclass

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import SuiteFolder


@dataclass(frozen=True, kw_only=True)
class NewOptions(SuiteFolder):
    what: str = argument(type=click.Choice(["claims"]), help="What to draft.")
    name: str = argument(metavar="STUDY", help="What the study is to be called: grpc-rust-2023.")
    workload: str | None = option(
        metavar="NAME", help="The workload that it is about; the suite's first where none is named."
    )


def run(options: NewOptions) -> None:
    """Draft the claims of a published study.

    It can be planned at once: what is left is to fill in what the study says, as
    docs/how-to/replicate-a-study.md has it.

    \b
    Examples:
      deadheat new claims grpc-rust-2023 --workload grpc-unary
      deadheat new claims fib-2024 --workload fib --suite my-suite
    """
    from deadheat.suite import new_claims
    from deadheat.suite.suite import load

    file = new_claims.write(load(options.suite), options.name, options.workload)
    terminal.say(f"written: {file}")
    terminal.say(f"its races: deadheat race --claims {options.name} --dry-run")


COMMAND = command("new", NewOptions, run)
