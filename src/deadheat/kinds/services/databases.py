"""A database for each entry of a race, on the PostgreSQL that its service is: the same rows in each, new ones
in each block, which requests are drawn from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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


@dataclass(frozen=True)
class Databases:
    """Those of a block, by entry."""

    server: Running
    asked: Database
    names: Mapping[str, str]

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

    def change(self, entry: str, row: Row) -> Row:
        """Give a row of an entry another value, in its database; the row as it is from now on."""
        from psycopg import sql

        low, high = self.asked.values
        value = low if int(row["value"]) == high else int(row["value"]) + 1
        id_, held = map(sql.Identifier, self.asked.columns)
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s")
        with self.connected(self.names[entry], ROLE) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), held, id_), (value, int(row["id"]))
            )
        return {**row, "value": str(value)}


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
    databases = Databases(server, asked, {entry: f"entry_{place}" for place, entry in enumerate(entries)})
    try:
        _create(databases, rows)
    except psycopg.Error as error:
        raise RaceUnavailableError(f"{server.program}: {str(error).strip()}") from error
    reported = {
        entry: {**stage.of_entries.get(entry, {}), "database": name}
        for entry, name in databases.names.items()
    }
    return replace(stage, rows=rows, drawn=requests(asked, rows, rng), of_entries=reported), databases


def drawn(asked: Database, rng: random.Random) -> tuple[Row, ...]:
    """The rows of a block: `id` from 1 on, and a `value`."""
    low, high = asked.values
    return tuple({"id": str(id_), "value": str(rng.randint(low, high))} for id_ in range(1, asked.rows + 1))


def requests(asked: Database, rows: Sequence[Row], rng: random.Random) -> Sequence[Row]:
    """What the requests of a block are for: a row each, or several, drawn with replacement."""
    if asked.several is None:
        return rows
    return [asked.asked(rng.choices(rows, k=asked.drawn)) for _ in rows]


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
                copy.write("".join(f"{row['id']}\t{row['value']}\n" for row in rows))
            filled.execute(sql.SQL("VACUUM (FREEZE, ANALYZE) {}").format(table))
        for name in databases.names.values():
            # Its files are copied, which is quicker than to write them through the log.
            made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
            connection.execute(made.format(sql.Identifier(name), sql.Identifier(TEMPLATE)) + owned)
