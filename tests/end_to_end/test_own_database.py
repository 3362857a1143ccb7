"""`--db-url`: a race against somebody's own PostgreSQL says what it cannot know there, and leaves nothing."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deadheat.hosts.ports import Ports
from tests.made.postgres import PASSWORD, QUOTED, Owned, owned

from .bench import Deadheat, Ended
from .test_database_habits import BUILT_IN, honest

BUDGET = ("--budget", "12s", "--seed", "7", "--connections", "4")


@pytest.fixture(scope="module")
def server() -> Iterator[Owned]:
    with owned() as running:
        yield running


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With a workload like app-db and one that has no database, of contenders that are honest."""
    old = "postgres://app@{postgres}/{database}"
    honest(tmp_path / "suite" / "rows", {"one": "{database_url}", "two": "{database_url}", "old": old})
    return Deadheat(home, tmp_path / "suite")


def said(ended: Ended) -> str:
    """All of it in one line."""
    return " ".join((ended.out + ended.err).split())


UNKNOWN = (
    "not metered there: CPU time of its backends, and which CPUs they have",
    "not set there, but as it is: fsync off, synchronous_commit on",
    "not read there: its log of statements",
)


def test_a_race_says_what_is_not_known_there_and_leaves_nothing(server: Owned, deadheat: Deadheat) -> None:
    asked = ("race", "rows", "-c", "two", "--db-url", server.url())
    before = deadheat.run(*asked, *BUDGET, "--dry-run")
    assert before.code == 0, before
    for text in (*UNKNOWN, "it counts statements (pg_stat_statements)"):
        assert text in said(before), text
    assert server.databases() == set()

    raced = deadheat.run(*asked, *BUDGET)

    assert raced.code in (0, 4), raced
    assert server.databases() == set()
    for text in (*UNKNOWN, "the database is somebody's own, PostgreSQL 1"):
        assert text in said(raced), text
    results = deadheat.results()
    (workload,) = results["workloads"]
    assert workload["setting"] == "own database connections=4"
    (finding,) = [one for one in workload["findings"] if one["finding"] == "own-database"]
    assert finding["database"]["address"] == f"127.0.0.1:{server.port}"
    gates = {gate["name"]: gate for row in workload["contenders"] for gate in row["gates"]}
    assert "services-cpu" not in gates
    assert gates["database-statements"]["ok"], gates["database-statements"]
    assert "database-sessions" in gates
    assert not [line for line in deadheat.journal() if line["type"] == "service-ran"]
    for file in (deadheat.runs / "latest").resolve().rglob("*"):
        if file.is_file():
            assert PASSWORD.encode() not in file.read_bytes(), file
            assert QUOTED.encode() not in file.read_bytes(), file
    report = (deadheat.runs / "latest" / "report.md").read_text()
    assert "the database is somebody's own" in report


def test_where_nothing_is_counted_that_gate_is_missing(server: Owned, deadheat: Deadheat) -> None:
    asked = ("race", "rows", "-c", "two", "--db-url", server.url(database="quiet"))
    raced = deadheat.run(*asked, *BUDGET)
    assert raced.code in (0, 4), raced
    assert "so no gate database-statements" in said(raced)
    (workload,) = deadheat.results()["workloads"]
    names = {gate["name"] for row in workload["contenders"] for gate in row["gates"]}
    assert not {"services-cpu", "database-statements"} & names
    assert "database-sessions" in names


def under_load(journal: list[dict[str, object]]) -> bool:
    return any(line["type"] == "slice" for line in journal)


