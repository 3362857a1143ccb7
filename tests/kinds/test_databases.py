"""A PostgreSQL beside contenders: of each a database of its own, with values that each block draws anew."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import unquote

import psycopg
import pytest

from deadheat.hosts.held import this_host
from deadheat.hosts.local import LocalHost
from deadheat.kinds import http, http_asking, pages
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.server.started import NotServingError
from deadheat.kinds.services import databases, ordinary_user, statements
from deadheat.kinds.services import start as services
from deadheat.kinds.services.databases import Databases
from deadheat.kinds.services.running import AllRunning
from deadheat.model.address import Address
from deadheat.model.observation import Failed, Observation, Started, StatementsRan
from deadheat.model.service import Service
from deadheat.model.work.http import HttpCase
from deadheat.run.kind import RaceUnavailableError, Stage
from deadheat.suite.suite import load
from tests.made.slices import made_slice

SUITE = load(Path(__file__).parents[2] / "suite")
LOADED = SUITE.workloads
WORKLOAD = LOADED["app-db"]
ENTRIES = ("go", "go'", "node")


def bare(host: LocalHost | None, logs: Path) -> Stage:
    """As much of a race as services and requests need."""
    never = SimpleNamespace(requested=False, check=lambda: None)
    made: dict[str, Any] = dict.fromkeys(("view", "workload_folder"))
    plan: Any = SimpleNamespace(generator_cpus=(0,), services_cpus=())
    race: Any = SimpleNamespace(
        key="app-db", values={}, load=SimpleNamespace(connections=4, streams=1, generator_threads=1)
    )
    return Stage(
        **made, plan=plan, race=race, workload=WORKLOAD, builds={}, host=cast(Any, host),
        stop=cast(Any, never), logs=logs,
    )  # fmt: skip


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, AllRunning, ExitStack]]:
    """The PostgreSQL of the suite, as a block starts it, and the block's stack."""
    if (why := services.missing(this_host(), WORKLOAD.services)) is not None:
        pytest.skip(why)
    with LocalHost() as host, ExitStack() as stack:
        yield *services.beside(bare(host, tmp_path_factory.mktemp("logs")), stack, ENTRIES), stack


@pytest.fixture(scope="module")
def filled(running: tuple[Stage, AllRunning, ExitStack]) -> tuple[Stage, Databases]:
    stage, made = databases.beside(*running, ENTRIES, "seed")
    assert made is not None
    return stage, made


@contextmanager
def only_go(workload: str, logs: Path) -> Iterator[tuple[Stage, Databases]]:
    """A PostgreSQL with the database of one entry, filled as this workload asks for it."""
    if (why := services.missing(this_host(), WORKLOAD.services)) is not None:
        pytest.skip(why)
    with LocalHost() as host, ExitStack() as stack:
        stage, running = services.beside(bare(host, logs), stack, ["go"])
        stage, made = databases.beside(
            replace(stage, workload=LOADED[workload]), running, stack, ["go"], "seed"
        )
        assert made is not None
        yield stage, made


def held(stage: Stage, entry: str) -> list[tuple[int, int]]:
    """The rows of an entry's database, read as a contender reads them."""
    host, port = str(stage.addresses["postgres"]).split(":")
    name = str(stage.of_entries[entry]["database"])
    with psycopg.connect(host=host, port=int(port), dbname=name, user="app") as connection:
        return connection.execute("SELECT id, randomnumber FROM world ORDER BY id").fetchall()


def test_each_entry_has_a_database_of_its_own_with_the_rows_that_requests_ask_for(
    filled: tuple[Stage, Databases],
) -> None:
    stage, made = filled
    reported = [(int(row["id"]), int(row["value"])) for row in stage.rows]
    assert len(reported) == 10_000
    assert all(held(stage, entry) == reported for entry in ENTRIES)

    changed = made.change("go", stage.rows[6])
    assert changed["value"] != stage.rows[6]["value"]
    assert held(stage, "go")[6] == (7, int(changed["value"]))
    assert held(stage, "go'") == reported

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        made_role(stage)


def made_role(stage: Stage) -> None:
    """What a superuser alone may do."""
    host, port = str(stage.addresses["postgres"]).split(":")
    with psycopg.connect(host=host, port=int(port), dbname="entry_0", user="app") as connection:
        connection.execute("CREATE ROLE another SUPERUSER")


