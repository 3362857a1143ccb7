"""A PostgreSQL of somebody's own: who may race there, what is made there, and that all of it goes again."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from deadheat.app import own_database
from deadheat.errors import UserError
from deadheat.hosts import attached
from deadheat.hosts.local import LocalHost
from deadheat.hosts.ports import Ports
from deadheat.kinds.services import databases, own_postgres, statements
from deadheat.kinds.services.databases import Databases
from deadheat.kinds.services.running import AllRunning
from deadheat.model.observation import Observation, Started, StatementsRan
from deadheat.run.kind import RaceUnavailableError, Stage
from tests.made.postgres import PASSWORD, QUOTED, Owned, owned
from tests.made.slices import made_slice

from .test_databases import LOADED, bare

ENTRIES = ("go", "go'", "node")


@pytest.fixture(scope="module")
def server() -> Iterator[Owned]:
    with owned() as running:
        yield running


@pytest.fixture
def said() -> list[str]:
    """What whoever watches is warned of."""
    return []


@pytest.fixture
def stage(server: Owned, said: list[str], tmp_path: Path) -> Stage:
    """A race at that server."""
    host: Any = SimpleNamespace(address="127.0.0.1")
    view = cast(Any, SimpleNamespace(warn=said.append))
    return replace(bare(host, tmp_path), view=view, db_url=server.url())


def beside(stage: Stage, stack: ExitStack, seed: str = "seed") -> tuple[Stage, Databases]:
    stage, made = databases.beside(stage, AllRunning(()), stack, ENTRIES, seed)
    assert made is not None
    return stage, made


def test_what_it_is_and_whether_it_counts_is_known(server: Owned) -> None:
    looked = own_postgres.look(server.url(), ["postgres >= 15", "initdb"], remote=False)
    record = looked.record
    assert record.url == f"postgresql://maker@127.0.0.1:{server.port}/postgres"
    assert record.address == f"127.0.0.1:{server.port}"
    assert int(record.version.split(".")[0]) >= 15
    assert record.counts_statements
    assert record.tls == "disable"
    assert record.settings["fsync"] == "off"
    assert record.settings["autovacuum"] == "on"
    assert PASSWORD not in record.model_dump_json()
    assert QUOTED not in record.model_dump_json()
    # The extension is not in that database, and only a superuser could make it in one of the race's.
    assert not own_postgres.look(server.url(database="quiet"), [], remote=False).record.counts_statements
    assert own_postgres.look(server.url("postgres", "quiet"), [], remote=False).record.counts_statements


def refused(url: str, needs: tuple[str, ...] = ("postgres >= 15",)) -> tuple[str, str]:
    with pytest.raises(UserError) as raised:
        own_postgres.look(url, needs, remote=False)
    assert "\n" not in raised.value.message
    assert PASSWORD not in raised.value.message
    assert QUOTED not in raised.value.message
    return raised.value.message, raised.value.hint or ""


def test_who_is_not_let_in_or_may_make_nothing_hears_so_in_a_line(server: Owned) -> None:
    message, hint = refused(server.url().replace(QUOTED, "another"))
    assert f"postgresql://maker@127.0.0.1:{server.port}/postgres: " in message
    assert 'password authentication failed for user "maker"' in message
    assert "PGPASSWORD" in hint
    message, hint = refused(server.url("guest"))
    assert message.endswith(": guest may make no databases there")
    assert hint == "ALTER ROLE guest CREATEDB"
    message, _ = refused(server.url(database="nowhere"))
    assert 'database "nowhere" does not exist' in message
    message, _ = refused(server.url(), ("postgres >= 99",))
    assert "is PostgreSQL 1" in message
    assert message.endswith(": 99 or newer is needed")


def test_nobody_at_the_address_is_said_in_a_line() -> None:
    message, hint = refused(f"postgresql://maker@127.0.0.1:{Ports().take()}/postgres")
    assert "Connection refused" in message
    assert hint == "does it run, and listen there?"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("app.sqlite", "--db-url is no URL of a PostgreSQL"),
        ("postgresql://maker@db.example/postgres", "no PostgreSQL of this machine"),
        ("postgresql://maker@127.0.0.1/postgres?hostaddr=198.18.0.1", "hostaddr leads elsewhere"),
        ("postgresql:///postgres", "names one host"),
        ("postgresql://maker@/postgres?host=/run/postgresql", "names one host"),
        ("postgresql://127.0.0.1,127.0.0.2/postgres", "names one host"),
        ("postgresql://maker@127.0.0.1/postgres?no=such", 'invalid URI query parameter: "no"'),
        ("postgresql://maker@127.0.0.1/postgres?sslmode=maybe", 'invalid sslmode value: "maybe"'),
    ],
)
def test_what_is_no_server_of_this_machine_is_refused(url: str, says: str) -> None:
    message, _ = refused(url)
    assert says in message


def test_an_address_of_another_machine_takes_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    message, hint = refused("postgresql://maker@198.18.0.1/postgres")
    assert "postgresql://maker@198.18.0.1:5432/postgres: no PostgreSQL of this machine" in message
    assert "--remote" in hint
    monkeypatch.setattr(own_postgres, "CONNECT_TIMEOUT_S", 1)
    tried: list[dict[str, Any]] = []

    def connect(**parameters: Any) -> None:
        tried.append(parameters)
        raise psycopg.OperationalError("nobody")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(UserError, match="nobody"):
        own_postgres.look("postgresql://maker@198.18.0.1/postgres", [], remote=True)
    assert tried[0]["host"] == "198.18.0.1"


def test_tls_is_spoken_as_the_url_says(server: Owned, stage: Stage) -> None:
    message, hint = refused(server.url(database="secret"))
    assert "no encryption" in message
    assert "sslmode=require" in hint
    message, hint = refused(server.url(query="?sslmode=verify-full&sslrootcert=/no/such/file"))
    assert "root certificate file" in message
    assert "sslrootcert" in hint
    query = f"?sslmode=verify-full&sslrootcert={server.authority}"
    url = server.url(database="secret", query=query)
    looked = own_postgres.look(url, [], remote=False)
    assert looked.record.tls == "verify-full"
    with ExitStack() as stack:
        raced, _ = beside(replace(stage, db_url=url), stack)
        assert raced.environment["PGSSLMODE"] == "verify-full"
        told = str(raced.of_entries["go"]["database_url"])
        with psycopg.connect(told) as session:
            assert session.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone() == (
                True,
            )


def test_each_entry_has_a_database_there_which_goes_at_the_end(server: Owned, stage: Stage) -> None:
    with ExitStack() as stack:
        raced, made = beside(stage, stack)
        assert len(server.databases()) == len(ENTRIES) + 1
        reported = [(int(row["id"]), int(row["value"])) for row in raced.rows]
        for entry in ENTRIES:
            told = raced.of_entries[entry]
            name = told["database"]
            assert str(told["database_url"]) == f"postgres://maker:{QUOTED}@127.0.0.1:{server.port}/{name}"
            assert str(told["database_jdbc_url"]) == (
                f"jdbc:postgresql://127.0.0.1:{server.port}/{name}?user=maker&password={QUOTED}&sslmode=disable"
            )
            with psycopg.connect(str(told["database_url"])) as session:
                found = session.execute("SELECT id, randomnumber FROM world ORDER BY id").fetchall()
            assert found == reported
        assert raced.addresses["postgres"] == f"127.0.0.1:{server.port}"
        changed = made.change("go", raced.rows[6])
        assert made.values("go")[7] == int(changed["value"])
        assert made.values("node")[7] == reported[6][1]
    assert server.databases() == set()
    with ExitStack() as stack:
        other, _ = beside(stage, stack, "another seed")
        assert [row["value"] for row in other.rows] != [str(value) for _, value in reported]


def test_they_go_whatever_ends_a_block_and_however_many_sessions_there_are(
    server: Owned, stage: Stage
) -> None:
    with ExitStack() as after:

        def interrupted() -> None:
            with ExitStack() as stack:
                raced, _ = beside(stage, stack)
                left = psycopg.connect(str(raced.of_entries["go"]["database_url"]))
                after.callback(left.close)
                left.execute("SELECT 1")  # within a transaction, as a frozen server's may be
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert server.databases() == set()


def test_what_a_killed_referee_left_goes_when_the_next_begins_and_no_others(
    server: Owned, stage: Stage
) -> None:
    mine = {"deadheat_0000001_rows", "deadheat_0000001_0"}
    with psycopg.connect(server.url("postgres"), autocommit=True) as session:
        for name in mine:
            session.execute(f"CREATE DATABASE {name} OWNER maker".encode())
        # Of another user, and of no race.
        others = ("deadheat_0000002_0", "deadheat_history OWNER maker")
        for name in others:
            session.execute(f"CREATE DATABASE {name}".encode())
        try:
            with ExitStack() as one, ExitStack() as another:
                _, first = beside(stage, one)
                _, second = beside(stage, another)
                there = server.databases()
                assert not mine & there
                # Both are at it: neither takes the other's away.
                assert {*first.names.values(), *second.names.values()} <= there
            assert server.databases() == {"deadheat_0000002_0", "deadheat_history"}
        finally:
            for name in others:
                session.execute(f"DROP DATABASE {name.split()[0]}".encode())


def observed(stage: Stage, made: Databases) -> StatementsRan:
    """What is counted where an entry asks for eight rows in its slice."""

    def drive(_: Stage) -> Generator[Observation]:
        yield Started(race="app-db", block=0, entry="node", first_response_ms=1)
        with made.of("node") as connection:
            for id_ in range(1, 9):
                connection.execute("SELECT id, randomnumber FROM world WHERE id = %s", (id_,))
        yield made_slice("app-db", 0, 0, 0, "node", 8).model_copy(update={"replies_all": 8})

    *_, ran = statements.counted(stage, made, 0, drive)
    assert isinstance(ran, StatementsRan)
    return ran


@pytest.mark.parametrize("user", ["maker", "postgres"])
def test_statements_are_counted_where_they_can_be(server: Owned, stage: Stage, user: str) -> None:
    # A superuser makes the extension itself, in a database of the race.
    database = "postgres" if user == "maker" else "quiet"
    with ExitStack() as stack:
        raced, made = beside(replace(stage, db_url=server.url(user, database)), stack)
        ran = observed(raced, made)
    assert (ran.replies, ran.statements, ran.rows) == (8, 8, 8)
    assert ran.sessions_begun is not None
    assert server.databases() == set()


def test_where_they_cannot_be_nothing_is_said_of_them(server: Owned, stage: Stage) -> None:
    with ExitStack() as stack:
        raced, made = beside(replace(stage, db_url=server.url(database="quiet")), stack)
        ran = observed(raced, made)
    assert (ran.replies, ran.statements, ran.rows) == (8, None, None)
    assert ran.sessions_begun is not None


def test_where_some_were_thrown_away_meanwhile_nothing_is_said_of_them(server: Owned, stage: Stage) -> None:
    with ExitStack() as stack:
        raced, made = beside(stage, stack)

        def drive(_: Stage) -> Generator[Observation]:
            yield Started(race="app-db", block=0, entry="node", first_response_ms=1)
            with psycopg.connect(server.url("postgres"), autocommit=True) as somebody:
                somebody.execute("SELECT pg_stat_statements_reset()")
            yield made_slice("app-db", 0, 0, 0, "node", 0)

        *_, ran = statements.counted(raced, made, 0, drive)
    assert isinstance(ran, StatementsRan)
    assert ran.statements is None


def test_a_server_that_is_gone_costs_the_race_and_says_why(stage: Stage) -> None:
    port = Ports().take()
    with pytest.raises(RaceUnavailableError, match="Connection refused"), ExitStack() as stack:
        beside(replace(stage, db_url=f"postgresql://maker@127.0.0.1:{port}/postgres"), stack)


def test_databases_that_cannot_be_dropped_are_told(server: Owned, said: list[str]) -> None:
    looked = own_postgres.look(server.url(), [], remote=False)
    gone = replace(looked.postgres, reached_by={**looked.postgres.reached_by, "port": Ports().take()})
    reached = iter([looked.postgres, gone])

    class Fails:
        """It is there at first, and then it is not."""

        def administered(self) -> Any:
            return next(reached).administered()

    with own_postgres.held(cast(Any, Fails()), said.append) as name:
        assert name.startswith("deadheat_")
    assert len(said) == 1
    assert f"{name}* could not be dropped, which the next race there does" in said[0]


def test_the_password_of_a_file_is_told_to_contenders_too(
    server: Owned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{server.port}:*:maker:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    looked = own_postgres.look(f"postgresql://maker@127.0.0.1:{server.port}/postgres", [], remote=False)
    assert looked.password == PASSWORD


def test_what_it_uses_on_this_machine_is_no_interference(server: Owned, tmp_path: Path) -> None:
    record = own_postgres.look(server.url(), [], remote=False).record
    planned = cast(Any, SimpleNamespace(workloads=[SimpleNamespace(own_database=record)]))
    said: list[str] = []
    with LocalHost() as host, psycopg.connect(server.url()) as session:
        own_database.known_to(host, planned, tmp_path, said.append)
        (backend,) = session.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        assert backend in attached.raced_pids()
        assert said == []
        planned.workloads[0].own_database = record.replaced(address=f"127.0.0.1:{Ports().take()}")
        own_database.known_to(host, planned, tmp_path, said.append)
    (warned,) = said
    assert "counts as other programs'" in warned


def test_workloads_of_the_suite_need_a_version_that_is_looked_for() -> None:
    (service,) = LOADED["app-db"].services
    assert "postgres >= 15" in service.needs
