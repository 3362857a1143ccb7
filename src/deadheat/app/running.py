"""Servers that run already: that somebody listens at each URL, and that they are not one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import ExitedError, Host, Spec, StartError
from deadheat.hosts.held import this_host
from deadheat.hosts.network import dial
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
    host = this_host()
    trees = {command.name: _tree(host, command) for command in commands if command.listens is not None}
    names = list(trees)
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            if set(trees[a]) & set(trees[b]):
                yield (
                    f"{a} and {b} are one server (process {trees[b][0]}): the CPU time and memory of each "
                    "are those of both"
                )


def _tree(host: Host, command: Command) -> tuple[int, ...]:
    """The processes behind a URL, the eldest first."""
    spec = Spec(argv=(command.name,), cwd=Path.cwd(), attached=command.listens, freezes=False)
    try:
        return host.usage(host.start(spec), memory=False).pids
    except (StartError, ExitedError) as error:
        raise _silent(command, str(error)) from error


def _refuse_silent(command: Command, at: Address) -> None:
    try:
        dial(at, CONNECT_S).close()
    except OSError as error:
        raise _silent(command, error.strerror or str(error)) from error


def _silent(command: Command, why: str) -> UserError:
    return UserError(
        f"{command.line}: {why}",
        hint="start it first: deadheat race --url never starts or ends a server",
        code=ExitCode.NOTHING_MEASURED,
    )