def test_all_stacks_of_the_suite_have_room_for_a_session_for_each_connection_of_the_load(
    filled: tuple[Stage, Databases],
) -> None:
    _, made = filled
    with made.server.administered() as connection:
        (all_of_them,) = connection.execute("SHOW max_connections").fetchone() or ("0",)
        (limit,) = connection.execute(
            "SELECT datconnlimit FROM pg_database WHERE datname = 'entry_0'"
        ).fetchone() or (0,)
    assert limit == databases.most_sessions(int(all_of_them), len(ENTRIES)) > WORKLOAD.load.at_once
    stacks = len(SUITE.contenders[WORKLOAD.name])
    assert stacks > 20
    assert databases.most_sessions(int(all_of_them), stacks + 1) > WORKLOAD.load.connections


def test_databases_that_cannot_be_made_make_the_race_unavailable(
    running: tuple[Stage, AllRunning, ExitStack], filled: tuple[Stage, Databases]
) -> None:
    with pytest.raises(RaceUnavailableError, match='postgres: role "app" already exists'):
        databases.beside(*running, ENTRIES, "again")


def test_a_database_counts_what_was_asked_of_it_from_the_first_answer_to_the_last_slice(
    filled: tuple[Stage, Databases],
) -> None:
    stage, made = filled

    def ask(entry: str, times: int) -> None:
        with made.connected(made.names[entry], "app") as connection:
            for id_ in range(1, times + 1):
                connection.execute("SELECT id, randomnumber FROM world WHERE id = %s", (id_,))

    def observed(stage: Stage) -> Generator[Observation]:
        ask("node", 2)  # before it counts
        yield Started(race="app-db", block=0, entry="node", first_response_ms=1)
        for turn, times in enumerate((3, 5)):
            ask("node", times)
            ask("go'", 1)
            slice_ = made_slice("app-db", 0, 0, turn, "node", times)
            yield slice_.model_copy(update={"replies_all": times})
        ask("node", 1)  # of a turn of another kind

    *_, ran = statements.counted(stage, made, 0, observed)
    assert isinstance(ran, StatementsRan)
    assert (ran.entry, ran.replies, ran.statements, ran.rows) == ("node", 8, 8, 8)


def test_sessions_that_begin_in_a_slice_or_stay_busy_behind_it_are_counted(
    filled: tuple[Stage, Databases],
) -> None:
    whole, made = filled

    def observed(stage: Stage) -> Generator[Observation]:
        yield Started(race="app-db", block=0, entry="node", first_response_ms=1)
        slices = []
        for warm_up in (True, False):
            began = time.monotonic_ns()
            with made.connected(made.names["node"], "app") as connection:
                connection.execute("BEGIN")
                if not warm_up:
                    stage.settle("node")
                connection.execute("COMMIT")
                stage.settle("node")
                slice_ = made_slice("app-db", 0, 0, 0, "node", 0)
                counted = {"counted_from_ns": began, "counted_until_ns": time.monotonic_ns()}
                slices.append(slice_.model_copy(update={**counted, "warm_up": warm_up}))
                yield slices[-1]
        # One that began before it is counted once, in the slice that it began in.
        yield slices[-1].model_copy(update={"counted_from_ns": time.monotonic_ns()})

    *_, ran = statements.counted(whole, made, 0, observed)
    assert isinstance(ran, StatementsRan)
    assert (ran.sessions_begun, ran.unsettled, ran.deadlocks) == (1, 1, 0)


def test_what_was_written_is_counted_and_held_against_what_requests_said(tmp_path: Path) -> None:
    with only_go("app-updates", tmp_path) as (stage, made):
        asked = json.loads(f"[{stage.drawn[0]['rows']}]")
        assert len({each["id"] for each in asked}) == 20
        values = made.values("go")
        assert all(values[each["id"]] != each["randomNumber"] for each in asked)

        def observed(stage: Stage) -> Generator[Observation]:
            yield Started(race="app-updates", block=0, entry="go", first_response_ms=1)
            with made.connected(made.names["go"], "app") as connection:
                for each in asked:
                    id_, value = each["id"], each["randomNumber"]
                    connection.execute("SELECT id, randomnumber FROM world WHERE id = %s", (id_,))
                    connection.execute("UPDATE world SET randomnumber = %s WHERE id = %s", (value, id_))
            yield made_slice("app-updates", 0, 0, 0, "go", 1).model_copy(update={"replies_all": 1})

        *_, ran = statements.counted(stage, made, 0, observed)
        assert isinstance(ran, StatementsRan)
        assert (ran.per_reply, ran.rows_per_reply, ran.written_per_reply) == (20, 20, 20)
        assert (ran.replies, ran.statements, ran.rows, ran.written) == (1, 20, 20, 20)
        assert ran.unasked == 0
        with made.connected(made.names["go"], "app") as connection:
            connection.execute("UPDATE world SET randomnumber = 0 WHERE id IN (1, 2)")
        assert made.unasked("go") == 2


