"""Servers in front of a database that do not ask it as they should: refused before any timing."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.app import checking
from deadheat.kinds import conformance
from deadheat.kinds.services import start as services
from deadheat.kinds.services import statements
from deadheat.suite.suite import load

BUILT_IN = Path(__file__).parents[2] / "suite"
SERVER = """\
import http.server, json, os, re, signal, sys
import psycopg

HABIT = sys.argv[2]
BY_ID = "SELECT id, randomnumber FROM world WHERE id = "

LEFT, KEPT = [], {}

def found(connection, id_):
    if HABIT == "keeps" and id_ in KEPT:
        return KEPT[id_]
    for _ in range(2 if HABIT == "asks twice" else 1):
        row = connection.execute(BY_ID + "%s", (id_,)).fetchone()
    KEPT[id_] = row
    return row

def rows(ids):
    connection = psycopg.connect(os.environ["DATABASE_URL"])
    if HABIT == "leaves its transactions open":
        LEFT[:] = [connection]
        return [found(connection, id_) for id_ in ids]
    with connection:
        if HABIT == "sorts":
            ids = sorted(ids)
        if HABIT == "asks once for all":
            together = dict(connection.execute(BY_ID + "ANY(%s)", (ids,)).fetchall())
            return [(id_, together[id_]) if id_ in together else None for id_ in ids]
        if HABIT == "asks once for each of those that repeat":
            once = {id_: found(connection, id_) for id_ in set(ids)}
            return [once[id_] for id_ in ids]
        return [found(connection, id_) for id_ in ids]

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        route, ids = re.fullmatch(r"/(db|queries)\\?ids?=([\\d,]+)", self.path).groups()
        most = 1000 if HABIT == "answers more than the most" else 500
        every = rows([int(id_) for id_ in ids.split(",")[:most]])
        if HABIT == "makes up":
            every = [row or (0, 0) for row in every]
        right = None not in every
        shown = [{"id": row[0], "randomNumber": row[1]} for row in every] if right else [{}]
        body = json.dumps(shown if route == "queries" else shown[0], separators=(",", ":")).encode()
        self.send_response(200 if right else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.ThreadingHTTPServer.request_queue_size = 512
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
CONTENDER = """\
title = "A server that {habit}"
language = "Python"
class = "idiomatic"
run = "{{python}} server.py {{port}} '{habit}'"
env = {{ DATABASE_URL = "postgres://app@{{postgres}}/{{database}}" }}
"""
# What each is found to be, and by which of these.
BODY, COUNTED = 'expected body "', "SELECTs, rows: expected"
HABITS = {
    ("app-db", "is honest"): ("right", [""]),
    ("app-db", "keeps"): ("wrong", [BODY, COUNTED]),
    ("app-db", "makes up"): ("wrong", ["/db?id=10001  expected status 404  got 200"]),
    ("app-db", "asks twice"): ("wrong", [f"{COUNTED} 1, 1  its database counted 2, 2"]),
    ("app-db", "leaves its transactions open"): ("wrong", ["of its database stays idle in transaction"]),
    ("app-queries", "is honest"): ("right", [""]),
    ("app-queries", "keeps"): ("wrong", [BODY, COUNTED]),
    ("app-queries", "makes up"): ("wrong", ["/queries?ids=1,10001,2  expected status 404  got 200"]),
    ("app-queries", "sorts"): ("wrong", [BODY]),
    ("app-queries", "asks once for all"): ("wrong", [f"{COUNTED} 20, 20  its database counted 1, "]),
    ("app-queries", "asks once for each of those that repeat"): ("wrong", [COUNTED]),
    ("app-queries", "answers more than the most"): ("wrong", [BODY]),
}


@pytest.mark.parametrize(("workload", "habit"), HABITS)
def test_only_who_asks_the_database_each_time_is_right(
    workload: str, habit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "IDLE_WITHIN_S", 1.0 if "open" in habit else 60.0)
    monkeypatch.setattr(conformance, "TIMEOUT_S", 60.0)
    built_in = load(BUILT_IN).workloads[workload]
    if (why := services.missing(built_in.services)) is not None:
        pytest.skip(why)
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    text = (BUILT_IN / workload / "workload.toml").read_text()
    own = "".join(line for line in text.splitlines(True) if not line.startswith(("contenders", "reference")))
    folder = tmp_path / "suite" / "rows" / "one"
    folder.mkdir(parents=True)
    (folder.parent / "workload.toml").write_text(own)
    (folder / "contender.toml").write_text(CONTENDER.format(habit=habit))
    (folder / "server.py").write_text(SERVER)

    (found,) = checking.check(load(tmp_path / "suite"), [], lambda _: None)

    state, says = HABITS[workload, habit]
    assert found.state == state, f"{found.detail}\n{found.exchange}"
    assert any(each in found.detail for each in says), found.detail
