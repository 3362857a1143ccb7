"""Servers in front of a database that do not ask it as they should: refused before any timing."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.app import checking
from deadheat.kinds.services import start as services
from deadheat.suite.suite import load

BUILT_IN = Path(__file__).parents[2] / "suite"
SERVER = """\
import functools, http.server, json, os, re, signal, sys
import psycopg

def asked(id_):
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        return connection.execute("SELECT id, randomnumber FROM world WHERE id = %s", (id_,)).fetchone()

HABIT = sys.argv[2]
found = functools.cache(asked) if HABIT == "keeps" else asked

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        row = found(int(re.fullmatch(r"/db\\?id=(\\d+)", self.path)[1]))
        if row is None and HABIT == "makes up":
            row = (0, 0)
        told = {"id": row[0], "randomNumber": row[1]} if row else {}
        body = json.dumps(told, separators=(",", ":")).encode()
        self.send_response(200 if row else 404)
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
HABITS = {
    "is honest": ("right", ""),
    "keeps": ("wrong", 'expected body "{"id":'),
    "makes up": ("wrong", "/db?id=10001  expected status 404  got 200"),
}


@pytest.mark.parametrize("habit", HABITS)
def test_only_who_asks_the_database_each_time_is_right(
    habit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_in = load(BUILT_IN).workloads["app-db"]
    if (why := services.missing(built_in.services)) is not None:
        pytest.skip(why)
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    text = (BUILT_IN / "app-db" / "workload.toml").read_text()
    own = "".join(line for line in text.splitlines(True) if not line.startswith(("contenders", "reference")))
    folder = tmp_path / "suite" / "rows" / "one"
    folder.mkdir(parents=True)
    (folder.parent / "workload.toml").write_text(own)
    (folder / "contender.toml").write_text(CONTENDER.format(habit=habit))
    (folder / "server.py").write_text(SERVER)

    (found,) = checking.check(load(tmp_path / "suite"), [], lambda _: None)

    state, says = HABITS[habit]
    assert found.state == state, f"{found.detail}\n{found.exchange}"
    assert says in found.detail
