"""What is said of a port that does not speak HTTP/2, and whether TLS is spoken there."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from deadheat.kinds.grpc import http2
from deadheat.kinds.grpc.http2 import Connection, NotHttp2Error

from .conftest import Habit, Listen

TIMEOUT_S = 10.0
CLIENT_HELLO = 0x16
GO_AWAY = http2.frame(http2.GOAWAY, payload=bytes(4) + (11).to_bytes(4, "big"))


def says(what: bytes) -> Habit:
    def habit(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(what)

    return habit


def resets(connection: socket.socket) -> None:
    """Closed with bytes that nobody read: the client gets a reset, not an end."""
    connection.recv(1)


@pytest.fixture
def certified(tmp_path: Path) -> ssl.SSLContext:
    """TLS with a certificate that nobody vouches for."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", "/CN=nobody", "-days", "1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context


def speaks(context: ssl.SSLContext) -> Habit:
    """TLS, and not a word to those who do not."""

    def habit(connection: socket.socket) -> None:
        if connection.recv(1, socket.MSG_PEEK) == bytes([CLIENT_HELLO]):
            with context.wrap_socket(connection, server_side=True) as wrapped:
                wrapped.recv(1)
        else:
            connection.recv(1 << 16)

    return habit


def refused(port: int) -> str:
    """Why a connection is not HTTP/2."""
    with pytest.raises(NotHttp2Error) as error:
        Connection("127.0.0.1", port, TIMEOUT_S)
    return str(error.value)


def test_tls_is_spoken(listen: Listen, certified: ssl.SSLContext) -> None:
    assert http2.speaks_tls("127.0.0.1", listen(speaks(certified)), TIMEOUT_S)


def test_tls_that_refuses_us_is_tls_too(listen: Listen) -> None:
    """Without a certificate no handshake succeeds: it ends with an alert, which only TLS knows."""
    nothing_to_show = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    assert http2.speaks_tls("127.0.0.1", listen(speaks(nothing_to_show)), TIMEOUT_S)


@pytest.mark.parametrize(
    "habit",
    [says(b"HTTP/1.1 400 Bad Request\r\n\r\n"), says(b""), says(http2.frame(http2.SETTINGS)), resets],
    ids=["HTTP/1", "silence", "HTTP/2", "reset"],
)
def test_no_tls_is_spoken(listen: Listen, habit: Habit) -> None:
    assert not http2.speaks_tls("127.0.0.1", listen(habit), TIMEOUT_S)


def test_nobody_speaks_tls_where_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert not http2.speaks_tls("127.0.0.1", port, TIMEOUT_S)


def test_tls_that_says_nothing_to_plaintext_is_named(listen: Listen, certified: ssl.SSLContext) -> None:
    assert refused(listen(speaks(certified))) == "it speaks TLS where plaintext was asked"


@pytest.mark.parametrize(
    ("habit", "words"),
    [
        (says(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "it speaks HTTP/1, not HTTP/2"),
        (says(b"\x15\x03\x01\x00\x02\x02\x16"), "it speaks TLS where plaintext was asked"),
        (says(b""), "it closes the connection without a word"),
        (resets, "it closes the connection without a word"),
        (says(b"+PONG\r\n+PONG\r\n"), "it does not begin with SETTINGS but with b'+PONG"),
        (says(http2.frame(http2.SETTINGS)), "it closes the connection before its settings are said"),
        (says(http2.frame(http2.SETTINGS) + GO_AWAY), "it begins with GOAWAY: ENHANCE_YOUR_CALM"),
    ],
    ids=["HTTP/1", "TLS alert", "silence", "reset", "Redis", "settings only", "GOAWAY"],
)
def test_what_it_speaks_instead_is_named(listen: Listen, habit: Habit, words: str) -> None:
    assert refused(listen(habit)).startswith(words)
