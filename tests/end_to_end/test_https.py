"""`race --tls` and `--http2`: who serves it is raced over it, who does not is a row that says so."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deadheat.hosts.local import LocalHost
from deadheat.kinds import certificate
from tests.made.once import Once

from .bench import Deadheat, Ended, SuiteFolder, hello
from .test_cold import COLD

CERTIFICATE = "certificate.pem"
SERVER = """\
import http.server, os, signal, ssl, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"Hello from {self.path[1:]}!".encode()
        self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
if len(sys.argv) > 2:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*sys.argv[2:4])
    context.set_alpn_protocols(sys.argv[4:] or ["http/1.1"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""
RUN = "{python} -S -E server.py {port}"
BUILT_IN = Path(__file__).parents[2] / "suite"


def serving(
    suite: SuiteFolder, name: str, protocols: dict[str, str], files: dict[str, str] | None = None
) -> None:
    """A contender with a run line for each protocol that it says it speaks."""
    sources = {"server.py": SERVER, **(files or {})}
    folder = suite.contender("hello", name, RUN, files=sources)
    with (folder / "contender.toml").open("a") as manifest:
        for protocol, run in protocols.items():
            manifest.write(f"[protocols.{protocol}]\nrun = {json.dumps(run)}\n")


class Menagerie:
    """A race over TLS and what it left."""

    def __init__(self, home: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl not found: apt-get install openssl")
        suite = hello(home / "suite", ["undeclared"])
        shutil.rmtree(home / "suite" / "hello" / "good")
        certified = f"{RUN} {{tls_cert}} {{tls_key}}"
        serving(suite, "good", {"https": certified, "h2": certified})
        serving(suite, "other", {"https": certified})
        # It has its certificate, and does not use it.
        serving(suite, "in-the-clear", {"https": f"sh -c 'exec {RUN}' {{tls_cert}} {{tls_key}}"})
        own = home / "own"
        own.mkdir()
        with LocalHost() as host:
            certificate.make(host, own / CERTIFICATE, own / "key.pem")
        serving(
            suite,
            "stranger",
            {"https": f"sh -c 'exec {RUN} {CERTIFICATE} key.pem' {{tls_cert}} {{tls_key}}"},
            {name: (own / name).read_text() for name in (CERTIFICATE, "key.pem")},
        )
        self.deadheat = Deadheat(home, suite.path)
        self.ended: Ended = self.deadheat.run("race", "--tls", "--budget", "10s", "--seed", "1")
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)


@pytest.fixture(scope="module")
def race(once: Once) -> Menagerie:
    return once("https", Menagerie)


@pytest.mark.parametrize("contender", ["good", "other"])
def test_who_serves_it_is_measured_with_handshakes_apart(race: Menagerie, contender: str) -> None:
    row = race.row(contender)
    assert row["status"] == "measured", race.ended
    assert row["throughput_rps"]["estimate"] > 0
    shook = row["handshakes"]
    starts = [
        line
        for line in race.deadheat.journal()
        if line.get("type") == "started" and line.get("entry") == contender
    ]
    # Of the blocks that count.
    assert 0 < shook["before"] <= 8 * len(starts) and shook["before"] % 8 == 0
    assert shook["in_slices"] == 0
    assert shook["cpu_us"] > 0
    assert shook["agreed"].startswith("TLSv1.")
    assert all(line["opening_cpu_ns"] > 0 for line in starts)


@pytest.mark.parametrize(
    ("contender", "status", "words"),
    [
        ("undeclared", "unavailable", "does not serve HTTPS (its contender.toml has no protocols.https)"),
        ("in-the-clear", "failed", "no TLS: "),
        ("stranger", "failed", "certificate"),
    ],
)
def test_who_does_not_is_a_row_that_says_so(race: Menagerie, contender: str, status: str, words: str) -> None:
    row = race.row(contender)
    assert (row["status"], words in row["reason"]) == (status, True), row


def test_the_setting_is_told_everywhere(race: Menagerie) -> None:
    assert race.results["workloads"][0]["setting"] == "tls"
    assert race.results["workloads"][0]["measured"]["protocol"] == "https"
    assert "hello [tls] · requests/s, 8 connections" in race.ended.out
    assert "CPU a handshake, in no figure above: " in " ".join(race.ended.out.split())
    run = race.deadheat.runs / "latest"
    for report, name in (("report.md", r"hello \[tls\]"), ("report.html", "hello [tls]")):
        text = (run / report).read_text()
        assert name in text and "handshakes before" in text
    assert race.ended.code in (0, 4)
    assert "Traceback" not in race.ended.err


def test_no_key_is_left(race: Menagerie) -> None:
    kept = [path for path in (race.deadheat.runs / "latest").resolve().rglob("*") if path.suffix == ".pem"]
    assert kept == []


@pytest.fixture
def alone(race: Menagerie, tmp_path: Path) -> Deadheat:
    """On the same suite, with a lock of its own: other workers of pytest look at the same race."""
    return replace(race.deadheat, env={"DEADHEAT_LOCK": str(tmp_path / "lock")})


def test_a_server_without_http2_is_told_by_alpn(alone: Deadheat) -> None:
    ended = alone.run("check", "good", "--tls", "--http2")
    assert ended.code == 3
    assert "no HTTP/2 over TLS: it agreed on nothing by ALPN, where h2 was offered" in ended.out


def test_check_says_what_was_agreed_on(alone: Deadheat) -> None:
    ended = alone.run("check", "good", "undeclared", "--tls")
    assert ended.code == 0, ended
    right, unavailable = ended.out.splitlines()
    assert right.startswith("right") and "cases; TLSv1." in right
    assert unavailable.startswith("unavailable") and "does not serve HTTPS" in unavailable


def test_from_their_start_on_handshakes_are_a_part_of_it(home: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")
    suite = hello(home / "suite")
    (suite.path / "hello" / "workload.toml").write_text(COLD)
    shutil.rmtree(suite.path / "hello" / "good")
    for name in ("good", "other"):
        serving(suite, name, {"https": f"{RUN} {{tls_cert}} {{tls_key}}"})
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--tls", "--budget", "15s", "--seed", "1")
    assert "Traceback" not in ended.err, ended
    for name in ("good", "other"):
        row = deadheat.row(name)
        assert (row["status"], row["handshakes"]) == ("measured", None), row
    result = deadheat.results()["workloads"][0]
    assert (result["setting"], result["measured"]["protocol"]) == ("tls", "https")


@pytest.mark.parametrize(
    ("options", "setting"), [(("--http2",), "http2"), (("--tls", "--http2"), "tls http2")], ids=["h2c", "h2"]
)
def test_real_servers_over_http2(home: Path, options: tuple[str, ...], setting: str) -> None:
    for program in ("go", "node", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} not found")
    deadheat = Deadheat(home, BUILT_IN)
    named = ("-c", "node-http", "-c", "ceiling")
    ended = deadheat.run(
        "race", "http-hello", *options, *named, "--streams", "4", "--budget", "12s", "--seed", "1"
    )
    assert ended.code in (0, 4), ended
    for contender in ("go-net-http", "node-http"):
        row = deadheat.row(contender)
        assert row["status"] == "measured", row
        assert all(gate["ok"] for gate in row["gates"] if gate["name"] in ("errors", "right-answers"))
        assert (row["handshakes"] is not None) is ("--tls" in options)
    ceiling = deadheat.row("ceiling")
    assert ceiling["status"] == "unavailable" and ceiling["reason"].startswith("does not serve HTTP/2 ")
    assert f"http-hello [{setting} streams=4] · requests/s, 64 connections of 4 streams" in ended.out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("fib", "--tls"), "--tls and --http2 are for HTTP servers, and fib is of kind program"),
        (("--claims", "fiber-docs", "--tls"), "--tls and --http2 are of our own method"),
        (("--method", "as-published", "http-hello", "--http2"), "--tls and --http2 are of our own method"),
    ],
)
def test_what_cannot_be_raced_over_it(home: Path, words: tuple[str, ...], why: str) -> None:
    ended = Deadheat(home, BUILT_IN).run("race", *words, "--dry-run")
    assert ended.code == 2
    assert why in ended.error


def test_commands_without_a_suite_do_not_say_how(home: Path) -> None:
    deadheat = Deadheat(home, home / "no-suite")
    ended = deadheat.run("race", "--command", "./a {port}", "--command", "./b {port}", "--tls")
    assert ended.code == 2
    assert "--tls and --http2 are of contenders of a suite" in ended.error
