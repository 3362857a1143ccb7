"""Services beside commands that no suite knows: one for each, filled alike, fresh in each block."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.made.repository import ENVIRONMENT, Made, made

from .bench import Deadheat

BUDGET = ("--budget", "8s", "--seed", "7")
HTTP = """\
import http.server, os, signal, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = answer().encode()
        head = f"HTTP/1.1 200 OK\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n".encode()
        self.wfile.write(head + body)

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
"""
SERVE = "Server(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()\n"
# Its answer is right only where nobody else was there before it: each start counts itself.
COUNTS_ITSELF = (
    HTTP
    + """
import socket

def redis(*words):
    with socket.create_connection((os.environ["REDIS_HOST"], int(os.environ["REDIS_PORT"]))) as connection:
        connection.sendall(" ".join(words).encode() + b"\\r\\n")
        with connection.makefile("rb") as lines:
            line = lines.readline().decode().strip()
            return lines.readline().decode().strip() if line.startswith("$") else line

assert os.environ["REDIS_URL"] == f"redis://{sys.argv[1]}/0"
started = redis("INCR", "starts")

def answer():
    return redis("GET", "name") + started

"""
    + SERVE
)
READS_A_ROW = (
    HTTP
    + """
import psycopg

connection, alone = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True), threading.Lock()

def answer():
    with alone:
        (name,) = connection.execute("SELECT name FROM item").fetchone()
    sum(range({work}))
    return name

"""
    + SERVE
)
SCHEMA = "CREATE TABLE item (name text);\nINSERT INTO item VALUES ('one');\n"
BENCH = f"""\
run = "{sys.executable} app.py"
connections = 4

[[request]]
path = "/"

"""
POSTGRES = BENCH + '[[services]]\nname = "postgres"\nfixture = "psql -q -v ON_ERROR_STOP=1 -f schema.sql"\n'
UPSTREAM = BENCH + (
    f'[[services]]\nname = "upstream"\nrun = "{sys.executable} upstream.py {{port}}"\n'
    'fixture = "touch {upstream_port}.port"\n'
)
ASKS_UPSTREAM = (
    HTTP
    + """
import urllib.request

def answer():
    return urllib.request.urlopen(f"http://{os.environ['UPSTREAM']}/").read().decode()

"""
    + SERVE
)


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With no suite anywhere."""
    return Deadheat(home, home / "no-suite", cwd=tmp_path)


def repository(folder: Path, files: dict[str, str]) -> Made:
    return made(folder / "mine", {".gitignore": "*.port\n", **files})


def inside(deadheat: Deadheat, mine: Made) -> Deadheat:
    """It, in the folder of that repository."""
    deadheat.cwd, deadheat.env, deadheat.names_suite = mine.path, {**ENVIRONMENT}, False
    return deadheat


def test_each_command_has_a_redis_of_its_own(deadheat: Deadheat, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(COUNTS_ITSELF)
    line = f"{sys.executable} app.py {{redis}}"
    filled = ("--service", "redis", "--fixture", 'redis-cli -p "$REDIS_PORT" SET name one')
    ended = deadheat.run("race", "--command", line, "--command", line, "-n", "a", "-n", "b", *filled, *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("a")["status"] == deadheat.row("b")["status"] == "measured"
    ran = [line for line in deadheat.journal() if line["type"] == "service-ran" and line["block"] == 0]
    assert len({line["entry"] for line in ran}) == len(ran) == 3  # the null pair's too
    assert not list((deadheat.runs / "latest").glob("**/*.data"))


def test_programs_beside_a_redis(deadheat: Deadheat) -> None:
    line = "redis-cli -h {redis_host} -p {redis_port} GET name"
    filled = ("--service", "redis", "--fixture", "redis-cli -p {redis_port} SET name one")
    ended = deadheat.run("race", "--program", line, "--program", line, "-n", "a", "-n", "b", *filled, *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("b")["status"] == "measured"
    [expected] = (deadheat.home / "cache" / "ad-hoc").glob("*/ad-hoc/expected.txt")
    assert expected.read_text() == "one\n"


def test_two_revisions_beside_a_postgres(deadheat: Deadheat, tmp_path: Path) -> None:
    slow, quick = (READS_A_ROW.replace("{work}", str(work)) for work in (30_000, 1))
    mine = repository(tmp_path, {"app.py": slow, "schema.sql": SCHEMA, "bench/deadheat.toml": POSTGRES})
    mine.write({"app.py": quick})
    inside(deadheat, mine)
    judged = ("--metric", "cpu", "--budget", "20s", "--seed", "7", "--fail-if", "cpu > 5%")
    ended = deadheat.run("ab", "HEAD", *judged)
    assert ended.code == 0, ended
    assert deadheat.less_cpu(), ended


def test_a_fixture_that_fails_is_one_line(deadheat: Deadheat, tmp_path: Path) -> None:
    mine = repository(
        tmp_path,
        {"app.py": READS_A_ROW, "schema.sql": "CREATE TABEL item;", "bench/deadheat.toml": POSTGRES},
    )
    ended = inside(deadheat, mine).run("check")
    assert ended.code == 3, ended
    assert ended.error.startswith("error: postgres: its fixture: sh exited with status 3 ")
    assert 'syntax error at or near "TABEL"' in ended.error


def test_a_service_of_ones_own(deadheat: Deadheat, tmp_path: Path) -> None:
    upstream = HTTP + "def answer():\n    return 'from above'\n" + SERVE
    mine = repository(
        tmp_path, {"app.py": ASKS_UPSTREAM, "upstream.py": upstream, "bench/deadheat.toml": UPSTREAM}
    )
    ended = inside(deadheat, mine).run("check")
    assert ended.code == 0, ended
    assert "right" in ended.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--service", "mysql"), 'no service "mysql" is known: postgres, redis, valkey'),
        (("--service", "redis", "--service", "redis"), "--service redis is given twice"),
        (("--fixture", "true"), "--fixture fills one --service"),
        (("--service", "redis", "-L", "redis=1,2"), '"redis" is no name for a parameter'),
    ],
)
def test_what_cannot_be_beside_is_one_line(deadheat: Deadheat, words: tuple[str, ...], said: str) -> None:
    ended = deadheat.run("race", "--program", "true", "--program", "true {redis}", *words, *BUDGET)
    assert ended.code == 2, ended
    assert said in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('name = "mysql"', 'no service "mysql" is known: say how it is run (known: postgres, redis, valkey)'),
        ('name = "redis"\nneeds = ["redis-server"]', "redis is known: env, needs and ready are of a service"),
        ('name = "redis"\n[[services]]\nname = "redis"', 'two services are called "redis"'),
    ],
)
def test_a_bench_file_with_services_that_are_none(
    deadheat: Deadheat, tmp_path: Path, table: str, said: str
) -> None:
    mine = repository(tmp_path, {"bench/deadheat.toml": f"{BENCH}[[services]]\n{table}\n"})
    ended = inside(deadheat, mine).run("check")
    assert ended.code == 2, ended
    assert said in ended.err
