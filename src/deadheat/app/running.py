"""Servers that run already: that somebody listens at each URL, and that they are not one."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import StartError
from deadheat.hosts.attached import owner_of
from deadheat.hosts.tree import tree_of
from deadheat.model.address import Address
from deadheat.suite.ad_hoc import Command

# How long a server of another machine may take to accept a connection.
CONNECT_S = 10.0


def shared(commands: Sequence[Command]) -> Iterator[str]:
    """What is to be said of two URLs with one process behind them. Raises UserError where nobody listens, and
    where it cannot be seen who; of those elsewhere only the first is looked at."""
    for command in commands:
        if command.at is not None and not command.metered:
            _refuse_silent(command, command.at)
    owners = {
        command.name: _owner(command, command.listens) for command in commands if command.listens is not None
    }
    trees = {name: set(tree_of(pid)) for name, pid in owners.items()}
    names = list(owners)
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            if trees[a] & trees[b]:
                yield (
                    f"{a} and {b} are one server (process {owners[b]}): the CPU time and memory of each are "
                    "those of both"
                )


def _owner(command: Command, port: int) -> int:
    try:
        return owner_of(port)
    except StartError as error:
        raise _silent(command, str(error)) from error


def _refuse_silent(command: Command, at: Address) -> None:
    try:
        socket.create_connection((at.host, at.port), timeout=CONNECT_S).close()
    except OSError as error:
        raise _silent(command, error.strerror or str(error)) from error


def _silent(command: Command, why: str) -> UserError:
    return UserError(
        f"{command.line}: {why}",
        hint="start it first: deadheat race --url never starts or ends a server",
        code=ExitCode.NOTHING_MEASURED,
    )
