"""What gRPC's own client does not tell, asked frame by frame: who speaks on the port, what a reply consists
of, whether it is compressed, whether a deadline is kept where the message never comes, and how a server
stops."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from deadheat.hosts import Host
from deadheat.hosts.program import Exit, Why
from deadheat.kinds.conformance import Remark, Wrong
from deadheat.kinds.grpc import http2
from deadheat.kinds.grpc.call import Method
from deadheat.kinds.grpc.http2 import END_STREAM, Connection, Frame, NotHttp2Error

ANSWER_S = 10.0
STREAM = 1
# What the client allows, and how long a server may take over it before it is called deaf.
DEADLINE, DEADLINE_MS = "100m", 100
# Beyond the deadline by so much, no busy machine is the reason.
LATE_S = 2.0
STOP_GRACE_S = 10.0
PREFIX_BYTES = 5
# The first byte of a message's prefix.
COMPRESSED = 1

# Stops the server, with a grace in seconds.
End = Callable[[float], Exit]


def whole_reply(host: Host, port: int, method: Method, message: bytes, messages: int) -> None:
    """One call, and every frame of what comes back. Raises Wrong."""
    with _connection(host, port) as connection:
        connection.send(_begin(host, method))
        seen: list[Frame] = []
        _send_message(connection, message, seen)
        _read_reply(connection, seen)
        fault = _fault(seen, messages)
    if fault is not None:
        raise Wrong(f"{method.path} by hand: {fault}", _shown(seen))


def gzip_reply(host: Host, port: int, method: Method, message: bytes) -> Remark | None:
    """A gzip request from a client that takes gzip: whether the reply is compressed too is up to the server.

    It is unequal work in a race with gzip requests, so it is said. Raises Wrong.
    """
    encodings = (("grpc-encoding", "gzip"), ("grpc-accept-encoding", "identity,gzip"))
    with _connection(host, port) as connection:
        connection.send(_begin(host, method, encodings))
        seen: list[Frame] = []
        _send_message(connection, gzip.compress(message), seen, compressed=True)
        _read_reply(connection, seen)
    body = _body(seen)
    if not body:
        raise Wrong(f"{method.path} by hand: a gzip request has no message in its reply", _shown(seen))
    return Remark("it answers gzip requests in gzip") if body[0] == COMPRESSED else None


def deadline(host: Host, port: int, method: Method) -> Remark | None:
    """A call whose message never comes: the server, too, ends it when its time is up, or says so late.

    Raises Wrong.
    """
    with _connection(host, port) as connection:
        connection.send(_begin(host, method, (("grpc-timeout", DEADLINE),)))
        began_s = time.monotonic()
        seen: list[Frame] = []
        try:
            # A GOAWAY, or the end of the connection, ends the call as well.
            while (frame := connection.receive()) is not None:
                seen.append(frame)
                if _ends(frame):
                    break
        except TimeoutError:
            raise Wrong(
                f"{method.path}: a call with a deadline of {DEADLINE_MS} ms whose message does not come is "
                f"still open after {ANSWER_S:.0f} s",
                _shown(seen),
            ) from None
    took_s = time.monotonic() - began_s
    if took_s < DEADLINE_MS / 1e3 + LATE_S:
        return None
    return Remark(
        f"a call with a deadline of {DEADLINE_MS} ms whose message does not come ends after {took_s:.1f} s"
    )


def stop(host: Host, port: int, method: Method, message: bytes, messages: int, end: End) -> None:
    """SIGTERM while a call is under way: GOAWAY is said, the call is finished, the program ends by itself.

    Raises Wrong.
    """
    # The connection ends first: a server may wait for that.
    with ThreadPoolExecutor(1) as pool, _connection(host, port) as connection:
        connection.send(_begin(host, method))
        seen = connection.ping()
        stopping = pool.submit(end, STOP_GRACE_S)
        try:
            while (frame := connection.receive()) is not None:
                seen.append(frame)
                if frame.type == http2.GOAWAY:
                    break
            else:
                raise Wrong("SIGTERM: it closes connections without GOAWAY", _shown(seen))
            _send_message(connection, message, seen)
            _read_reply(connection, seen)
        except TimeoutError:
            raise Wrong(f"SIGTERM: no GOAWAY within {ANSWER_S:.0f} s", _shown(seen)) from None
        if (fault := _fault(seen, messages)) is not None:
            raise Wrong(f"SIGTERM: a call under way was not finished: {fault}", _shown(seen))
    ended = stopping.result()
    if ended.why is not Why.STOPPED:
        raise Wrong(f"SIGTERM: {ended.describe()}", f"{ended.describe()}\n{_shown(seen)}")


@contextmanager
def _connection(host: Host, port: int) -> Iterator[Connection]:
    """Raises Wrong where no HTTP/2 is spoken."""
    try:
        opened = Connection(host.address, port, ANSWER_S)
    except NotHttp2Error as error:
        raise Wrong(f"not gRPC on this port: {error}", str(error)) from error
    except TimeoutError as error:
        raise Wrong(f"not gRPC on this port: it says nothing for {ANSWER_S:.0f} s", "(nothing)") from error
    except OSError as error:
        raise Wrong(f"no connection: {error.strerror or error}", str(error)) from error
    with closing(opened):
        try:
            yield opened
        except OSError as error:
            raise Wrong(f"the connection broke: {error.strerror or error}", str(error)) from error


def _begin(host: Host, method: Method, more: tuple[tuple[str, str], ...] = ()) -> bytes:
    """The headers of a call; no `grpc-accept-encoding`, so a reply must not be compressed."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", method.path),
        (":authority", host.address),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        *more,
    )
    return http2.headers(STREAM, fields)


