"""Every contender sends just the study's commands and reads every reply; a bad server ends it cleanly."""

import json
import socket
import subprocess
from pathlib import Path

import pytest

from deadheat.model.contender import Contender

from ..conftest import Ready
from .contenders import OURS, WORKLOAD, contenders, run
from .digest import digest
from .fake_redis import FakeRedis

CONTENDERS = contenders()
# How long others than ours are watched where the buffers on both sides are full: ours must not wait for ever.
PUBLISHED_LIMIT_S = 15
DEL, SET, GET = (b"DEL", b"foo"), (b"SET", b"foo", b"bar"), (b"GET", b"foo")
INCREMENTS = [(b"INCR", b"foo"), (b"INCRBY", b"foo", b"1")]
ITERATIONS = 300


@pytest.fixture(params=CONTENDERS, ids=lambda contender: contender.id)
def contender(request: pytest.FixtureRequest) -> Contender:
    made: Contender = request.param
    return made


@pytest.fixture
def folder(contender: Contender, ready: Ready) -> Path:
    """Where it was built."""
    found = ready(WORKLOAD, contender.id).folder
    assert found is not None
    return found


def said(ended: subprocess.CompletedProcess[str]) -> dict[str, object]:
    """The one line of a program that ended well."""
    assert (ended.returncode, ended.stdout.count("\n")) == (0, 1), ended.stderr
    line: dict[str, object] = json.loads(ended.stdout)
    assert set(line) == {"wall_ns", "commands", "digest"}
    return line


def study(iterations: int, incr: tuple[bytes, ...]) -> list[tuple[bytes, ...]]:
    """One round."""
    n = iterations
    return [DEL, *[SET] * n, *[GET] * n, DEL, *[incr] * n, DEL, *[GET] * n]


@pytest.mark.parametrize(
    ("arguments", "rounds"),
    [("", 1), ("--rounds 3", 3), ("--pipeline-depth 7", 1), ("--pipeline-depth 1", 1)],
)
def test_reads_every_reply(
    contender: Contender, folder: Path, redis_port: int, arguments: str, rounds: int
) -> None:
    line = said(run(contender, folder, redis_port, f"--iterations {ITERATIONS}", "--verify", arguments))
    assert line["digest"] == digest(ITERATIONS, rounds)
    assert line["commands"] == rounds * (4 * ITERATIONS + 3)


def test_without_verify_there_is_no_digest(contender: Contender, folder: Path, redis_port: int) -> None:
    line = said(run(contender, folder, redis_port, f"--iterations {ITERATIONS}"))
    assert line["digest"] is None
    assert isinstance(line["wall_ns"], int)
    assert line["wall_ns"] > 0


@pytest.mark.parametrize("depth", ["", "--pipeline-depth 50"])
def test_sends_exactly_the_studys_commands(contender: Contender, folder: Path, depth: str) -> None:
    with FakeRedis() as server:
        said(run(contender, folder, server.port, f"--iterations {ITERATIONS}", "--rounds 2", depth))
    assert server.commands in [2 * study(ITERATIONS, incr) for incr in INCREMENTS]


def test_does_not_deadlock_when_both_buffers_are_full(contender: Contender, folder: Path) -> None:
    """The server reads nothing while its replies lie unread. Published libraries that write all before they
    read wait for ever then: which ones do is told (docs/redis-sink.md), and not asked of them."""
    ours = contender.name in OURS
    with FakeRedis(send_buffer_bytes=16 * 1024) as server:
        try:
            limit_s = 300 if ours else PUBLISHED_LIMIT_S
            ended = run(contender, folder, server.port, "--iterations 100000", "--verify", limit_s=limit_s)
        except subprocess.TimeoutExpired:
            if ours:
                raise
            pytest.xfail(f"{contender.id} is not done within {limit_s} s: it waits, or is slow")
    if ended.returncode and not ours:
        pytest.xfail(f"{contender.id} gives up: {ended.stderr.strip()}")
    assert said(ended)["digest"] == digest(100_000)


def fails(contender: Contender, folder: Path, port: int, *arguments: str) -> str:
    """What the program says when it cannot do it: one line."""
    ended = run(contender, folder, port, f"--iterations {ITERATIONS}", *arguments, limit_s=60)
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert "traceback" not in ended.stderr.lower()
    return ended.stderr


def test_says_that_nobody_listens(contender: Contender, folder: Path) -> None:
    with socket.socket() as bound_not_listening:
        bound_not_listening.bind(("127.0.0.1", 0))
        fails(contender, folder, bound_not_listening.getsockname()[1])


def test_says_which_error_the_server_answered(contender: Contender, folder: Path) -> None:
    def refuse(number: int, reply: bytes) -> bytes:
        return b"-OOM command not allowed when used memory > 'maxmemory'.\r\n" if number == 42 else reply

    with FakeRedis(refuse) as server:
        assert "maxmemory" in fails(contender, folder, server.port)


def test_ends_when_the_server_goes_away(contender: Contender, folder: Path) -> None:
    with FakeRedis(lambda number, reply: reply if number < 42 else None) as server:
        fails(contender, folder, server.port)


def test_a_redis_that_knows_no_hello_is_spoken_to_in_resp2_or_refused_in_a_line(
    contender: Contender, folder: Path
) -> None:
    """Redis before 6 has no RESP3."""
    with FakeRedis(hello=False) as server:
        ended = run(contender, folder, server.port, f"--iterations {ITERATIONS}", "--verify", limit_s=60)
    if ended.returncode == 0:
        assert said(ended)["digest"] == digest(ITERATIONS)
        return
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended.stderr
    assert "hello" in ended.stderr.lower() or "unknown command" in ended.stderr.lower()


def test_ends_on_an_unknown_option(contender: Contender, folder: Path, redis_port: int) -> None:
    assert "-colour" in fails(contender, folder, redis_port, "--colour")


def test_ours_refuse_garbage(contender: Contender, folder: Path) -> None:
    if contender.name not in OURS:
        pytest.skip("a published library: what it does with garbage is its own affair")
    with FakeRedis(lambda number, reply: reply if number != 42 else b"HTTP/1.1 400\r\n") as server:
        fails(contender, folder, server.port)
