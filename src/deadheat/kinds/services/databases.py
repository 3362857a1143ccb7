"""A database for each entry of a race, on the PostgreSQL that its service is: the same rows in each, new ones
in each block, which requests are drawn from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from deadheat.kinds.services import texts
from deadheat.kinds.services.running import AllRunning, Running
from deadheat.model.database import Database, Row
from deadheat.run.kind import RaceUnavailableError, Stage

if TYPE_CHECKING:
    from psycopg import Connection

# Whom contenders connect as: it owns its database, and is no superuser.
ROLE = "app"
SUPERUSER = "postgres"
CONNECT_TIMEOUT_S = 60
TEMPLATE = "rows"
# That a block draws from where they write: each has its rows twice, in what is sent and in what is answered.
WRITING_REQUESTS = 2000


@dataclass(frozen=True)
class Databases:
    """Those of a block, by entry. `may_be`: of each id the values that a request may have written."""

    server: Running
    asked: Database
    names: Mapping[str, str]
    may_be: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @contextmanager
    def connected(self, database: str, user: str) -> Iterator[Connection[Any]]:
        """A session of the referee's, each statement of it by itself."""
        import psycopg

        with psycopg.connect(
            host=self.server.stage.host.address,
            port=self.server.port,
            dbname=database,
            user=user,
            connect_timeout=CONNECT_TIMEOUT_S,
            autocommit=True,
        ) as connection:
            yield connection

    @contextmanager
    def administered(self) -> Iterator[Connection[Any]]:
        """A session that may do anything. Raises RaceUnavailableError where a statement of it fails."""
        import psycopg

        try:
            with self.connected(SUPERUSER, SUPERUSER) as connection:
                yield connection
        except psycopg.Error as error:
            raise RaceUnavailableError(f"{self.server.program}: {str(error).strip()}") from error

    def change(self, entry: str, row: Row) -> Row:
        """Give a row of an entry another value, in its database; the row as it is from now on."""
        from psycopg import sql

        value = another(self.asked, row["value"])
        id_, held = map(sql.Identifier, self.asked.columns)
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s")
        with self.connected(self.names[entry], ROLE) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), held, id_), (value, int(row["id"]))
            )
        return {**row, "value": str(value)}

    def values(self, entry: str) -> dict[int, int]:
        """What an entry's table holds, by id; by a statement that is no SELECT, which are counted."""
        from psycopg import sql

        with self.connected(self.names[entry], ROLE) as connection:
            table = sql.SQL("TABLE {}").format(sql.Identifier(self.asked.table))
            return dict(connection.execute(table).fetchall())

    def unasked(self, entry: str) -> int:
        """Rows of an entry's table with a value that no request may have written."""
        return sum(value not in self.may_be[id_] for id_, value in self.values(entry).items())

    @contextmanager
    def locked(self, entry: str, id_: int) -> Iterator[None]:
        """A row of an entry's is locked meanwhile, as one that another request is writing."""
        from psycopg import sql

        statement = sql.SQL("SELECT 1 FROM {} WHERE {} = %s FOR UPDATE")
        with self.connected(self.names[entry], ROLE) as connection, connection.transaction():
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), sql.Identifier(self.asked.columns[0])),
                (id_,),
            )
            yield

    def is_locked(self, entry: str, id_: int) -> bool:
        """Whether somebody else has this row of an entry's locked now."""
        import psycopg
        from psycopg import sql

        statement = sql.SQL("SELECT 1 FROM {} WHERE {} = %s FOR UPDATE NOWAIT")
        with self.connected(self.names[entry], ROLE) as connection:
            try:
                connection.execute(
                    statement.format(sql.Identifier(self.asked.table), sql.Identifier(self.asked.columns[0])),
                    (id_,),
                )
            except psycopg.errors.LockNotAvailable:
                return True
        return False

    def insert(self, entry: str, row: Row) -> None:
        """Give an entry's table a row more."""
        from psycopg import sql

        columns = sql.SQL(", ").join(map(sql.Identifier, self.asked.columns))
        statement = sql.SQL("INSERT INTO {} ({}) VALUES (%s, %s)")
        with self.connected(self.names[entry], ROLE) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), columns), (int(row["id"]), row["value"])
            )


