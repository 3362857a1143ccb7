"""A reply looked at frame by frame: what is missing or too much is named."""

from __future__ import annotations

import gzip
import socket
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deadheat.kinds.conformance import Remark, Wrong
from deadheat.kinds.grpc import call as grpc_call
from deadheat.kinds.grpc import frames as grpc_frames
from deadheat.kinds.grpc import http2
from deadheat.kinds.grpc.http2 import DATA, END_HEADERS, END_STREAM, GOAWAY, RST_STREAM, frame

from .conftest import Habit, Listen

PROTO = Path(__file__).parents[2] / "suite" / "grpc-unary" / "greeter.proto"
METHOD = grpc_call.method(PROTO, "greeter.Greeter/SayHello")
HERE: Any = SimpleNamespace(address="127.0.0.1")
GREETED = frame(http2.SETTINGS) + frame(http2.SETTINGS, http2.ACK)
HEAD = http2.headers(1, [(":status", "200"), ("content-type", "application/grpc")])
TRAILERS = http2.headers(1, [("grpc-status", "0")], END_HEADERS | END_STREAM)
PAYLOAD = b"\x0a\x05hello"
MESSAGE = b"\0" + len(PAYLOAD).to_bytes(4, "big") + PAYLOAD


PACKED = b"\1" + len(gzip.compress(PAYLOAD)).to_bytes(4, "big") + gzip.compress(PAYLOAD)


def data(*messages: bytes, flags: int = 0) -> bytes:
    return frame(DATA, flags, 1, b"".join(messages))


def read_all(connection: socket.socket, least: int) -> None:
    """All of a client's call, so that closing afterwards is no reset."""
    received = 0
    while received < least and (piece := connection.recv(1 << 16)):
        received += len(piece)


def replies(*parts: bytes, stays: bool = False) -> Habit:
    """HTTP/2 and these bytes for a call, and then an end, or nothing more."""
    # Preface, settings, their acknowledgement, headers and the message.
    asked = len(http2.PREFACE) + 2 * http2.HEADER_BYTES + len(grpc_frames._begin(HERE, METHOD)) + 9 + 12

    def habit(connection: socket.socket) -> None:
        connection.sendall(GREETED)
        read_all(connection, asked)
        connection.sendall(b"".join(parts))
        while stays and connection.recv(1 << 16):
            continue

    return habit


def ask(port: int, messages: int = 1) -> None:
    grpc_frames.whole_reply(HERE, port, METHOD, PAYLOAD, messages)


@pytest.mark.parametrize(
    ("reply", "messages"),
    [
        ((HEAD, data(MESSAGE), TRAILERS), 1),
        ((HEAD, data(MESSAGE, MESSAGE), data(MESSAGE[:3]), data(MESSAGE[3:]), TRAILERS), 3),
        # A status of its own is for gRPC's own client to name.
        ((TRAILERS,), 1),
        ((frame(GOAWAY, payload=(1).to_bytes(4, "big") + bytes(4)), HEAD, data(MESSAGE), TRAILERS), 1),
    ],
    ids=["one", "three, one of them in pieces", "trailers only", "GOAWAY that lets the call finish"],
)
def test_right(listen: Listen, reply: tuple[bytes, ...], messages: int) -> None:
    ask(listen(replies(*reply)), messages)


@pytest.mark.parametrize(
    ("reply", "messages", "words"),
    [
        ((HEAD, data(MESSAGE), TRAILERS), 2, "1 messages, expected 2"),
        ((HEAD, data(MESSAGE, MESSAGE), TRAILERS), 1, "2 messages, expected 1"),
        ((HEAD, data(MESSAGE[:-1]), TRAILERS), 1, "a message that ends in the middle"),
        ((HEAD, data(b"\1" + MESSAGE[1:]), TRAILERS), 1, "a compressed reply that nobody asked for"),
        ((HEAD, data(MESSAGE, flags=END_STREAM)), 1, "the trailers are missing"),
        ((HEAD, data(MESSAGE)), 1, "the connection ended in the middle"),
        ((HEAD, frame(RST_STREAM, 0, 1, (2).to_bytes(4, "big"))), 1, "RST_STREAM: INTERNAL_ERROR"),
        ((frame(GOAWAY, payload=bytes(4) + (11).to_bytes(4, "big")),), 1, "GOAWAY: ENHANCE_YOUR_CALM"),
    ],
    ids=["too few", "too many", "cut off", "compressed", "no trailers", "ends", "reset", "GOAWAY"],
)
def test_wrong_is_named(listen: Listen, reply: tuple[bytes, ...], messages: int, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        ask(listen(replies(*reply)), messages)


def test_no_answer_is_named(listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpc_frames, "ANSWER_S", 0.5)
    with pytest.raises(Wrong, match=r"no answer within"):
        ask(listen(replies(HEAD, stays=True)))


def ends_after(wait_s: float) -> Habit:
    """HTTP/2 with one call, which is cancelled after so long."""

    def habit(connection: socket.socket) -> None:
        connection.sendall(GREETED)
        connection.recv(1 << 16)
        time.sleep(wait_s)
        connection.sendall(frame(RST_STREAM, 0, 1, (8).to_bytes(4, "big")))

    return habit


def test_a_deadline_that_is_kept_is_worth_no_remark(listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpc_frames, "LATE_S", 1000.0)
    assert grpc_frames.deadline(HERE, listen(ends_after(0.1)), METHOD) is None


def test_a_deadline_kept_late_is_told(listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpc_frames, "LATE_S", 0.0)
    remark = grpc_frames.deadline(HERE, listen(ends_after(0.2)), METHOD)
    assert remark is not None
    assert "a deadline of 100 ms whose message does not come ends after" in remark.text


def test_a_call_that_is_left_open_is_wrong(listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpc_frames, "ANSWER_S", 0.5)
    with pytest.raises(Wrong, match="still open after"):
        grpc_frames.deadline(HERE, listen(replies(stays=True)), METHOD)


@pytest.mark.parametrize(
    ("message", "said"),
    [(PACKED, Remark("it answers gzip requests in gzip")), (MESSAGE, None)],
    ids=["compressed", "plain"],
)
def test_whether_gzip_is_answered_in_gzip_is_said(
    listen: Listen, message: bytes, said: Remark | None
) -> None:
    port = listen(replies(HEAD, data(message), TRAILERS, stays=True))
    assert grpc_frames.gzip_reply(HERE, port, METHOD, PAYLOAD) == said


def test_a_gzip_request_without_an_answer_is_wrong(listen: Listen) -> None:
    port = listen(replies(HEAD, TRAILERS, stays=True))
    with pytest.raises(Wrong, match="no message"):
        grpc_frames.gzip_reply(HERE, port, METHOD, PAYLOAD)