def test_who_drops_its_table_has_failed_and_nobody_else_has(tmp_path: Path) -> None:
    with only_go("app-updates", tmp_path) as (stage, made):

        def observed(stage: Stage) -> Generator[Observation]:
            yield Started(race="app-updates", block=0, entry="go", first_response_ms=1)
            with made.connected(made.names["go"], "app") as connection:
                connection.execute("DROP TABLE world")
            yield made_slice("app-updates", 0, 0, 0, "go", 1)

        *_, ran = statements.counted(stage, made, 0, observed)
        assert isinstance(ran, Failed)
        assert (ran.entry, ran.wrong_answer) == ("go", True)
        assert ran.reason == 'its database: postgres: relation "world" does not exist'
        with pytest.raises(Wrong, match='its database: postgres: relation "world" does not exist'):
            made.change("go", stage.rows[0])


def test_what_the_services_used_is_known(running: tuple[Stage, AllRunning, ExitStack]) -> None:
    stage, _, _ = running
    assert (stage.services_cpu_ns() or 0) > 0


def test_the_values_of_a_block_are_its_seeds_alone() -> None:
    asked = WORKLOAD.database
    assert asked is not None
    first, same, other = (databases.drawn(asked, random.Random(seed)) for seed in ("a", "a", "b"))
    assert first == same
    assert first != other
    assert [row["id"] for row in first] == [str(id_) for id_ in range(1, 10_001)]
    assert {1 <= int(row["value"]) <= 10_000 for row in first} == {True}


def test_requests_for_several_rows_are_drawn_with_repetition_and_each_row_is_in_the_reply() -> None:
    asked = LOADED["app-queries"].database
    assert asked is not None
    few = databases.drawn(asked, random.Random("a"))[:30]
    drawn = databases.requests(asked, few, random.Random("a"))
    assert len(drawn) == len(few)
    values = {row["id"]: int(row["value"]) for row in few}
    for each in drawn:
        ids = each["ids"].split(",")
        assert json.loads(f"[{each['rows']}]") == [
            {"id": int(id_), "randomNumber": values[id_]} for id_ in ids
        ]
        assert len(ids) == asked.statements
    assert any(len(set(each["ids"].split(","))) < asked.statements for each in drawn)


def test_a_page_is_of_all_rows_and_the_one_that_its_request_adds_by_code_point() -> None:
    asked = LOADED["app-fortunes"].database
    assert asked is not None
    rows = databases.drawn(asked, random.Random("a"))
    values = [row["value"] for row in rows]
    assert len(set(values)) == asked.rows == 200
    for planted in ("<script>", "&amp;", "急がば", '"', "'", "\\"):
        assert any(planted in value for value in values), planted
    drawn = databases.requests(asked, rows, random.Random("b"))
    assert len({each["add"] for each in drawn}) == 100
    for each in drawn:
        said = pages.read(f"<table>{each['rows']}</table>")
        shown = [piece for piece in said if not piece.startswith("<") or piece.startswith("<script>")]
        added = unquote(each["add"])
        assert dict(zip(shown[::2], shown[1::2], strict=True)) == {
            **{row["id"]: row["value"] for row in rows},
            "0": added,
        }
        assert shown[1::2] == sorted([*values, added], key=lambda value: value.encode())
        assert added.endswith("{token}")


def test_texts_reach_the_database_as_they_were_drawn(tmp_path: Path) -> None:
    with only_go("app-fortunes", tmp_path) as (stage, made):
        changed = made.change("go", stage.rows[7])
        made.insert("go", {"id": "201", "value": "one \\ more"})
        with made.connected(made.names["go"], "app") as connection:
            found = dict(connection.execute("SELECT id, message FROM fortune").fetchall())
    assert changed["value"] != stage.rows[7]["value"]
    assert found == {
        **{int(row["id"]): row["value"] for row in stage.rows},
        8: changed["value"],
        201: "one \\ more",
    }


