"""What an HTTP contender is asked over HTTP/2, and what is said of those that do not speak it well."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import h2.config
import h2.events
import h2.exceptions
import pytest
from h2.connection import H2Connection as Connection

from deadheat.hosts.local import LocalHost
from deadheat.kinds import certificate, conformance, http_asking
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.model.work.http import HttpCase

CASE = HttpCase(path="/{token}", body="Hello from {token}!")
TOO_LARGE = 300_000  # beyond the windows that a client begins with

# What a server does with a request on a stream: its path, and all that was sent with it.
Habit = Callable[[Connection, int, str, bytes], None]


def right(connection: Connection, stream: int, path: str, sent: bytes) -> None:
    answer(connection, stream, f"Hello from {path[1:]}!".encode())


def answer(connection: Connection, stream: int, body: bytes, *more: tuple[str, str]) -> None:
    connection.send_headers(stream, [(":status", "200"), ("content-type", "text/plain"), *more])
    connection.send_data(stream, body, end_stream=True)


class Server:
    """HTTP/2 by hyper's h2, a thread a connection; over TLS with a context."""

    def __init__(self, habit: Habit, context: ssl.SSLContext | None = None) -> None:
        self._habit, self._context = habit, context
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError, h2.exceptions.H2Error), plain:
            if self._context is None:
                self._speak(plain)
                return
            with self._context.wrap_socket(plain, server_side=True) as secured:
                self._speak(secured)

    def _speak(self, link: socket.socket) -> None:
        settings = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        connection = Connection(settings)
        connection.initiate_connection()
        link.sendall(connection.data_to_send())
        paths: dict[int, str] = {}
        bodies: dict[int, bytes] = {}
        while came := link.recv(65536):
            for event in connection.receive_data(came):
                match event:
                    case h2.events.RequestReceived(stream_id=stream, headers=fields):
                        assert stream is not None
                        paths[stream] = {str(name): str(value) for name, value in fields or ()}[":path"]
                        bodies[stream] = b""
                    case h2.events.DataReceived(stream_id=stream, data=data, flow_controlled_length=length):
                        bodies[stream] += data or b""
                        connection.acknowledge_received_data(length or 0, stream)
                    case h2.events.StreamEnded(stream_id=stream):
                        self._habit(connection, stream, paths[stream], bodies[stream])
            link.sendall(connection.data_to_send())


Serve = Callable[..., Address]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[Server] = []

    def started(habit: Habit, context: ssl.SSLContext | None = None, cacert: Path | None = None) -> Address:
        servers.append(Server(habit, context))
        return Address(port=servers[-1].port, https=context is not None, cacert=cacert, http2=True)

    yield started
    for server in servers:
        server.close()


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate as a race makes it, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")
    folder = tmp_path_factory.mktemp("tls")
    with LocalHost() as host:
        certificate.make(host, folder / "certificate.pem", folder / "key.pem")
    return folder / "certificate.pem", folder / "key.pem"


def context(certified: tuple[Path, Path], *alpn: str) -> ssl.SSLContext:
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(*certified)
    made.set_alpn_protocols(alpn)
    return made


def everything(at: Address) -> str | None:
    """What is wrong by all that conformance asks."""
    numbers = count()
    found = conformance.run(http_asking.http_cases([CASE], at, lambda: f"t{next(numbers)}", at_once=20))
    return found.reason


def test_right_answers_in_the_clear(serve: Serve) -> None:
    assert everything(serve(right)) is None


def test_right_answers_over_tls(serve: Serve, certified: tuple[Path, Path]) -> None:
    at = serve(right, context(certified, "h2", "http/1.1"), certified[0])
    assert http_asking.agreed(at).text.startswith("TLSv1.")
    assert everything(at) is None


def test_headers_are_those_of_the_answer(serve: Serve) -> None:
    at = serve(lambda connection, stream, path, _: answer(connection, stream, b"x", ("server", "me")))
    headers, body = http_asking.answered(HttpCase(path="/"), at, "t")
    assert (headers, body) == (("content-type: text/plain", "server: me"), b"x")


def test_a_request_larger_than_the_windows(serve: Serve) -> None:
    def counts(connection: Connection, stream: int, _: str, sent: bytes) -> None:
        answer(connection, stream, str(len(sent)).encode())

    case = HttpCase(method="POST", path="/", send="x" * TOO_LARGE, body=str(TOO_LARGE))
    http_asking.ask_http(case, serve(counts), "t")


@pytest.mark.parametrize(
    ("habit", "why"),
    [
        (
            lambda c, stream, path, _: answer(c, stream, b"Hello!"),
            'expected body "Hello from t!"  got "Hello!"',
        ),
        (lambda c, stream, path, _: c.reset_stream(stream, 2), "the server reset the stream (error code 2)"),
        (
            lambda c, stream, path, _: c.close_connection(11),
            "the server ended the connection (GOAWAY, error code 11)",
        ),
        (
            lambda c, stream, path, _: c.send_headers(stream, [(":status", "404")], end_stream=True),
            "expected status 200  got 404",
        ),
    ],
    ids=["another-body", "reset", "goaway", "not-found"],
)
def test_what_is_wrong_is_said(serve: Serve, habit: Habit, why: str) -> None:
    with pytest.raises(Wrong) as caught:
        http_asking.ask_http(CASE, serve(habit), "t")
    assert why in caught.value.reason


def test_a_server_of_http_1_is_told_from_one_of_http_2() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def refuse() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            while connection.recv(65536):
                pass

    threading.Thread(target=refuse, daemon=True).start()
    with (
        listener,
        pytest.raises(Wrong, match="not an HTTP answer to GET /t: HTTP/2: the server speaks HTTP/1"),
    ):
        http_asking.ask_http(CASE, Address(port=listener.getsockname()[1], http2=True), "t")


def test_one_that_does_not_keep_connections(serve: Serve) -> None:
    def parting(connection: Connection, stream: int, path: str, sent: bytes) -> None:
        right(connection, stream, path, sent)
        connection.close_connection()

    assert "HTTP/2: " in (everything(serve(parting)) or "")


def test_one_that_does_not_agree_by_alpn(serve: Serve, certified: tuple[Path, Path]) -> None:
    at = serve(right, context(certified, "http/1.1"), certified[0])
    with pytest.raises(Wrong, match=r"no HTTP/2 over TLS: it agreed on nothing by ALPN"):
        http_asking.agreed(at)
    with pytest.raises(Wrong, match=r"the server did not agree on HTTP/2 \(ALPN\)"):
        http_asking.ask_http(CASE, at, "t")


def test_a_certificate_that_is_not_the_given_one(
    serve: Serve, certified: tuple[Path, Path], tmp_path: Path
) -> None:
    with LocalHost() as host:
        certificate.make(host, tmp_path / "other.pem", tmp_path / "other.key")
    at = serve(right, context(certified, "h2"), tmp_path / "other.pem")
    with pytest.raises(Wrong, match=r"no TLS: .*certificate"):
        http_asking.agreed(at)
    with pytest.raises(Wrong, match=r"no TLS for GET /t: .*certificate"):
        http_asking.ask_http(CASE, at, "t")
