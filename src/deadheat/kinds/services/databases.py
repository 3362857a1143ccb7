"""A database for each entry of a race, on the PostgreSQL that its service is: the same rows in each, new ones
in each block, which requests are drawn from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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

        value = another(self.asked, row["value"])
        id_, held = map(sql.Identifier, self.asked.columns)
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s")
        with self.connected(self.names[entry], ROLE) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), held, id_), (value, int(row["id"]))
            )
        return {**row, "value": str(value)}

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
    if asked.values == "texts":
        values = texts.of(asked.rows, rng)
    else:
        low, high = asked.values
        values = [str(rng.randint(low, high)) for _ in range(asked.rows)]
    return tuple({"id": str(id_), "value": value} for id_, value in enumerate(values, 1))


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