def test_both_workloads_are_of_the_same_database() -> None:
    one, several = WORKLOAD, LOADED["app-queries"]
    assert (
        one.services == several.services == LOADED["app-fortunes"].services == LOADED["app-updates"].services
    )
    assert LOADED["app-cached"].services == one.services
    assert one.database is not None
    assert several.database is not None
    assert one.database.model_dump(exclude={"several"}) == several.database.model_dump(exclude={"several"})


def test_the_engine_draws_from_the_rows_and_holds_each_reply_against_its_own(tmp_path: Path) -> None:
    rows = ({"id": "1", "value": "35"}, {"id": "2", "value": "8"})
    stage = replace(bare(cast(Any, SimpleNamespace(address="127.0.0.1")), tmp_path), drawn=rows)
    target = http.target(stage, Address(port=80))
    assert target["draw"] == "random"
    assert "request" not in target
    assert [(pair["path"], pair["expect"]["body"]) for pair in target["requests"]] == [
        ("/db?id=1", '{"id":1,"randomNumber":35}'),
        ("/db?id=2", '{"id":2,"randomNumber":8}'),
    ]


def test_who_may_keep_rows_is_asked_for_each_of_them_once_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = LOADED["app-cached"]
    assert kept.database is not None
    rows = databases.drawn(kept.database, random.Random("a"))
    drawn = databases.requests(kept.database, rows, random.Random("a"))
    assert len(drawn) == 2000
    asked: list[HttpCase] = []
    monkeypatch.setattr(http_asking, "ask_http", lambda case, *_: asked.append(case))
    at = cast(Any, SimpleNamespace(address="127.0.0.1"))
    stage = replace(bare(at, tmp_path), workload=kept, rows=rows, drawn=drawn)
    assert len(http.target(stage, Address(port=80))["requests"]) == len(drawn)
    lists = [case.path.partition("=")[2].split(",") for case in asked]
    assert [id_ for ids in lists for id_ in ids] == [row["id"] for row in rows]
    assert {len(ids) for ids in lists} == {500}
    assert json.loads(asked[0].body or "")[0] == {"id": 1, "randomNumber": int(rows[0]["value"])}

    def wrong(*_: object) -> None:
        raise OSError("nobody")

    monkeypatch.setattr(http_asking, "ask_http", wrong)
    with pytest.raises(NotServingError, match="asked for all rows: nobody"):
        http.target(stage, Address(port=80))


def test_a_service_that_refuses_root_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    (service,) = WORKLOAD.services
    absent = Service.model_validate(service.model_dump() | {"needs": ("no-such-database",)})
    assert "no-such-database" in (services.missing(this_host(), [absent]) or "")
    root_only = Service.model_validate(service.model_dump() | {"needs": ()})

    def somebody(uid: str) -> None:
        monkeypatch.setattr(ordinary_user, "_printed", lambda _, *argv: uid if argv[0] == "id" else "")

    somebody("0\n")
    assert services.missing(this_host(), [root_only]) == "none of the users postgres, nobody is there"
    somebody("1000\n")
    assert services.missing(this_host(), [root_only]) is None


def test_a_database_on_another_host_lets_in_that_of_the_servers_alone(tmp_path: Path) -> None:
    if (why := services.missing(this_host(), WORKLOAD.services)) is not None:
        pytest.skip(why)
    with (
        LocalHost(address="127.0.0.3") as servers,
        LocalHost(address="127.0.0.2") as far,
        ExitStack() as stack,
    ):
        stage = replace(bare(servers, tmp_path), services_on=far)
        stage, running = services.beside(stage, stack, ["go"])
        stage, made = databases.beside(stage, running, stack, ["go"], "seed")
        assert str(stage.addresses["postgres"]).startswith("127.0.0.2:")
        assert len(held(stage, "go")) == 10_000 and made is not None
        (postgres,) = running.each
        rules = Path(str(postgres.values["data"]), "pg_hba.conf").read_text().splitlines()
        assert rules[-1].split() == ["host", "all", "all", "127.0.0.3/32", "trust"]
        assert postgres.ran(0).host == "127.0.0.2"
        assert postgres.cpus == {cpu for core in far.cores() for cpu in core}
    assert not list(tmp_path.glob("*.data"))
