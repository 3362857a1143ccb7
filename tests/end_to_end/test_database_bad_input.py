"""Servers that do right by a check and wrong under load, in one race beside honest ones: each is a row with
its own reason, and nobody else loses anything by it."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from deadheat.hosts.held import this_host
from deadheat.kinds.services import start as services
from deadheat.suite.suite import load
from tests.made.once import Once

from .bench import Deadheat, Ended, kin
from .test_database_habits import BUILT_IN, contender, honest, like_app_db

SERVER = """\
import http.server, itertools, json, os, signal, sys, threading, time
import psycopg

HABIT, URL = sys.argv[2], os.environ["DATABASE_URL"]
BY_ID = "SELECT id, randomnumber FROM world WHERE id = %s"
# Its first start is for a check of its answers. In all others it shows its habit soon, on a slow machine too.
BEFORE = "started-before"
LOADED = 50 if os.path.exists(BEFORE) else 1_000_000
open(BEFORE, "w").close()
ASKED, KEPT, HELD, MINE = itertools.count(1), {}, [], threading.local()

def session():
    give_up = time.monotonic() + 60
    while not hasattr(MINE, "session"):
        try:
            MINE.session = psycopg.connect(URL, autocommit=True)
        except psycopg.OperationalError:
            # Sessions of this server that were closed are not gone yet.
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)
    return MINE.session

def hold_all_sessions():
    try:
        while len(HELD) < 1000:
            HELD.append(psycopg.connect(URL))
    except psycopg.OperationalError:
        # Some for what it is asked.
        for one in HELD[-20:]:
            one.close()

def deadlock():
    both = threading.Barrier(2)
    def take(first, second):
        with psycopg.connect(URL) as one:
            one.execute("SELECT pg_advisory_xact_lock(%s)", (first,))
            both.wait()
            try:
                one.execute("SELECT pg_advisory_xact_lock(%s)", (second,))
            except psycopg.errors.DeadlockDetected:
                one.rollback()
    for locks in ((1, 2), (2, 1)):
        threading.Thread(target=take, args=locks).start()

