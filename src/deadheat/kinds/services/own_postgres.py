"""A PostgreSQL of somebody's own (`--db-url`), in the place of the one that a service is: whether it will do,
and what of ours is there meanwhile."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from deadheat.errors import UserError
from deadheat.kinds.services.postgres import CONNECT_TIMEOUT_S, Postgres, in_a_line
from deadheat.model.address import is_loopback
from deadheat.model.own_database import OwnDatabase
from deadheat.run.kind import RaceUnavailableError

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMES = ("postgresql://", "postgres://")
HINT = "--db-url postgresql://user@host/name"
# Where nobody says how TLS is spoken, nobody speaks it: what drivers do by themselves differs.
NO_TLS = "disable"
# That lead elsewhere than the host of the URL says.
ELSEWHERE = ("hostaddr", "service")
# What is ours there: a word, which race's by the number of an advisory lock that it holds, and which of them.
NAMED = re.compile(r"deadheat_([0-9a-f]{7})_\w+")
LOCKS = int.from_bytes(b"dead")
SETTINGS = (
    "fsync", "synchronous_commit", "full_page_writes", "autovacuum", "jit", "shared_buffers",
    "max_connections",
)  # fmt: skip
HELD = b"SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = %s"
OWNED = b"SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = current_user"
MAY = b"SELECT rolcreatedb OR rolsuper, rolsuper FROM pg_roles WHERE rolname = current_user"
COUNTED_HERE = b"SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'"


@dataclass(frozen=True)
class Looked:
    """Of a server that will do: how it is reached, what a report says of it, and the parameters of libpq that
    contenders are told."""

    postgres: Postgres
    record: OwnDatabase
    password: str
    tls: Mapping[str, str]
    counts_in: str | None
    counts_if_told: bool


def look(url: str, needs: Iterable[str], *, remote: bool) -> Looked:
    """Whether a server will do for workloads that need this much of their PostgreSQL (`postgres >= 15`).

    Raises UserError, in a line: for what is no URL, an address that is not this machine's unless `remote`,
    nobody there or no way in, a server that is too old, and a user who may make no databases.
    """
    import psycopg

    parameters = _parameters(url, remote=remote)
    shown = _shown(parameters)
    try:
        reached_by: dict[str, Any] = {"connect_timeout": CONNECT_TIMEOUT_S, **parameters}
        with psycopg.connect(**reached_by, autocommit=True) as session:
            return _looked(session, parameters, shown, needs, remote=remote)
    except psycopg.OperationalError as error:
        said = in_a_line(error)
        raise UserError(f"{shown}: {said}", hint=_hint(said)) from error
    except psycopg.Error as error:
        raise UserError(f"{shown}: {in_a_line(error)}") from error


def _looked(
    session: Connection[Any], parameters: Mapping[str, str], shown: str, needs: Iterable[str], *, remote: bool
) -> Looked:
    if not remote and session.info.hostaddr and not is_loopback(session.info.hostaddr):
        raise _not_here(f"{shown} is at {session.info.hostaddr}")
    (version,) = _one(session, b"SHOW server_version")
    oldest = max(
        [int(found[1]) for need in needs if (found := re.fullmatch(r"postgres >= (\d+)", need))] or [0]
    )
    if session.info.server_version // 10_000 < oldest:
        raise UserError(f"{shown} is PostgreSQL {version}: {oldest} or newer is needed")
    (standby,) = _one(session, b"SELECT pg_is_in_recovery()")
    if standby:
        raise UserError(f"{shown} is a standby: nothing can be made there", hint="name its primary")
    may_make, superuser = _one(session, MAY)
    if not may_make:
        user = session.info.user
        raise UserError(f"{shown}: {user} may make no databases there", hint=f"ALTER ROLE {user} CREATEDB")
    counts_here, counts_if_told = _counts(session, superuser=superuser)
    host, port = parameters["host"], session.info.port
    reached_by = {name: value for name, value in parameters.items() if name not in ("user", "dbname")}
    user, home = session.info.user, session.info.dbname
    return Looked(
        postgres=Postgres(shown, {**reached_by, "port": port}, user, user, home, own=True),
        record=OwnDatabase(
            url=shown,
            address=f"{host}:{port}",
            version=version.split()[0],
            counts_statements=counts_here or counts_if_told,
            tls=parameters["sslmode"],
            settings={name: _one(session, b"SELECT current_setting(%s)", name)[0] for name in SETTINGS},
        ),
        password=session.info.password,
        tls={name: value for name, value in parameters.items() if name.startswith("ssl")},
        counts_in=home if counts_here else None,
        counts_if_told=counts_if_told,
    )


def _counts(session: Connection[Any], *, superuser: bool) -> tuple[bool, bool]:
    """Whether pg_stat_statements can be read in this database, and whether in one where it is made first."""
    import psycopg

    if _one(session, COUNTED_HERE)[0]:
        try:
            session.execute("SELECT 1 FROM pg_stat_statements, pg_stat_statements_info LIMIT 1")
        except psycopg.Error:  # not loaded, or in a schema that is not looked into
            return False, False
        return True, False
    # To make the extension, and to see whether its library is loaded, is for a superuser.
    return False, superuser and "pg_stat_statements" in _one(session, b"SHOW shared_preload_libraries")[0]


@contextmanager
def held(postgres: Postgres, warn: Callable[[str], None]) -> Iterator[str]:
    """How the databases of a block are named there, which are dropped at its end, whatever that is; those of
    referees that were killed are dropped at once. Raises RaceUnavailableError."""
    key = secrets.randbits(28)
    with postgres.administered() as session:
        session.execute("SELECT pg_advisory_lock(%s, %s)", (LOCKS, key))
        _drop(session, left_behind(session))
        name = f"deadheat_{key:07x}_"
        try:
            yield name
        finally:
            try:
                # By a session of its own: the other may be what was lost.
                with postgres.administered() as dropping:
                    _drop(dropping, [each for each in _owned(dropping) if each.startswith(name)])
            except RaceUnavailableError as error:
                warn(f"{name}* could not be dropped, which the next race there does: {error}")


def left_behind(session: Connection[Any]) -> list[str]:
    """Databases that referees made there which are no longer at it, of this user."""
    living = {key for (key,) in session.execute(HELD, (LOCKS,)).fetchall()}
    named = [(name, found) for name in _owned(session) if (found := NAMED.fullmatch(name))]
    return [name for name, found in named if int(found[1], 16) not in living]


def urls(
    address: tuple[str, int], user: str, database: str, password: str, more: Mapping[str, str]
) -> dict[str, str]:
    """What contenders may say of a database: `{database_url}`, and the same for JDBC."""
    host, port = address
    at = f"{f'[{host}]' if ':' in host else host}:{port}/{_quoted(database)}"
    login = f"{_quoted(user)}:{_quoted(password)}" if password else _quoted(user)
    # What nobody speaks by itself needs no word; JDBC would try.
    spoken = {} if more.get("sslmode") == NO_TLS else more
    of_jdbc = {"user": user, **({"password": password} if password else {}), **more}
    return {
        "database_url": f"postgres://{login}@{at}{_query(spoken)}",
        "database_jdbc_url": f"jdbc:postgresql://{at}{_query(of_jdbc)}",
    }


def environment(tls: Mapping[str, str]) -> dict[str, str]:
    """What drivers that are libpq, or do as it does, take of TLS without being told in the URL."""
    return {f"PG{name.upper()}": value for name, value in tls.items()}


def _parameters(url: str, *, remote: bool) -> dict[str, str]:
    """Of libpq. Raises UserError."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import Conninfo

    if not url.startswith(SCHEMES):
        raise UserError("--db-url is no URL of a PostgreSQL", hint=HINT)
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError as error:
        # It may repeat the URL, and its password.
        said = str(error).strip().replace(url, "the URL")
        raise UserError(f"--db-url: {said}", hint=HINT) from error
    usual = {one.keyword.decode(): one.val.decode() for one in Conninfo.get_defaults() if one.val is not None}
    user = given.get("user") or usual["user"]
    made = {"user": user, "port": usual["port"], "dbname": usual.get("dbname", user)}
    made |= {"sslmode": os.environ.get("PGSSLMODE", NO_TLS)} | given
    host = made.get("host", "")
    if not host or host.startswith("/") or "," in host or "," in made["port"]:
        raise UserError("--db-url names one host: contenders reach it over TCP", hint=HINT)
    if found := [name for name in ELSEWHERE if name in given or f"PG{name.upper()}" in os.environ]:
        raise UserError(f"{found[0]} leads elsewhere than --db-url says", hint=f"name the host alone: {HINT}")
    if not remote and not is_loopback(host):
        raise _not_here(_shown(made))
    return made


