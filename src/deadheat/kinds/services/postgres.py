"""A PostgreSQL on which databases are made: the one that the referee started as a service, or somebody's
own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deadheat.kinds.services.running import Running
from deadheat.run.kind import RaceUnavailableError

if TYPE_CHECKING:
    from psycopg import Connection

CONNECT_TIMEOUT_S = 60
# Of one that the referee started: whom contenders connect as, who is no superuser, and who makes what is his.
ROLE, SUPERUSER = "app", "postgres"


@dataclass(frozen=True)
class Postgres:
    """`reached_by`: parameters of libpq but for user and database. `user`: whom contenders connect as, whose
    the databases are. `maker`: who makes them, over sessions with the database `home`. `said`: what it says
    of itself after so many lines, where that can be read.

    `program`: what it is called in messages. `own`: it is somebody's own.
    """

    program: str
    reached_by: Mapping[str, Any]
    user: str
    maker: str
    home: str
    said: Callable[[int], str] | None = None
    own: bool = False

    @classmethod
    def of_service(cls, running: Running) -> Postgres:
        """The one that a service is."""
        reached_by = {"host": running.stage.services_address, "port": running.port}
        return cls(running.program, reached_by, ROLE, SUPERUSER, SUPERUSER, running.said)

    @property
    def address(self) -> tuple[str, int]:
        """Where contenders reach it."""
        return str(self.reached_by["host"]), int(self.reached_by["port"])

    @contextmanager
    def connected(self, database: str, user: str) -> Iterator[Connection[Any]]:
        """A session of the referee's, each statement of it by itself. Raises RaceUnavailableError where it
        cannot be had, and where a statement of it fails."""
        import psycopg

        try:
            with psycopg.connect(
                **{"connect_timeout": CONNECT_TIMEOUT_S, **self.reached_by},
                dbname=database,
                user=user,
                autocommit=True,
            ) as connection:
                yield connection
        except psycopg.Error as error:
            raise RaceUnavailableError(f"{self.program}: {in_a_line(error)}") from error

    @contextmanager
    def administered(self) -> Iterator[Connection[Any]]:
        """A session of whoever makes databases."""
        with self.connected(self.home, self.maker) as connection:
            yield connection


def in_a_line(error: Exception) -> str:
    """What a server or libpq says went wrong, which may be lines: one for each address that was tried."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # What is refused is said once more without TLS, or with it.
    said = next((line for line in lines if " failed: " in line), lines[0] if lines else type(error).__name__)
    return said.removeprefix("connection failed: ")
