"""Servers in front of a database that do not ask it as they should: refused before any timing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from deadheat.app import checking
from deadheat.hosts.held import this_host
from deadheat.kinds import http_asking, row_cases
from deadheat.kinds.services import start as services
from deadheat.kinds.services import statements
from deadheat.suite.suite import load

BUILT_IN = Path(__file__).parents[2] / "suite"
SERVER = """\
import html, http.server, json, os, pickle, re, signal, sys, threading, time
from email.utils import formatdate
from urllib.parse import unquote
import psycopg

HABIT = sys.argv[2]
BY_ID = "SELECT id, randomnumber FROM world WHERE id = "

LEFT, KEPT = [], {}
CHANGE = "UPDATE world SET randomnumber = %s WHERE id = %s"
READ_ONE = BY_ID + "%s"
WAITING = []

def write(connection, changed):
    for id_, value in changed:
        connection.execute(CHANGE, (value, id_))

def updated(asked):
    pairs = [(each["id"], each["randomNumber"]) for each in asked]
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        if HABIT != "reads nothing":
            ids = [id_ for id_, _ in pairs]
            if HABIT == "reads each row that repeats once":
                ids = set(ids)
            if not all([connection.execute(READ_ONE, (id_,)).fetchone() for id_ in ids]):
                return False
        elif any(id_ > 10_000 for id_, _ in pairs):
            return False
        if HABIT == "has its writes wait for the next request":
            write(connection, WAITING)
            WAITING[:] = sorted(pairs)
        elif HABIT == "skips a write":
            write(connection, sorted(pairs)[1:])
        elif HABIT == "writes one value for all":
            write(connection, sorted((id_, pairs[0][1]) for id_, _ in pairs))
        elif HABIT == "writes in the order that it was asked in":
            write(connection, pairs)
        elif HABIT != "writes nothing":
            write(connection, sorted(pairs, key=lambda pair: pair[0]))
    if HABIT == "writes twice":
        with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
            write(connection, sorted(pairs, key=lambda pair: pair[0]))
    return True

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
        if HABIT == "asks with one Sync for all":
            connection.autocommit = True
            with connection.pipeline():
                cursors = [connection.execute(READ_ONE, (id_,)) for id_ in ids]
                return [cursor.fetchone() for cursor in cursors]
        if HABIT == "asks once for each of those that repeat":
            once = {id_: found(connection, id_) for id_ in set(ids)}
            return [once[id_] for id_ in ids]
        return [found(connection, id_) for id_ in ids]

CACHED_BY_ID = "SELECT id, randomnumber FROM cached_world WHERE id = %s"
EVERY_CACHED = "SELECT id, randomnumber FROM cached_world"
CACHE, ALONE = {}, threading.Lock()
LAST = "last-start.pickle"
if HABIT == "keeps what it read at another start" and os.path.exists(LAST):
    with open(LAST, "rb") as last:
        CACHE.update(pickle.load(last))

def read_all(connection):
    if HABIT == "reads all of it by another statement":
        return connection.execute("TABLE cached_world").fetchall()
    if HABIT == "reads all of it where nobody sees it":
        connection.execute("DECLARE every CURSOR FOR " + EVERY_CACHED)
        return connection.execute("FETCH ALL FROM every").fetchall()
    return connection.execute(EVERY_CACHED).fetchall()

def cached(ids):
    if HABIT == "says what it was told once":
        return [(id_, 7) if id_ <= 10_000 else None for id_ in ids]
    with ALONE, psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        if HABIT.startswith("reads all of it") and not CACHE:
            CACHE.update((row[0], row) for row in read_all(connection))
        for id_ in ids:
            if id_ not in CACHE or HABIT == "keeps nothing":
                row = connection.execute(CACHED_BY_ID, (id_,)).fetchone()
                if row is None and HABIT == "makes up":
                    row = (id_, 1)
                if row is not None:
                    CACHE[id_] = row
        found = [CACHE.get(id_) for id_ in ids]
        while HABIT == "keeps a few" and len(CACHE) > 50:
            CACHE.pop(next(iter(CACHE)))
    if HABIT == "keeps what it read at another start":
        with open(LAST, "wb") as last:
            pickle.dump(CACHE, last)
    return found

DATE = formatdate(usegmt=True)
EVERY = "SELECT id, message FROM fortune"
HEAD = "<!doctype html>\\n<html><head><title>Fortunes</title></head><body><table>"
TOP = "<tr><th>id</th><th>message</th></tr>"

def fortunes():
    if HABIT == "keeps" and EVERY in KEPT:
        return KEPT[EVERY]
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        if HABIT == "reads row by row":
            ids = connection.execute("SELECT id FROM fortune").fetchall()
            return [connection.execute(EVERY + " WHERE id = %s", id_).fetchone() for id_ in ids]
        order = " ORDER BY message" if HABIT == "has its database sort" else ""
        found = connection.execute(EVERY + order).fetchall()
        if HABIT == "asks, and shows what it kept":
            return KEPT.setdefault(EVERY, found)
        KEPT[EVERY] = found
        return found