@pytest.mark.parametrize("last", ["slice", "warmed-up"], ids=["under load", "before another starts"])
def test_a_server_that_goes_away_ends_the_race_in_a_sentence(deadheat: Deadheat, last: str) -> None:
    with ExitStack() as there:
        server = there.enter_context(owned())
        asked = ("race", "rows", "-c", "two", "--db-url", server.url(), "--budget", "5m", "--seed", "7")
        with deadheat.start(*asked) as race:
            race.until_journal(lambda journal: [line["type"] for line in journal[-1:]] == [last], last)
            there.close()
            ended = race.end()
    assert "Traceback" not in ended.err
    assert not [line for line in deadheat.journal() if line["type"] == "failed"]
    assert "rows [own database] " in said(ended)
    assert f"postgresql://maker@127.0.0.1:{server.port}/postgres: " in said(ended)
    assert "could not be dropped, which the next race there does" in said(ended)


def test_what_ctrl_c_and_a_kill_leave(server: Owned, deadheat: Deadheat) -> None:
    asked = ("race", "rows", "-c", "two", "--db-url", server.url(), "--budget", "5m", "--seed", "7")

    with deadheat.start(*asked) as race:
        race.until_journal(under_load, "a server is loaded")
        assert server.databases()
        race.signal(signal.SIGINT)
        assert race.end().code == 130
    assert server.databases() == set()

    (deadheat.runs / "latest").unlink()
    with deadheat.start(*asked) as race:
        race.until_journal(under_load, "a server is loaded")
        race.kill()
    left = server.databases()
    assert left

    checked = deadheat.run("check", "one", "--db-url", server.url())
    assert checked.code == 0, checked
    assert "how its SELECTs come is not seen" not in checked.out  # of app-db there is one
    assert server.databases() == set()

    # With its password said again, or found by libpq: the run itself does not keep it.
    no_way_in = deadheat.run("race", "--resume", "latest")
    assert no_way_in.code == 2
    assert "password" in no_way_in.error
    elsewhere = deadheat.run("race", "--resume", "latest", "--db-url", server.url(database="no-such"))
    assert elsewhere.code == 2


def test_a_check_says_what_it_could_not_see(server: Owned, deadheat: Deadheat) -> None:
    quiet = deadheat.run("check", "one", "--db-url", server.url(database="quiet"))
    assert quiet.code == 0, quiet
    assert "its statements are not counted: pg_stat_statements is not there" in quiet.out
    old = deadheat.run("check", "old", "--db-url", server.url())
    assert old.code == 3, old
    assert "its contender.toml does not say {database_url} or {database_jdbc_url}" in old.out
    # On the referee's own it is right as it was.
    assert deadheat.run("check", "old").code == 0


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://maker@127.0.0.1:{free}/postgres", "Connection refused"),
        ("postgresql://maker@198.18.0.1/postgres", "no PostgreSQL of this machine"),
        ("mysql://maker@127.0.0.1/postgres", "--db-url is no URL of a PostgreSQL"),
    ],
)
def test_a_server_that_will_not_do_is_an_error_before_anything_runs(
    deadheat: Deadheat, url: str, says: str
) -> None:
    url = url.format(free=Ports().take())
    for command in (("race", "rows"), ("race", "rows", "--dry-run"), ("check", "one")):
        ended = deadheat.run(*command, "--db-url", url)
        assert ended.code == 2, ended
        assert says in ended.error
        assert "Traceback" not in ended.err
    assert not deadheat.runs.exists()


def test_who_needs_no_database_is_told_so(deadheat: Deadheat, server: Owned) -> None:
    hello = Deadheat(deadheat.home, BUILT_IN)
    ended = hello.run("race", "app-json", "--db-url", server.url())
    assert ended.code == 2
    assert "--db-url is of workloads that have a [database]" in ended.error
    sandboxed = deadheat.run("race", "rows", "--sandbox", "--db-url", server.url())
    assert sandboxed.code == 2
    assert "--db-url" in sandboxed.error
    on_a_cluster = deadheat.run("race", "rows", "--cluster", "127.0.0.1:1", "--db-url", server.url())
    assert on_a_cluster.code == 2
    assert "--db-url: not on several machines" in on_a_cluster.error
