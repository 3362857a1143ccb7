"""HTTP/2 as an HTTP contender is asked it, a request at a time, with what `http.client` has for HTTP/1.1.

The client is hyper's `h2`, not the load generator's own: a fault of that one does not hide in what it asks.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from deadheat.hosts.network import dial
from deadheat.model.address import Address

ALPN = "h2"
READ_BYTES = 1 << 16


class Http2Error(http.client.HTTPException):
    """What came is no answer of HTTP/2."""


@dataclass
class Http2Response:
    """An answer that was read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    reason: str = ""
    version: int = 20

    def read(self, amt: int | None = None, /) -> bytes:
        """All of it, or its beginning."""
        return self.body[:amt]

    def getheader(self, name: str, default: str, /) -> str:
        return ", ".join(self.headers.get_all(name, [])) or default

    def getheaders(self) -> list[tuple[str, str]]:
        return list(self.headers.items())


class Http2Connection:
    """One connection, opened with the first request; with `auto_open` opened again where it was closed."""

    def __init__(self, at: Address, context: ssl.SSLContext | None, timeout_s: float) -> None:
        """Without a context in the clear, and the server has to know that it is HTTP/2."""
        self.host, self.port, self._at = at.host, at.port, at
        self.auto_open = 1
        self._context, self._timeout_s = context, timeout_s
        self._socket: socket.socket | None = None
        self._scheme = "http" if context is None else "https"
        self._head: tuple[int, http.client.HTTPMessage] | None = None
        self._body = b""
        self._ended = False

    def connect(self) -> None:
        """Raises OSError, and Http2Error where the server does not agree on HTTP/2."""
        self.close()
        plain = dial(self._at, self._timeout_s)
        try:
            self._socket = self._secured(plain)
        except BaseException:
            plain.close()
            raise
        self._heard = False
        settings = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._http2 = h2.connection.H2Connection(settings)
        self._http2.initiate_connection()
        self._send()

    def request(
        self, method: str, url: str, body: str | bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """Raises as `connect`, and NotConnected where it was closed and is not to be opened again."""
        if self._socket is None:
            if not self.auto_open:
                raise http.client.NotConnected
            self.connect()
        data = body.encode() if isinstance(body, str) else body or b""
        self._head, self._body, self._ended = None, b"", False
        try:
            self._stream: int = self._http2.get_next_available_stream_id()
            self._http2.send_headers(
                self._stream, [*self._fields(method, url, body is not None, data, headers)], not data
            )
            self._send()
            self._send_body(data)
        except h2.exceptions.H2Error as error:
            raise self._failed(error) from error

    def getresponse(self) -> Http2Response:
        """Raises Http2Error, and OSError (TimeoutError where nothing comes)."""
        while not self._ended:
            self.receive()
        if self._head is None:
            raise Http2Error("an answer without a status")
        return Http2Response(*self._head, self._body)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _secured(self, plain: socket.socket) -> socket.socket:
        if self._context is None:
            return plain
        secured = self._context.wrap_socket(plain, server_hostname=self.host)
        if secured.selected_alpn_protocol() != ALPN:
            secured.close()
            raise Http2Error("the server did not agree on HTTP/2 (ALPN)")
        return secured

    def _fields(
        self, method: str, url: str, has_body: bool, data: bytes, headers: Mapping[str, str] | None
    ) -> Iterator[tuple[str, str]]:
        yield from ((":method", method), (":scheme", self._scheme))
        yield from ((":authority", f"{self.host}:{self.port}"), (":path", url))
        own = {name.lower(): value for name, value in (headers or {}).items()}
        # As http.client has it.
        yield from ({"accept-encoding": "identity"} | own).items()
        if has_body and "content-length" not in own:
            yield "content-length", str(len(data))

    def _send_body(self, data: bytes) -> None:
        """As the server's windows allow. One that answers before it has all of it needs no more."""
        while data and not self._ended:
            room = min(
                self._http2.local_flow_control_window(self._stream), self._http2.max_outbound_frame_size
            )
            if room <= 0:
                self.receive()
                continue
            part, data = data[:room], data[room:]
            self._http2.send_data(self._stream, part, end_stream=not data)
            self._send()

    def _send(self) -> None:
        assert self._socket is not None
        self._socket.sendall(self._http2.data_to_send())

    def receive(self) -> None:
        """Whatever comes next, some frames or a part of one. Raises as `getresponse`."""
        if self._socket is None:
            raise Http2Error("the connection is closed")
        came = self._socket.recv(READ_BYTES)
        if not came:
            raise self._failed("the server closed the connection without an answer")
        # To h2 that is the head of a frame, for the rest of which it waits.
        if not self._heard and came.startswith(b"HTTP/"):
            raise self._failed("the server speaks HTTP/1")
        self._heard = True
        try:
            for event in self._http2.receive_data(came):
                self._heed(event)
        except h2.exceptions.H2Error as error:
            raise self._failed(error) from error
        self._send()

    def _heed(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.ResponseReceived(stream_id=self._stream, headers=fields):
                message = http.client.HTTPMessage()
                status = 0
                for name, value in fields or ():
                    if str(name) == ":status":
                        status = int(value)
                    else:
                        message[str(name)] = str(value)
                self._head = status, message
            case h2.events.DataReceived(stream_id=self._stream, data=data, flow_controlled_length=length):
                self._body += data or b""
                # One that has said GOAWAY needs no more room.
                with contextlib.suppress(h2.exceptions.ProtocolError):
                    self._http2.acknowledge_received_data(length or 0, self._stream)
            case h2.events.StreamEnded(stream_id=self._stream):
                self._ended = True
            case h2.events.StreamReset(stream_id=self._stream, error_code=code):
                raise self._failed(f"the server reset the stream (error code {code})")
            case h2.events.ConnectionTerminated(last_stream_id=last, error_code=code):
                if code or (last or 0) < self._stream:
                    raise self._failed(f"the server ended the connection (GOAWAY, error code {code})")

    def _failed(self, why: object) -> Http2Error:
        """The connection is of no more use."""
        self.close()
        return Http2Error(f"HTTP/2: {why}")
