"""A service is asked something: whether it serves, or to be as it was at first."""

from __future__ import annotations

import re
import shlex
import socket
from collections.abc import Mapping
from pathlib import Path

from deadheat import hosts
from deadheat.hosts import Host, Spec, StartError
from deadheat.kinds.services import ordinary_user
from deadheat.model.service import Command, Exchange
from deadheat.run.kind import Stage

ANSWER_TIMEOUT_S = 5.0
# Of what a program printed that failed: psql's error is followed by the line and a mark under it.
LAST_LINES, LONGEST_WORDS = 3, 300
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def ask(stage: Stage, question: Exchange | Command, port: int, values: Mapping[str, object]) -> None:
    """Raises OSError where the answer is another, or none."""
    if isinstance(question, Exchange):
        _exchange(stage, question, port)
    else:
        run(stage, stage.services_host, question.command, values, ANSWER_TIMEOUT_S)


def run(
    stage: Stage,
    host: Host,
    line: str,
    values: Mapping[str, object],
    time_limit_s: float,
    *,
    as_user: Path | None = None,
    folder: Path | None = None,
) -> None:
    """A program of a service's to its end on a host, in a `folder` there; an ordinary user's in its folder
    `as_user`, where that is given.

    Raises OSError where it is not a good end.
    """
    words = argv(line, values)
    output = stage.logs / f"{Path(words[0]).name}-{values['port']}"
    spec = Spec(
        argv=words if as_user is None else ordinary_user.argv(host, words),
        cwd=as_user or folder or stage.logs,
        env={"PATH": host.programs().path, "LC_ALL": "C"},
        stdout=output.with_suffix(".out"),
        stderr=output.with_suffix(".err"),
        time_limit_s=time_limit_s,
    )
    try:
        handle = host.start(spec)
    except StartError as error:
        raise OSError(str(error)) from error
    exit_ = hosts.wait(host, handle, stage.stop)
    if not exit_.ok:
        said = host.collect(handle).output_tail.strip().splitlines()
        last = " / ".join(line.strip() for line in said[-LAST_LINES:])[:LONGEST_WORDS]
        raise OSError(f"{words[0]} {exit_.describe()}{f': {last}' if last else ''}")


def argv(line: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """A service's line split as a shell splits words; values are filled in afterwards."""
    return tuple(fill(word, values) for word in shlex.split(line))


def fill(word: str, values: Mapping[str, object]) -> str:
    """A word with the values that it names; braces around anything else stay."""
    return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), word)


def _exchange(stage: Stage, asked: Exchange, port: int) -> None:
    with socket.create_connection((stage.services_address, port), ANSWER_TIMEOUT_S) as connection:
        connection.sendall(asked.send.encode() + b"\r\n")
        with connection.makefile("rb") as reader:
            answer = reader.readline(256).decode(errors="replace").strip()
    if answer != asked.expect:
        raise OSError(f"{asked.send} was answered by {answer!r}")
