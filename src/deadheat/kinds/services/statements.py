"""What each entry's database was asked, by its own count, held against the replies of the slices; and what
its sessions did meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.services.databases import Databases
from deadheat.model.observation import Failed, Observation, Slice, Started, StatementsRan
from deadheat.run.kind import Stage

if TYPE_CHECKING:
    from psycopg import Connection

EXTENSION = b"CREATE EXTENSION IF NOT EXISTS pg_stat_statements"
# Statements that read the table, the rows that they gave, and the rows that others wrote, of one database.
# Where rows may be kept any statement reads, as a COPY or a TABLE does.
READ = b"""
SELECT coalesce(sum(calls) FILTER (WHERE query ILIKE %s), 0)::bigint,
  coalesce(sum(rows) FILTER (WHERE query ILIKE %s), 0)::bigint,
  coalesce(sum(rows) FILTER (WHERE query ILIKE 'update%%'), 0)::bigint
FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
WHERE datname = %s AND position(%s IN query) > 0
"""
SELECTS, ANY = "select%", "%"
# How often it has thrown statements away, which others of the same server may make it do.
FORGOT = b"SELECT dealloc, stats_reset::text FROM pg_stat_statements_info"
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
# Sessions begun between two moments of its clock, which are still there.
BEGUN = b"""
SELECT count(*) FROM pg_stat_activity
WHERE datname = %s AND backend_type = 'client backend'
  AND backend_start >= to_timestamp(%s) AND backend_start < to_timestamp(%s)
