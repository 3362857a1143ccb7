"""How statements come to a database: over how many sessions, and which of them share a transaction, by the
database's own log."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest

from deadheat.kinds.services.databases import Databases

# A session, its transaction, and what is said of them; statements may have several lines.
_SAID = re.compile(r"^(\d+) (\d+/\d+) ([A-Z]+):  ", re.MULTILINE)
_STATEMENT = re.compile(r"(?:execute [^:]*|statement):\s*(.*)", re.DOTALL)
_BEGINS = ("begin", "start transaction")
SETTINGS = {"log_line_prefix": "%p %v ", "log_statement": "all"}
# For the sessions of others to take a setting over: they are told by a signal.
TAKEN_OVER_S = 0.2


@dataclass(frozen=True)
class Ran:
    """A statement. Of those that came before one Sync, without a BEGIN, `transaction` is the same."""

    session: int
    transaction: str
    text: str


@dataclass(frozen=True)
class Way:
    """How the statements that read a table came. `together`: the most of them in one transaction that nobody
    began, which is one Sync for all of these."""

    statements: int
    sessions: int
    together: int
    begun: bool

    def __str__(self) -> str:
        over = "one session" if self.sessions == 1 else f"{self.sessions} sessions at once"
        within = "in a transaction that it began" if self.begun else "a transaction each"
        return f"{self.statements} SELECTs over {over}, {within}"


@contextmanager
def logged(databases: Databases) -> Iterator[Callable[[], list[Ran]]]:
    """The databases log every statement meanwhile; yields what returns those since it was last called. Only
    of a server whose log can be read.

    Raises RaceUnavailableError where they cannot be told to.
    """
    said = databases.server.said
    assert said is not None
    with databases.server.administered() as connection:

        def tell(settings: Sequence[bytes]) -> None:
            for statement in settings:
                connection.execute(statement)
            connection.execute("SELECT pg_reload_conf()")
            time.sleep(TAKEN_OVER_S)

        tell([f"ALTER SYSTEM SET {name} = '{value}'".encode() for name, value in SETTINGS.items()])
        try:
            yield _Read(said, said(0).count("\n"))
        finally:
            tell([f"ALTER SYSTEM RESET {name}".encode() for name in SETTINGS])


def way(ran: Sequence[Ran], table: str) -> Way:
    """Of the statements that read a table."""
    read = [one for one in ran if one.text.lower().startswith("select") and table in one.text]
    begun = {(one.session, one.transaction) for one in ran if one.text.lower().startswith(_BEGINS)}
    each = [(one.session, one.transaction) for one in read]
    alone = [each.count(one) for one in {*each} - begun]
    return Way(
        statements=len(read),
        sessions=len({one.session for one in read}),
        together=max(alone, default=0),
        begun=any(one in begun for one in each),
    )


def statements(log: str) -> Iterator[Ran]:
    """Those that a log tells of, whole ones."""
    found = [*_SAID.finditer(log)]
    for said, following in zip_longest(found, found[1:]):
        text = log[said.end() : following.start() if following is not None else None]
        if said[3] == "LOG" and (statement := _STATEMENT.match(text)) is not None:
            yield Ran(int(said[1]), said[2], statement[1].strip())


class _Read:
    """What a log has got since it was last read, whole lines."""

    def __init__(self, said: Callable[[int], str], lines: int) -> None:
        self._said, self._lines = said, lines

    def __call__(self) -> list[Ran]:
        more, end, _ = self._said(self._lines).rpartition("\n")
        self._lines += (more + end).count("\n")
        return list(statements(more))