def written(place, message):
    text = message.replace("'", "&#x27;") if HABIT == "leaves scripts alone" else html.escape(message)
    if HABIT == "escapes all but what looks escaped":
        text = text.replace("&amp;amp;", "&amp;")
    if HABIT == "escapes one row of them twice" and place == 100:
        text = html.escape(text)
    if HABIT == "writes a quote in two ways" and place % 2:
        text = text.replace("&quot;", "&#34;")
    return text

def page(added):
    every = [*fortunes(), (0, added)]
    if HABIT == "leaves out what was added":
        every.pop()
    if HABIT == "sorts as people do":
        every.sort(key=lambda row: row[1].casefold())
    elif HABIT != "does not sort":
        every.sort(key=lambda row: row[1])
    between = "<!-- -->" if HABIT == "says more" else ""
    rows = []
    for place, (id_, message) in enumerate(every):
        indent = " " * (place % 2) if HABIT == "writes rows as it likes" else "  "
        rows.append(f"\\n{indent}<tr>\\n<td>{id_}</td> <td> {written(place, message)} </td></tr>{between}")
    return (HEAD + TOP + "".join(rows) + "\\n</table></body></html>\\n").encode()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A reply of two writes waits up to 40 ms in between, until its first was acknowledged.
    wbufsize = -1

    def do_GET(self):
        if self.path.startswith("/fortunes?add="):
            media = "text/html" if HABIT == "says no charset" else "text/html; charset=UTF-8"
            self.answer(200, media, page(unquote(self.path.partition("=")[2])))
            return
        route, ids = re.fullmatch(r"/(db|queries|cached)\\?ids?=([\\d,]+)", self.path).groups()
        most = 1000 if HABIT == "answers more than the most" else 500
        asked = [int(id_) for id_ in ids.split(",")[:most]]
        every = cached(asked) if route == "cached" else rows(asked)
        if HABIT == "makes up":
            every = [row or (0, 0) for row in every]
        right = None not in every
        shown = [{"id": row[0], "randomNumber": row[1]} for row in every] if right else [{}]
        body = json.dumps(shown if route != "db" else shown[0], separators=(",", ":")).encode()
        self.answer(200 if right else 404, "application/json", body)

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200 if updated(json.loads(sent)) else 404, "application/json", sent)

    def date_time_string(self, timestamp=None):
        if HABIT == "has its date from its start":
            return DATE
        if HABIT == "makes up its date":
            return str(time.time())
        return super().date_time_string(timestamp)

    def send_header(self, name, value):
        if (HABIT, name) not in (("says not who it is", "Server"), ("says no date", "Date")):
            super().send_header(name, value)

    def answer(self, status, media, body):
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.ThreadingHTTPServer.request_queue_size = 512
http.server.ThreadingHTTPServer((sys.argv[3], int(sys.argv[1])), Handler).serve_forever()
"""
CONTENDER = """\
title = "A server that {habit}"
language = "Python"
class = "idiomatic"
run = "{{python}} server.py {{port}} '{habit}' {{host}}"
env = {{ DATABASE_URL = "{url}" }}
default = true
"""


def contender(folder: Path, habit: str, url: str = "{database_url}", server: str = SERVER) -> None:
    """Written into a folder: a server of this habit, which is told its database by `url`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "server.py").write_text(server)
    (folder / "contender.toml").write_text(CONTENDER.format(habit=habit, url=url))


def honest(rows: Path, urls: Mapping[str, str]) -> None:
    """Written into a folder: a workload like app-db, of honest contenders; the reference is `one`."""
    for name, url in urls.items():
        contender(rows / name, "is honest", url)
    like_app_db(rows)


def like_app_db(rows: Path) -> None:
    """Written into a folder: the workload, of the contenders that are in it; the reference is `one`."""
    text = (BUILT_IN / "app-db" / "workload.toml").read_text().replace('"go-net-http-pgx"', '"one"')
    own = "".join(line for line in text.splitlines(True) if not line.startswith("contenders"))
    (rows / "workload.toml").write_text(own)