def _send_message(
    connection: Connection, message: bytes, seen: list[Frame], *, compressed: bool = False
) -> None:
    """The request's one message, as far as the server's window allows."""
    framed = bytes([COMPRESSED if compressed else 0]) + len(message).to_bytes(4, "big") + message
    try:
        while connection.window(STREAM) < len(framed):
            if (frame := connection.receive()) is None:
                return
            seen.append(frame)
            if _ends(frame):
                return
    except TimeoutError:
        raise Wrong("the server's flow-control window stays closed", _shown(seen)) from None
    try:
        connection.send(http2.frame(http2.DATA, END_STREAM, STREAM, framed))
    except (BrokenPipeError, ConnectionResetError):
        # What it said before it left is read all the same.
        return


def _read_reply(connection: Connection, seen: list[Frame]) -> None:
    if any(_ends(frame) for frame in seen):
        return
    try:
        while (frame := connection.receive()) is not None:
            seen.append(frame)
            if _ends(frame):
                return
    except TimeoutError:
        raise Wrong(f"no answer within {ANSWER_S:.0f} s", _shown(seen)) from None


def _ends(frame: Frame) -> bool:
    """Whether our call is over with this frame."""
    if frame.type == http2.GOAWAY:
        return int.from_bytes(frame.payload[:4], "big") < STREAM
    return frame.stream == STREAM and (frame.ends_stream or frame.type == http2.RST_STREAM)


def _fault(seen: list[Frame], messages: int) -> str | None:
    """What is wrong with the frames of a reply; status and content are read by gRPC's own client."""
    last = next((frame for frame in seen if _ends(frame)), None)
    if last is None:
        return "the connection ended in the middle"
    if last.type == http2.GOAWAY:
        return f"GOAWAY: {last.code}: the call was not taken"
    if last.type == http2.RST_STREAM:
        return f"RST_STREAM: {last.code}"
    if last.type == http2.DATA:
        return "the trailers are missing"
    body = _body(seen)
    count = 0
    while body:
        if body[0] == COMPRESSED:
            return "a compressed reply that nobody asked for"
        length = PREFIX_BYTES + int.from_bytes(body[1:PREFIX_BYTES], "big")
        if len(body) < length:
            return "a message that ends in the middle"
        body, count = body[length:], count + 1
    # A call that failed has none, and its status is named by gRPC's own client.
    return None if count in (0, messages) else f"{count} messages, expected {messages}"


def _body(seen: list[Frame]) -> bytes:
    """The messages of a reply, each after its prefix."""
    return b"".join(frame.payload for frame in seen if frame.type == http2.DATA and frame.stream == STREAM)


def _shown(seen: list[Frame]) -> str:
    """Frames, one a line."""
    return "\n".join(f"type {f.type} flags {f.flags} stream {f.stream} {f.payload[:80]!r}" for f in seen)
