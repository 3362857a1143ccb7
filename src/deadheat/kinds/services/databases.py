"""A database for each entry of a race, on the PostgreSQL that its service is: the same rows in each, new ones
in each block, which requests are drawn from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from deadheat.errors import UserError
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.services import own_postgres, texts
from deadheat.kinds.services.postgres import Postgres
from deadheat.kinds.services.running import AllRunning, placeholders_of
from deadheat.model.database import Database, Row
from deadheat.run.kind import RaceUnavailableError, Stage

if TYPE_CHECKING:
    from psycopg import Connection

TEMPLATE = "rows"
# For what an entry's sessions have locked.
PATIENT = b"SET lock_timeout = '10s'"
# Kept free for each other entry, twice as many as pools are asked to have; and for whoever administers.
SESSIONS_EACH, SESSIONS_OURS = 32, 20
# Of one entry at most, each a process of PostgreSQL's: more than the 200 requests at once of a check, for
# which a driver without a pool opens one each.
SESSIONS_MOST = 256
# All rows of a block's requests, of which each says what it asks for and what is right.
MOST_ROWS = 200_000
# That a block draws from where they write: each has its rows twice, in what is sent and in what is answered.
WRITING_REQUESTS = 2000


@dataclass(frozen=True)
class Databases:
    """Those of a block, by entry. `may_be`: of each id the values that a request may have written.
    `template`: the database that each is a copy of. `counts_in`: where their statements are counted; None
    where they are not."""

    race: str
    server: Postgres
    asked: Database
    names: Mapping[str, str]
    template: str
    counts_in: str | None
    may_be: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def connected(self, database: str, user: str) -> AbstractContextManager[Connection[Any]]:
        """A session of the referee's. Raises RaceUnavailableError where it or a statement of it fails."""
        return self.server.connected(database, user)

    @contextmanager
    def of(self, entry: str) -> Iterator[Connection[Any]]:
        """The same with an entry's database, past the limit of its sessions. Raises Wrong where that no
        longer does what it did when it was made: who asks it has dropped a table, or keeps it locked."""
        try:
            with self.connected(self.names[entry], self.server.maker) as connection:
                connection.execute(PATIENT)
                yield connection
        except RaceUnavailableError as error:
            # Which of them the fault is of: where the server is gone, nobody's.
            with self.server.administered() as others:
                others.execute(b"SELECT")
            what = f"its database: {error}"
            raise Wrong(what, what) from error

    def change(self, entry: str, row: Row) -> Row:
        """Give a row of an entry another value, in its database; the row as it is from now on."""
        from psycopg import sql

        value = another(self.asked, row["value"])
        id_, held = map(sql.Identifier, self.asked.columns)
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s")
        with self.of(entry) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), held, id_), (value, int(row["id"]))
            )
        return {**row, "value": str(value)}

    def values(self, entry: str) -> dict[int, int]:
        """What an entry's table holds, by id; by a statement that is no SELECT, which are counted."""
        from psycopg import sql

        with self.of(entry) as connection:
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
        with self.of(entry) as connection, connection.transaction():
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
        with self.of(entry) as connection:
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
        with self.of(entry) as connection:
            connection.execute(
                statement.format(sql.Identifier(self.asked.table), columns), (int(row["id"]), row["value"])
            )


def beside(
    stage: Stage, running: AllRunning, stack: ExitStack, entries: Sequence[str], seed: str
) -> tuple[Stage, Databases | None]:
    """The stage with a database for each of these entries and the rows in them, where the workload has any:
    on the PostgreSQL that its service is, or on somebody's own, where they are dropped with the stack.

    Raises RaceUnavailableError where they cannot be made.
    """
    asked = stage.workload.database
    if asked is None:
        return stage, None
    rng = random.Random(seed)
    rows = drawn(asked, rng)
    if asked.written is None:
        asked_for, may_be = requests(asked, rows, rng), {}
    else:
        lists = [rewritten(asked, rng.sample(rows, asked.written), rng) for _ in range(WRITING_REQUESTS)]
        asked_for, may_be = [asked.asked(each) for each in lists], _values([rows, *lists])
    counts_in: str | None
    own = None if stage.db_url is None else _looked(stage.db_url, stage)
    if own is None:
        server = Postgres.of_service(next(one for one in running.each if one.service.name == asked.service))
        prefix, template, counts_in = "entry_", TEMPLATE, server.home
    else:
        server = own.postgres
        prefix = stack.enter_context(own_postgres.held(server, stage.view.warn))
        template = f"{prefix}{TEMPLATE}"
        counts_in = template if own.counts_if_told else own.counts_in
    names = {entry: f"{prefix}{place}" for place, entry in enumerate(entries)}
    databases = Databases(stage.race.key, server, asked, names, template, counts_in, may_be)
    _create(databases, rows)
    password, tls = ("", {}) if own is None else (own.password, own.tls)
    told = {
        entry: {
            **stage.of_entries.get(entry, {}),
            "database": name,
            **own_postgres.urls(server.address, server.user, name, password, tls),
        }
        for entry, name in names.items()
    }
    stage = replace(stage, rows=rows, drawn=asked_for, of_entries=told)
    if own is not None:
        addresses = {**stage.addresses, **placeholders_of(asked.service, *server.address)}
        stage = replace(stage, addresses=addresses, environment=own_postgres.environment(tls))
    return stage, databases