def row(id_):
    number = next(ASKED)
    if HABIT == "logs each query":
        print("a query of the row", id_, "." * 500, flush=True)
    if number == LOADED and HABIT == "drops its table":
        session().execute("DROP TABLE world")
    if number % 300 == LOADED and HABIT == "locks in two orders":
        deadlock()
    if number == LOADED and HABIT == "keeps what it read":
        KEPT.update((row[0], row) for row in session().execute("SELECT id, randomnumber FROM world"))
    if number >= LOADED and number % 20 == 0 and HABIT == "refuses some":
        raise RuntimeError
    if HABIT == "asks, and answers what it read first":
        found = session().execute(BY_ID, (id_,)).fetchone()
        return KEPT.setdefault(id_, found) if number >= LOADED else found
    return KEPT.get(id_) or session().execute(BY_ID, (id_,)).fetchone()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        try:
            found = row(int(self.path.partition("=")[2]))
            status = 200 if found else 404
        except (psycopg.Error, RuntimeError):
            status, found = 503, None
        shown = {"id": found[0], "randomNumber": found[1]} if found else {}
        body = json.dumps(shown, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

if HABIT == "opens all sessions that it may":
    hold_all_sessions()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.ThreadingHTTPServer.request_queue_size = 512
http.server.ThreadingHTTPServer((sys.argv[3], int(sys.argv[1])), Handler).serve_forever()
"""
HONEST = "is honest"
# Of each a gate that it breaks, or what is wrong with it when it is asked after its load: who refuses some
# requests may refuse one of those.
AFTER_LOAD = "asked after its load: GET /db[?]id=[0-9]+  "
HABITS = {
    "keeps what it read": f"{AFTER_LOAD}SELECTs, rows: expected 1, 1  its database counted 0, 0",
    "asks, and answers what it read first": f'{AFTER_LOAD}expected body "',
    "refuses some": f"errors|{AFTER_LOAD}expected status 200  got 503",
    "drops its table": f"{AFTER_LOAD}expected status 200  got 503",
    "locks in two orders": "database-sessions",
}
FINE = {
    "one": HONEST,
    "two": HONEST,
    "logs": "logs each query",
    "holds": "opens all sessions that it may",
}


class Race:
    """The race and what it left."""

    def __init__(self, home: Path) -> None:
        rows = home / "suite" / "rows"
        for name, habit in {**FINE, **{named(habit): habit for habit in HABITS}}.items():
            contender(rows / name, habit, server=SERVER)
        like_app_db(rows)
        # Who opens all sessions that it may does so before it listens.
        self.deadheat = Deadheat(home, home / "suite", env={"DEADHEAT_TEST_READY_TIMEOUT_S": "100"})
        self.ended: Ended = self.deadheat.run(
            "race", "rows", "--budget", "15s", "--seed", "7", "--connections", "4"
        )
        self.results = self.deadheat.results()

    def row(self, name: str) -> dict[str, Any]:
        return self.deadheat.row(name, self.results)


def named(habit: str) -> str:
    return habit.replace(", ", "-").replace(" ", "-")


@pytest.fixture(scope="module", autouse=True)
def _postgres() -> None:
    if (why := services.missing(this_host(), load(BUILT_IN).workloads["app-db"].services)) is not None:
        pytest.skip(why)


@pytest.fixture(scope="module")
def race(once: Once) -> Race:
    return once("database-bad-input", Race)


def test_the_others_lose_nothing(race: Race) -> None:
    assert race.ended.code in (0, 4), race.ended.err
    for name in FINE:
        row = race.row(name)
        assert row["status"] == "measured", row["reason"]
        broken = {gate["name"] for gate in row["gates"] if not gate["ok"]}
        assert not broken & {"errors", "database-statements", "database-sessions"}, row["gates"]


@pytest.mark.parametrize("habit", HABITS)
def test_each_is_a_row_with_its_own_reason(race: Race, habit: str) -> None:
    row = race.row(named(habit))
    found = [gate["name"] for gate in row["gates"] if not gate["ok"]] + [row["reason"] or ""]
    assert any(re.match(HABITS[habit], each) for each in found), (row["status"], row["reason"], row["gates"])
    verdicts = {
        one["verdict"]
        for one in race.results["workloads"][0]["verdicts"]
        if named(habit) in (one["a"], one["b"])
    }
    assert verdicts <= {"invalid"}


@pytest.mark.parametrize("last", ["slice", "warmed-up"], ids=["under load", "before another starts"])
def test_a_database_that_dies_costs_its_block_and_no_more(home: Path, tmp_path: Path, last: str) -> None:
    honest(tmp_path / "suite" / "rows", dict.fromkeys(("one", "two"), "{database_url}"))
    deadheat = Deadheat(home, tmp_path / "suite")

    def second_block(journal: list[dict[str, Any]]) -> bool:
        ended = any(line["type"] == "block-ended" for line in journal)
        return ended and journal[-1]["type"] == last

    with deadheat.start("race", "rows", "--budget", "20s", "--seed", "7", "--connections", "4") as started:
        started.until_journal(second_block, f"the second block has a {last}")
        postmaster = next(one for one in kin(started.pid) if one.name.startswith("postgres"))
        os.kill(postmaster.pid, signal.SIGKILL)
        ended = started.end()
    assert ended.code == 4
    assert not {"Traceback", "Warning"} & set(ended.err.replace(":", " ").split())
    whole = sum(line["type"] == "block-ended" for line in deadheat.journal())
    assert f"ended after {whole} of " in ended.out
    # Seen by the referee's own session, or by whoever was in front of it.
    assert re.search(r"which count: postgres(: | died of SIGKILL )", ended.out)
    assert deadheat.row("two")["status"] == "measured"