"""
CLOCK = b"SELECT extract(epoch FROM clock_timestamp())::float8"
# Of which the quickest answer tells best what time it is there.
ASKED_THE_TIME = 3
DEADLOCKS = b"SELECT coalesce(sum(deadlocks), 0)::bigint FROM pg_stat_database WHERE datname = %s"
# Behind a reply a session may still be at the end of the statement that it was for.
IDLE_WITHIN_S = 30.0
# Between turns the race waits for nobody for long.
SETTLED_WITHIN_S = 0.2
LOOK_AGAIN_S = 0.01
Count = tuple[int, int, int]


class Counts:
    """What the databases have counted, by entry, over a session that is none of theirs."""

    def __init__(self, databases: Databases, connection: Connection[Any]) -> None:
        self._databases, self._connection = databases, connection

    @property
    def counts(self) -> bool:
        """Whether statements are counted at all."""
        return self._databases.counts_in is not None

    def of(self, entry: str) -> Count:
        """Statements that have read its table so far, the rows that they gave, and those written; none of
        them where they are not counted."""
        if not self.counts:
            return 0, 0, 0
        asked = self._databases.asked
        reading = ANY if asked.kept else SELECTS
        found = self._connection.execute(
            READ, (reading, reading, self._databases.names[entry], asked.table)
        ).fetchone()
        assert found is not None
        return int(found[0]), int(found[1]), int(found[2])

    def still_there(self) -> None:
        """While a contender failed. Raises where there are none any more: that was why."""
        self._connection.execute(b"SELECT")

    def forgot(self) -> tuple[Any, ...] | None:
        """Another from one time to the next where statements have been thrown away in between."""
        return self._connection.execute(FORGOT).fetchone() if self.counts else None

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

    def sessions_begun(self, entry: str, from_ns: int, until_ns: int) -> int:
        """How many of its sessions have begun between these times of CLOCK_MONOTONIC."""
        ahead_s = self._ahead_s()
        asked = (self._databases.names[entry], ahead_s + from_ns / 1e9, ahead_s + until_ns / 1e9)
        found = self._connection.execute(BEGUN, asked).fetchone()
        assert found is not None
        return int(found[0])

    def _ahead_s(self) -> float:
        """By how much its clock is ahead of CLOCK_MONOTONIC."""
        answers = []
        for _ in range(ASKED_THE_TIME):
            before = time.monotonic()
            found = self._connection.execute(CLOCK).fetchone()
            after = time.monotonic()
            assert found is not None
            answers.append((after - before, float(found[0]) - (before + after) / 2))
        return min(answers)[1]

    def deadlocks(self, entry: str) -> int:
        """How many it has ended so far; it may tell of one seconds later."""
        found = self._connection.execute(DEADLOCKS, (self._databases.names[entry],)).fetchone()
        assert found is not None
        return int(found[0])

    def wait_until_idle(self, entry: str, within_s: float = IDLE_WITHIN_S) -> str | None:
        """Until all its sessions are; else the state of one after that time (`idle in transaction`)."""
        until = time.monotonic() + within_s
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
    server = databases.server
    with server.connected(databases.counts_in or server.home, server.maker) as connection:
        if databases.counts_in is not None:
            connection.execute(EXTENSION)
        yield Counts(databases, connection)


def counted(
    stage: Stage,
    databases: Databases | None,
    block: int,
    drive: Callable[[Stage], Generator[Observation]],
) -> Iterator[Observation]:
    """What is observed of a block, and at its end what the databases counted meanwhile, where there are any.
    A server is frozen only once its sessions are idle, or do not become so.

    Raises RaceUnavailableError where they cannot be asked.
    """
    if databases is None:
        yield from drive(stage)
        return
    with counts(databases) as read:
        counter = _Counter(databases, read)
        with closing(drive(replace(stage, settle=counter.settle))) as observed:
            for one in observed:
                counter.see(one)
                yield one
        yield from counter.ran(block)


class _Counter:
    """From a server's first right answer to its last slice, no turn of another kind between."""

    def __init__(self, databases: Databases, read: Counts) -> None:
        self._databases, self._counts = databases, read
        self._forgot = read.forgot()
        # Before any server has begun: what is kept may be read at a start, and is to be read once.
        self._made = {entry: read.of(entry) for entry in databases.names} if databases.asked.kept else {}
        self._first: dict[str, Count] = {}
        self._last: dict[str, Count] = {}
        self._replies: dict[str, int] = {}
        self._begun: Counter[str] = Counter()
        self._unsettled: Counter[str] = Counter()

    def settle(self, entry: str) -> None:
        """Wait until its sessions are idle; one that does not become so has answered too early, or keeps
        locks while it is frozen."""
        if self._counts.wait_until_idle(entry, SETTLED_WITHIN_S) is not None:
            self._unsettled[entry] += 1

    def see(self, o: Observation) -> None:
        """Take the count where a server has begun, and behind each of its slices: it is frozen then."""
        match o:
            case Started():
                self._last[o.entry] = self._counts.of(o.entry)
                self._first[o.entry] = self._made.get(o.entry, self._last[o.entry])
                self._replies[o.entry] = 0
            case Slice():
                self._replies[o.entry] += o.replies_all + o.wrong_replies
                self._last[o.entry] = self._counts.of(o.entry)
                if not o.warm_up:
                    self._begun[o.entry] += self._counts.sessions_begun(
                        o.entry, o.counted_from_ns, o.counted_until_ns
                    )
            case Failed():
                self._counts.still_there()
                self._first.pop(o.entry, None)

    def ran(self, block: int) -> Iterator[StatementsRan | Failed]:
        """Of each entry that went through the block; one whose table cannot be looked at has failed."""
        counted = self._counts.counts and self._counts.forgot() == self._forgot
        for entry, first in self._first.items():
            last = self._last[entry]
            writes = (asked := self._databases.asked).written is not None
            try:
                unasked = self._databases.unasked(entry) if writes else None
            except Wrong as wrong:
                race = self._databases.race
                yield Failed(race=race, block=block, entry=entry, reason=wrong.reason, wrong_answer=True)
                continue
            yield StatementsRan(
                race=self._databases.race,
                block=block,
                entry=entry,
                replies=self._replies[entry],
                per_reply=asked.statements,
                rows_per_reply=asked.given,
                at_most=asked.rows if asked.kept else None,
                statements=last[0] - first[0] if counted else None,
                rows=last[1] - first[1] if counted else None,
                written_per_reply=asked.written,
                written=last[2] - first[2] if writes and counted else None,
                unasked=unasked,
                sessions_begun=self._begun[entry],
                unsettled=self._unsettled[entry],
                deadlocks=self._counts.deadlocks(entry),
            )
