"""What HTTP/1.1 allows an answer to look like is right; HTTP/1.0 is refused by its name."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from deadheat.kinds import conformance, http_asking
from deadheat.model.address import Address
from deadheat.model.work.http import HttpCase

CASE = HttpCase(path="/{token}", body="Hello from {token}!")


class Answers:
    """A server that answers every request of every connection with `answer(token)`, bytes as they are."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # Wakes whoever is in accept(); closing alone would not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # Whoever asks may have heard enough before all is sent.
        with contextlib.suppress(ConnectionError), connection, connection.makefile("rb") as asked:
            while line := asked.readline():
                token = line.split(b" ")[1].removeprefix(b"/")
                while asked.readline() not in (b"\r\n", b""):
                    pass
                connection.sendall(self._answer(token))


Serve = Callable[[Callable[[bytes], bytes]], Address]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[Answers] = []

    def started(answer: Callable[[bytes], bytes]) -> Address:
        servers.append(Answers(answer))
        return Address(port=servers[-1].port)

    yield started
    for server in servers:
        server.close()


def _hello(token: bytes) -> bytes:
    return b"Hello from " + token + b"!"


def _plain(token: bytes, head: bytes = b"HTTP/1.1 200 OK\r\n", name: bytes = b"Content-Length") -> bytes:
    body = _hello(token)
    return head + name + b": " + str(len(body)).encode() + b"\r\n\r\n" + body


def _chunked(
    token: bytes, extension: bytes = b"", trailers: bytes = b"", coding: bytes = b"chunked"
) -> bytes:
    body = _hello(token)
    chunks = b"".join(
        f"{len(part):X}".encode() + extension + b"\r\n" + part + b"\r\n" for part in (body[:3], body[3:])
    )
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + coding + b"\r\n\r\n"
    return head + chunks + b"0" + extension + b"\r\n" + trailers + b"\r\n"


HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
RIGHT: dict[str, Callable[[bytes], bytes]] = {
    "plain": _plain,
    "100 before it": lambda token: b"HTTP/1.1 100 Continue\r\n\r\n" + _plain(token),
    "102 before it": lambda token: b"HTTP/1.1 102 Processing\r\n\r\n" + _plain(token),
    "103 before it": lambda token: HINTS + _plain(token),
    "several before it": lambda token: HINTS * 3 + b"HTTP/1.1 100 Continue\r\n\r\n" + _plain(token),
    "chunked": _chunked,
    "chunked with extensions": lambda token: _chunked(token, b';name=value;quoted="a;b"'),
    "chunked with space before an extension": lambda token: _chunked(token, b" ; x"),
    "chunked with trailers": lambda token: _chunked(token, trailers=b"Expires: 0\r\nX-Sum: abc\r\n"),
    "chunked in capitals": lambda token: _chunked(token, coding=b"Chunked"),
    "103, then chunked": lambda token: HINTS + _chunked(token, b";x", b"A: b\r\n"),
    "names in lower case": lambda token: _plain(token, name=b"content-length"),
    "names in upper case": lambda token: _plain(token, name=b"CONTENT-LENGTH"),
    "length before everything": lambda token: _plain(token).replace(b"\r\n\r\n", b"\r\nServer: x\r\n\r\n", 1),
    "length after everything": lambda token: _plain(token, b"HTTP/1.1 200 OK\r\nX: 1\r\nDate: now\r\n"),
    "no reason": lambda token: _plain(token, b"HTTP/1.1 200 \r\n"),
}
WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "HTTP/1.0": (lambda token: _plain(token, b"HTTP/1.0 200 OK\r\n"), "got HTTP/1.0"),
    "103 and nothing else": (lambda _: HINTS * 200, "100 interim answers (1xx) and none after them"),
    "101": (lambda _: b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "got 101"),
    "103, then 404": (
        lambda token: HINTS + _plain(token, b"HTTP/1.1 404 Not Found\r\n"),
        "expected status 200  got 404",
    ),
    "chunked, a size that is none": (
        lambda token: _chunked(token).replace(b"\r\n0\r\n", b"\r\nzz\r\n"),
        "not an HTTP answer",
    ),
}


@pytest.mark.parametrize("how", RIGHT)
def test_what_http_allows(how: str, serve: Serve) -> None:
    tokens = iter(range(1000))
    cases = http_asking.http_cases([CASE], serve(RIGHT[how]), lambda: f"t{next(tokens)}", at_once=20)
    check = conformance.run(cases)
    assert check.ok, check.exchange
    assert check.cases == 8


@pytest.mark.parametrize("how", WRONG)
def test_what_it_does_not(how: str, serve: Serve) -> None:
    answer, reason = WRONG[how]
    with pytest.raises(conformance.Wrong) as wrong:
        http_asking.ask_http(CASE, serve(answer), "abc")
    assert reason in wrong.value.reason


@pytest.mark.parametrize(
    ("reported", "says"),
    [
        (b"Content-Type: text/plain; charset=utf-8\r\n", None),
        (b"Content-Type: Text/Plain\r\n", None),
        (b"Content-Type: text/html\r\n", "expected Content-Type text/plain  got text/html"),
        (b"", "expected Content-Type text/plain  got none"),
    ],
)
def test_the_media_type_is_compared_without_its_parameters(
    serve: Serve, reported: bytes, says: str | None
) -> None:
    at = serve(lambda token: b"HTTP/1.1 200 OK\r\n%sContent-Length: 2\r\n\r\nok" % reported)
    case = HttpCase(path="/{token}", content_type="text/plain", body="ok")
    found = conformance.run([lambda: http_asking.ask_http(case, at, "t")])
    assert found.ok == (says is None)
    assert says is None or says in (found.reason or "")