# What each is found to be, and by which of these.
HELD, WRITTEN = "after the reply the row ", "SELECTs, rows, rows written: expected"
PAGE = "expected in the page "
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
    ("app-queries", "asks with one Sync for all"): ("wrong", ["of its 20 SELECTs share one Sync"]),
    ("app-queries", "asks once for each of those that repeat"): ("wrong", [COUNTED]),
    ("app-queries", "answers more than the most"): ("wrong", [BODY]),
    ("app-db", "has its date from its start"): ("wrong", ["its Date is "]),
    ("app-db", "makes up its date"): ("wrong", ["expected a Date of HTTP  got 1"]),
    ("app-db", "says no date"): ("wrong", ["expected a header Date  got none"]),
    ("app-db", "says not who it is"): ("wrong", ["expected a header Server  got none"]),
    ("app-updates", "is honest"): ("right", [""]),
    ("app-updates", "reads nothing"): ("wrong", [f"{WRITTEN} 20, 20, 20  its database counted 0, 0, 20"]),
    ("app-updates", "reads each row that repeats once"): (
        "wrong",
        [f"{WRITTEN} 2, 2, 1  its database counted 1"],
    ),
    ("app-updates", "writes nothing"): ("wrong", [HELD]),
    ("app-updates", "skips a write"): ("wrong", [HELD]),
    ("app-updates", "writes one value for all"): ("wrong", [HELD]),
    ("app-updates", "has its writes wait for the next request"): ("wrong", [HELD]),
    ("app-updates", "writes twice"): ("wrong", [f"{WRITTEN} 20, 20, 20  its database counted 20, 20, 40"]),
    ("app-updates", "writes in the order that it was asked in"): (
        "wrong",
        ["it locks its rows in the order"],
    ),
    ("app-cached", "is honest"): ("right", [""]),
    ("app-cached", "reads all of it at first"): ("right", [""]),
    ("app-cached", "reads all of it by another statement"): ("right", [""]),
    ("app-cached", "reads all of it where nobody sees it"): ("wrong", ["its database counted no row"]),
    ("app-cached", "says what it was told once"): ("wrong", [BODY]),
    ("app-cached", "keeps nothing"): ("wrong", ["rows read: expected at most 10000, each once"]),
    ("app-cached", "keeps a few"): ("wrong", ["rows again that it had been asked for before", "rows read: "]),
    ("app-cached", "makes up"): ("wrong", ["/cached?ids=1,10001,2  expected status 404  got 200"]),
    ("app-cached", "answers more than the most"): ("wrong", [BODY]),
    ("app-fortunes", "is honest"): ("right", [""]),
    ("app-fortunes", "keeps"): ("wrong", [PAGE, COUNTED]),
    ("app-fortunes", "asks, and shows what it kept"): ("wrong", [PAGE]),
    ("app-fortunes", "reads row by row"): ("wrong", [f"{COUNTED} 1, 200  its database counted 201, 400"]),
    ("app-fortunes", "has its database sort"): ("wrong", ["it has its database sort the rows"]),
    ("app-fortunes", "leaves scripts alone"): ("wrong", [PAGE]),
    ("app-fortunes", "escapes all but what looks escaped"): ("wrong", [PAGE]),
    ("app-fortunes", "escapes one row of them twice"): ("wrong", [PAGE]),
    ("app-fortunes", "writes a quote in two ways"): ("wrong", ['it writes " as ']),
    ("app-fortunes", "leaves out what was added"): ("wrong", [PAGE]),
    ("app-fortunes", "does not sort"): ("wrong", [PAGE]),
    ("app-fortunes", "sorts as people do"): ("wrong", [PAGE]),
    ("app-fortunes", "says more"): ("wrong", [PAGE]),
    ("app-fortunes", "writes rows as it likes"): ("wrong", ["the rows of its page are not made alike"]),
    ("app-fortunes", "says no charset"): ("wrong", ["expected charset=utf-8 in Content-Type  got text/html"]),
}


@pytest.mark.parametrize(("workload", "habit"), HABITS)
def test_only_who_asks_the_database_each_time_is_right(
    workload: str, habit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _checked(workload, habit, tmp_path, monkeypatch)

    state, says = HABITS[workload, habit]
    assert found.state == state, f"{found.detail}\n{found.exchange}"
    assert any(each in found.detail for each in says), found.detail


def test_what_was_kept_is_of_no_use_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    habit = "keeps what it read at another start"
    assert _checked("app-cached", habit, tmp_path, monkeypatch).state == "right"
    again = _checked("app-cached", habit, tmp_path, monkeypatch)
    assert again.state == "wrong"
    assert BODY in again.detail


def _checked(
    workload: str, habit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> checking.CheckedContender:
    """Alone in a workload like that of the suite."""
    monkeypatch.setattr(statements, "IDLE_WITHIN_S", 1.0 if "open" in habit else 60.0)
    monkeypatch.setattr(http_asking, "TIMEOUT_S", 60.0)
    monkeypatch.setattr(http_asking, "DATE_MOVES_WITHIN_S", 2.0 if "its start" in habit else 60.0)
    monkeypatch.setattr(row_cases, "WAITS_WITHIN_S", 60.0)
    built_in = load(BUILT_IN).workloads[workload]
    if (why := services.missing(this_host(), built_in.services)) is not None:
        pytest.skip(why)
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    text = (BUILT_IN / workload / "workload.toml").read_text()
    own = "".join(line for line in text.splitlines(True) if not line.startswith(("contenders", "reference")))
    folder = tmp_path / "suite" / "rows" / "one"
    contender(folder, habit)
    (folder.parent / "workload.toml").write_text(own)

    (found,) = checking.check(load(tmp_path / "suite"), [], lambda _: None)
    return found
