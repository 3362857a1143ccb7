"""What a server of Redis' protocol answers, of a real one and of one that says what a test wants."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from deadheat.kinds import redis_asking
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.model.work.redis import RedisWork

COMMANDS = (("SET", "key:{token}", "é {token}"), ("GET", "key:{token}"), ("LRANGE", "none", "0", "-1"))


def work(expect: Any = None) -> RedisWork:
    return RedisWork.model_validate({"commands": COMMANDS, "expect": expect})


@pytest.fixture(scope="module")
def redis() -> Iterator[Address]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is missing: apt-get install redis-server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as server:
        at = Address(host="127.0.0.1", port=port)
        try:
            for _ in range(200):
                try:
                    redis_asking.Connection(at).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield at
        finally:
            server.terminate()


@pytest.mark.parametrize("times", [1, 100])
def test_right_replies_of_a_real_redis(redis: Address, times: int) -> None:
    with redis_asking.connected(redis) as connection:
        redis_asking.answered(work(["OK", "é {token}", []]), connection, "7f3a", times=times)
        redis_asking.answered(work(), connection, "7f3b", times=times)


def test_a_reply_that_is_another_is_named(redis: Address) -> None:
    with redis_asking.connected(redis) as connection, pytest.raises(Wrong) as raised:
        redis_asking.answered(work(["OK", "other", []]), connection, "x")
    assert raised.value.reason == 'GET key:x  expected "other"  got "é x"'


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (b"$-1\r\n", "expected 0  got nil"),
        (b":7\r\n", "expected 0  got 7"),
        (b"$1\r\n0\r\n", 'expected 0  got "0"'),
        (b"-ERR no such thing\r\n", "PING  ERR no such thing"),
        (b"hello\r\n", "no reply of Redis' protocol"),
        (b"$2\r\n\xff\xfe\r\n", r"got b'\xff\xfe'"),
    ],
    ids=["nil", "a number", "a text", "an error", "no RESP", "bytes"],
)
def test_what_is_not_the_reply_is_said(said: bytes, says: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(1000)
                peer.sendall(said)
                peer.recv(1000)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        at = Address(host="127.0.0.1", port=listening.getsockname()[1])
        asked = RedisWork.model_validate({"commands": [["PING"]], "expect": [0]})
        with redis_asking.connected(at) as connection, pytest.raises(Wrong) as raised:
            redis_asking.answered(asked, connection, "x")
        thread.join(5)
    assert says in raised.value.reason


def test_a_connection_that_breaks_is_no_reply() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def close() -> None:
            listening.accept()[0].close()

        thread = threading.Thread(target=close, daemon=True)
        thread.start()
        at = Address(host="127.0.0.1", port=listening.getsockname()[1])
        with redis_asking.connected(at) as connection, pytest.raises(OSError):
            redis_asking.answered(work(), connection, "x")
        thread.join(5)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"commands": []}, "at least 1"),
        ({"commands": [[]]}, "a command has a name"),
        ({"commands": [["PING"]], "expect": []}, "0 replies to 1 commands"),
        ({"commands": [["PING"]], "expect": "{"}, "no JSON"),
    ],
)
def test_what_is_no_work_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        RedisWork.model_validate(fields)