def unfit(stage: Stage, entry: str) -> str | None:
    """Why an entry cannot have a database of somebody's own server, or None."""
    asked, contender = stage.workload.database, stage.build(entry).contender
    if stage.db_url is None or asked is None:
        return None
    told = "\n".join((contender.run, *contender.env.values()))
    if "{database_url}" in told or "{database_jdbc_url}" in told:
        return None
    return (
        "its contender.toml does not say {database_url} or {database_jdbc_url}, which has the user and the "
        "password of --db-url"
    )


def _looked(url: str, stage: Stage) -> own_postgres.Looked:
    """Whether an address may be another machine's was settled when the race was planned."""
    asked = stage.workload.database
    assert asked is not None
    needs = [need for one in stage.workload.services if one.name == asked.service for need in one.needs]
    try:
        return own_postgres.look(url, needs, remote=True)
    except UserError as error:
        raise RaceUnavailableError(error.message) from error


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
    lists = min(len(rows), MOST_ROWS // asked.several.drawn)
    return [asked.asked(rng.choices(rows, k=asked.several.drawn)) for _ in range(lists)]


def _create(databases: Databases, rows: Sequence[Row]) -> None:
    """One is filled; each entry has a copy of it."""
    from psycopg import sql

    asked, server = databases.asked, databases.server
    table, columns = sql.Identifier(asked.table), map(sql.Identifier, asked.columns)
    owned, template = sql.SQL(" OWNER {}").format(sql.Identifier(server.user)), databases.template
    # Files are copied, which is quicker than to write them through the log, and takes a checkpoint.
    copied = sql.SQL("" if server.own else " STRATEGY file_copy")
    with server.administered() as connection:
        if not server.own:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(server.user)))
        # Whatever the templates of somebody's own server are like.
        like = sql.SQL(" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'" if server.own else "")
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(template)) + owned + like)
        with databases.connected(template, server.user) as filled:
            filled.execute(asked.create.encode())
            into = sql.SQL("COPY {} ({}) FROM STDIN").format(table, sql.SQL(", ").join(columns))
            with filled.cursor() as cursor, cursor.copy(into) as copy:
                copy.write("".join(f"{row['id']}\t{_escaped(row['value'])}\n" for row in rows))
            filled.execute(sql.SQL("VACUUM (FREEZE, ANALYZE) {}").format(table))
        most = -1
        if not server.own:
            (shown,) = connection.execute("SHOW max_connections").fetchone() or ("0",)
            most = most_sessions(int(shown), len(databases.names))
        limited = sql.SQL(" CONNECTION LIMIT {}").format(sql.Literal(most))
        for name in databases.names.values():
            made = sql.SQL("CREATE DATABASE {} TEMPLATE {}{}{}{}")
            connection.execute(
                made.format(sql.Identifier(name), sql.Identifier(template), copied, owned, limited)
            )


def most_sessions(of: int, entries: int) -> int:
    """What one entry may have of all sessions, so that whoever opens all that it can takes none of the
    others'."""
    others = SESSIONS_EACH * (entries - 1)
    return max(SESSIONS_EACH, min(SESSIONS_MOST, of - SESSIONS_OURS - others))


def _escaped(value: str) -> str:
    """As the text format of COPY has it."""
    return value.replace("\\", "\\\\")
