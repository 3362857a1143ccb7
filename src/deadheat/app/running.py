"""Servers that run already: that somebody listens at each URL, and that they are not one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import StartError
from deadheat.hosts.attached import owner_of, tree_of
from deadheat.suite.ad_hoc import Command


def shared(commands: Sequence[Command]) -> Iterator[str]:
    """What is to be said of two URLs with one process behind them. Raises UserError where nobody listens, and
    where it cannot be seen who."""
    owners = {command.name: _owner(command) for command in commands if command.listens is not None}
    trees = {name: set(tree_of(pid)) for name, pid in owners.items()}
    names = list(owners)
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            if trees[a] & trees[b]:
                yield (
                    f"{a} and {b} are one server (process {owners[b]}): the CPU time and memory of each are "
                    "those of both"
                )


def _owner(command: Command) -> int:
    assert command.listens is not None
    try:
        return owner_of(command.listens)
    except StartError as error:
        raise UserError(
            f"{command.line}: {error}",
            hint="start it first: deadheat race --url never starts or ends a server",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
