"""What each entry's database was asked, by its own count, held against the replies of the slices."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from deadheat.kinds.services.databases import SUPERUSER, Databases
from deadheat.model.observation import Failed, Observation, Slice, Started, StatementsRan
from deadheat.run.kind import RaceUnavailableError

if TYPE_CHECKING:
    from psycopg import Connection

EXTENSION = b"CREATE EXTENSION IF NOT EXISTS pg_stat_statements"
# Statements that read the table, the rows that they gave, and the rows that others wrote, of one database.
READ = b"""
SELECT coalesce(sum(calls) FILTER (WHERE query ILIKE 'select%%'), 0)::bigint,
  coalesce(sum(rows) FILTER (WHERE query ILIKE 'select%%'), 0)::bigint,
  coalesce(sum(rows) FILTER (WHERE query ILIKE 'update%%'), 0)::bigint
FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
WHERE datname = %s AND position(%s IN query) > 0
"""
# By the database: in what order it would give rows is not for it to say.
SORTED = b"""
SELECT count(*) FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
WHERE datname = %s AND query ~* '\\morder\\s+by\\M' AND position(%s IN query) > 0
"""
WAITING = b"""
SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'
"""
BUSY = b"""
SELECT state FROM pg_stat_activity
WHERE datname = %s AND backend_type = 'client backend' AND state <> 'idle' LIMIT 1
"""
# Behind a reply a session may still be at the end of the statement that it was for.
IDLE_WITHIN_S = 30.0
LOOK_AGAIN_S = 0.01
Count = tuple[int, int, int]


class Counts:
    """What the databases have counted, by entry, over a session that is none of theirs."""

    def __init__(self, databases: Databases, connection: Connection[Any]) -> None:
        self._databases, self._connection = databases, connection

    def of(self, entry: str) -> Count:
        """Statements that have read its table so far, the rows that they gave, and those written."""
        asked = (self._databases.names[entry], self._databases.asked.table)
        found = self._connection.execute(READ, asked).fetchone()
        assert found is not None
        return int(found[0]), int(found[1]), int(found[2])

    def sorted(self, entry: str) -> bool:
        """Whether a statement about its table asked for an order."""
        asked = (self._databases.names[entry], self._databases.asked.table)
        found = self._connection.execute(SORTED, asked).fetchone()
        assert found is not None
        return bool(found[0])

    def waits(self, entry: str) -> bool:
        """Whether a session of its waits for a row that another has locked."""
        found = self._connection.execute(WAITING, (self._databases.names[entry],)).fetchone()
        assert found is not None
        return bool(found[0])

    def wait_until_idle(self, entry: str) -> str | None:
        """Until all its sessions are; else the state of one after IDLE_WITHIN_S (`idle in transaction`)."""
        until = time.monotonic() + IDLE_WITHIN_S
        while (
            busy := self._connection.execute(BUSY, (self._databases.names[entry],)).fetchone()
        ) is not None:
            if time.monotonic() >= until:
                return str(busy[0])
            time.sleep(LOOK_AGAIN_S)
        return None


@contextmanager
def counts(databases: Databases) -> Iterator[Counts]:
    """Raises RaceUnavailableError where databases cannot be asked."""
    import psycopg

    try:
        with databases.connected(SUPERUSER, SUPERUSER) as connection:
            connection.execute(EXTENSION)
            yield Counts(databases, connection)
    except psycopg.Error as error:
        raise RaceUnavailableError(f"{databases.server.program}: {str(error).strip()}") from error


def counted(
    databases: Databases | None, block: int, observed: Generator[Observation]
) -> Iterator[Observation]:
    """What is observed of a block, and at its end what the databases counted meanwhile, where there are any.

    Raises RaceUnavailableError where they cannot be asked.
    """
    if databases is None:
        yield from observed
        return
    with counts(databases) as read, closing(observed):
        counter = _Counter(databases, read)
        for one in observed:
            counter.see(one)
            yield one
        yield from counter.ran(block)


class _Counter:
    """From a server's first right answer to its last slice, no turn of another kind between."""

    def __init__(self, databases: Databases, read: Counts) -> None:
        self._databases, self._counts = databases, read
        self._first: dict[str, Count] = {}
        self._last: dict[str, Count] = {}
        self._replies: dict[str, int] = {}

    def see(self, o: Observation) -> None:
        """Take the count where a server has begun, and behind each of its slices: it is frozen then."""
        match o:
            case Started():
                self._first[o.entry] = self._last[o.entry] = self._counts.of(o.entry)
                self._replies[o.entry] = 0
            case Slice():
                wrong = o.errors.get("status", 0) + o.errors.get("body", 0)
                self._replies[o.entry] += o.replies_all + wrong
                self._last[o.entry] = self._counts.of(o.entry)
            case Failed():
                self._first.pop(o.entry, None)

    def ran(self, block: int) -> Iterator[StatementsRan]:
        """Of each entry that went through the block."""
        for entry, first in self._first.items():
            last = self._last[entry]
            writes = (asked := self._databases.asked).written is not None
            yield StatementsRan(
                race=self._databases.server.stage.race.key,
                block=block,
                entry=entry,
                replies=self._replies[entry],
                per_reply=asked.statements,
                rows_per_reply=asked.given,
                statements=last[0] - first[0],
                rows=last[1] - first[1],
                written_per_reply=asked.written,
                written=last[2] - first[2] if writes else None,
                unasked=self._databases.unasked(entry) if writes else None,
            )