def _not_here(what: str) -> UserError:
    return UserError(
        f"{what}: no PostgreSQL of this machine",
        hint="race beside it; --remote races against it from here: load on a server that is not yours is an "
        "attack",
    )


def _hint(said: str) -> str | None:
    """What to do about a server that lets nobody in."""
    if "password" in said:
        return "its password: in the URL, in PGPASSWORD or in ~/.pgpass"
    if "no encryption" in said:
        return "?sslmode=require in the URL: it takes sessions over TLS alone"
    if "SSL" in said or "ssl" in said or "certificate" in said:
        return "sslmode and sslrootcert in the URL say how TLS is spoken, as libpq has them"
    if "refused" in said or "timeout" in said or "timed out" in said:
        return "does it run, and listen there?"
    return None


def _shown(parameters: Mapping[str, str]) -> str:
    """The URL without a password."""
    host = parameters["host"]
    host = f"[{host}]" if ":" in host else host
    more = {name: value for name, value in parameters.items() if name.startswith("ssl") and value != NO_TLS}
    more.pop("sslpassword", None)
    user, name = _quoted(parameters["user"]), _quoted(parameters["dbname"])
    return f"postgresql://{user}@{host}:{parameters['port']}/{name}{_query(more)}"


def _query(values: Mapping[str, str]) -> str:
    return "?" + "&".join(f"{name}={_quoted(value)}" for name, value in values.items()) if values else ""


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _one(session: Connection[Any], statement: bytes, *values: object) -> tuple[Any, ...]:
    found = session.execute(statement, values).fetchone()
    assert found is not None
    return tuple(found)


def _owned(session: Connection[Any]) -> list[str]:
    return [name for (name,) in session.execute(OWNED).fetchall()]


def _drop(session: Connection[Any], names: Sequence[str]) -> None:
    from psycopg import sql

    for name in names:
        session.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