def beside(
    stage: Stage, running: AllRunning, entries: Sequence[str], seed: str
) -> tuple[Stage, Databases | None]:
    """The stage with a database for each of these entries and the rows in them, where the workload has any.

    Raises RaceUnavailableError where they cannot be made.
    """
    asked = stage.workload.database
    if asked is None:
        return stage, None
    import psycopg

    server = next(one for one in running.each if one.service.name == asked.service)
    rng = random.Random(seed)
    rows = drawn(asked, rng)
    names = {entry: f"entry_{place}" for place, entry in enumerate(entries)}
    if asked.written is None:
        asked_for, may_be = requests(asked, rows, rng), {}
    else:
        lists = [rewritten(asked, rng.sample(rows, asked.written), rng) for _ in range(WRITING_REQUESTS)]
        asked_for, may_be = [asked.asked(each) for each in lists], _values([rows, *lists])
    databases = Databases(server, asked, names, may_be)
    try:
        _create(databases, rows)
    except psycopg.Error as error:
        raise RaceUnavailableError(f"{server.program}: {str(error).strip()}") from error
    reported = {
        entry: {**stage.of_entries.get(entry, {}), "database": name}
        for entry, name in databases.names.items()
    }
    return replace(stage, rows=rows, drawn=asked_for, of_entries=reported), databases


def drawn(asked: Database, rng: random.Random) -> tuple[Row, ...]:
    """The rows of a block: `id` from 1 on, and a `value`."""
    if asked.values == "texts":
        values = texts.of(asked.rows, rng)
    else:
        low, high = asked.values
        values = [str(rng.randint(low, high)) for _ in range(asked.rows)]
    return tuple({"id": str(id_), "value": value} for id_, value in enumerate(values, 1))


def rewritten(asked: Database, rows: Sequence[Row], rng: random.Random) -> list[Row]:
    """These rows, each with another value."""
    return [{**row, "value": str(_unlike(asked, int(row["value"]), rng))} for row in rows]


def _values(lists: Iterable[Sequence[Row]]) -> dict[int, frozenset[int]]:
    """Of each id the values that these rows say."""
    found: dict[int, set[int]] = {}
    for row in chain.from_iterable(lists):
        found.setdefault(int(row["id"]), set()).add(int(row["value"]))
    return {id_: frozenset(values) for id_, values in found.items()}


def _unlike(asked: Database, value: int, rng: random.Random) -> int:
    assert asked.values != "texts"
    low, high = asked.values
    drawn = rng.randint(low, high - 1)
    return drawn if drawn < value else drawn + 1


def another(asked: Database, value: str) -> int | str:
    """A value that a row may have instead of its own."""
    if asked.values == "texts":
        return value[::-1]
    low, high = asked.values
    return low if int(value) == high else int(value) + 1


def requests(asked: Database, rows: Sequence[Row], rng: random.Random) -> Sequence[Row]:
    """What the requests of a block are for: a row each, or several, drawn with replacement, or pages of all
    rows with another one in each."""
    if asked.page is not None:
        return [asked.asked_for_page(rows, text) for text in texts.of(asked.page.drawn, rng)]
    if asked.several is None:
        return rows
    return [asked.asked(rng.choices(rows, k=asked.several.drawn)) for _ in rows]


def _create(databases: Databases, rows: Sequence[Row]) -> None:
    """One is filled; each entry has a copy of it."""
    from psycopg import sql

    asked = databases.asked
    table, columns = sql.Identifier(asked.table), map(sql.Identifier, asked.columns)
    owned = sql.SQL(" OWNER {}").format(sql.Identifier(ROLE))
    with databases.connected(SUPERUSER, SUPERUSER) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)) + owned)
        with databases.connected(TEMPLATE, ROLE) as filled:
            filled.execute(asked.create.encode())
            into = sql.SQL("COPY {} ({}) FROM STDIN").format(table, sql.SQL(", ").join(columns))
            with filled.cursor() as cursor, cursor.copy(into) as copy:
                copy.write("".join(f"{row['id']}\t{_escaped(row['value'])}\n" for row in rows))
            filled.execute(sql.SQL("VACUUM (FREEZE, ANALYZE) {}").format(table))
        for name in databases.names.values():
            # Its files are copied, which is quicker than to write them through the log.
            made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
            connection.execute(made.format(sql.Identifier(name), sql.Identifier(TEMPLATE)) + owned)


def _escaped(value: str) -> str:
    """As the text format of COPY has it."""
    return value.replace("\\", "\\\\")
