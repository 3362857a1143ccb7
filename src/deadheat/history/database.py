"""Open a history: connect, bring its schema to this version, and let several write at once.

SQLite in WAL mode, where a writer takes its lock before it reads and others wait for it; PostgreSQL with an
advisory lock for the same. Errors are sentences with the database's name, never its password.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session

from deadheat.errors import UserError

FILE = "history.sqlite"
#: How long a writer waits for another, seconds.
PATIENCE_S = 30
PAUSE_S = 0.02
# Any number, the same for all who write: "deadheat" has no other use of advisory locks.
ADVISORY_LOCK = 0x6465616468656174
MIGRATIONS = Path(__file__).parent / "migrations"


class History:
    """A database of this version's schema. Use it as a context manager."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self.name = name

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that writes nothing."""
        with _explained(self.name), self._engine.connect() as connection, Session(connection) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are all kept at its end, or none: one at a time, others wait."""
        with (
            _explained(self.name),
            _alone(self._engine) as connection,
            # Its end is the connection's to say.
            Session(connection, join_transaction_mode="rollback_only") as session,
        ):
            yield session
            session.flush()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()


def open_(target: str | Path) -> History:
    """The history in a file, or at a database URL (postgresql://...). Raises UserError.

    A file that is not there is made; a schema of an older version is brought to this one.
    """
    url = _url(target)
    shown = url.difference_update_query(["password"]).render_as_string(hide_password=True)
    name = shown if url.get_backend_name() != "sqlite" else str(target)
    with _explained(name):
        engine = create_engine(url, connect_args=_patience(url))
        if engine.dialect.name == "sqlite":
            if url.database and not Path(url.database).parent.is_dir():
                raise UserError(f"{name}: its folder is not there", hint="--db names another file")
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin)
        try:
            _migrate(engine, name)
        except BaseException:
            engine.dispose()
            raise
    return History(engine, name)


def _url(target: str | Path) -> URL:
    shown = str(target)
    if "://" not in shown:
        return make_url("sqlite://").set(database=shown)
    try:
        url = make_url(shown)
    except ArgumentError as error:
        raise UserError("--db is no database URL", hint="write postgresql://user@host/name") from error
    # psycopg 3 is what we come with; the bare name means psycopg2.
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgresql", "postgres") else url


def _patience(url: URL) -> dict[str, Any]:
    """Nobody waits for ever for a database that does not answer; what the URL itself asks for stands."""
    if url.get_backend_name() == "sqlite":
        return {"timeout": PATIENCE_S}
    if url.get_backend_name() == "postgresql" and "connect_timeout" not in url.query:
        return {"connect_timeout": PATIENCE_S}
    return {}


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # BEGIN is ours to say: by itself the driver would begin late, and two writers would deadlock.
    connection.isolation_level = None
    _to_wal(connection)
    for pragma in ("foreign_keys=ON", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _to_wal(connection: Any) -> None:
    """SQLite does not wait for the lock this takes, so two that open a new history at once would fail."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(PAUSE_S)


def _begin(connection: Connection) -> None:
    alone = connection.get_execution_options().get("alone")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if alone else "BEGIN")


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    with engine.execution_options(alone=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE_S}s'")
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        yield connection


def _migrate(engine: Engine, name: str) -> None:
    """Bring the schema to this version, if it is not there; look first, since most of the time it is."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    newest = ScriptDirectory.from_config(config).get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    with _alone(engine) as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise UserError(
                f"{name}: was made by a newer Deadheat", hint="use that version, or --db for another file"
            ) from error


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """What a database complains of becomes a sentence with its name."""
    try:
        yield
    except NoSuchModuleError as error:
        raise UserError(f"{name}: no such kind of database", hint="a file, or postgresql://...") from error
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        said = " ".join(str(cause).split())[:300]
        raise UserError(f"{name}: {said}", hint="--db names another history") from error
