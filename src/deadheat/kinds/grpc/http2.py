"""Just enough HTTP/2 to see what a server does frame by frame (RFC 9113). For questions, not for load."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0x0, 0x1, 0x3, 0x4, 0x6, 0x7, 0x8
END_STREAM = ACK = 0x1
END_HEADERS = 0x4
HEADER_BYTES = 9
INITIAL_WINDOW_SIZE = 0x4
WINDOW_BYTES = 65_535
# Error codes by number, RFC 9113 section 7.
CODES = (
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
    "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
)  # fmt: skip
# Alert and handshake records of TLS begin so (RFC 8446 section 5.1).
TLS = (b"\x15\x03", b"\x16\x03")


class NotHttp2Error(Exception):
    """What a server says on a new connection is not HTTP/2; the message says what it is instead."""


@dataclass(frozen=True)
class Frame:
    """A frame as it came."""

    type: int
    flags: int
    stream: int
    payload: bytes

    @property
    def ends_stream(self) -> bool:
        return self.type in (DATA, HEADERS) and bool(self.flags & END_STREAM)

    @property
    def code(self) -> str:
        """The error code of RST_STREAM or GOAWAY, by name."""
        at = 4 if self.type == GOAWAY else 0
        number = int.from_bytes(self.payload[at : at + 4], "big")
        return CODES[number] if number < len(CODES) else str(number)


class Connection:
    """A connection on which both have said their settings.

    Raises NotHttp2Error, OSError where nobody answers, TimeoutError where nothing is said in time.
    """

    def __init__(self, address: str, port: int, timeout_s: float) -> None:
        self._address, self._port, self._timeout_s = address, port, timeout_s
        self._initial_window = WINDOW_BYTES
        self._granted: dict[int, int] = {}
        self._socket = socket.create_connection((address, port), timeout=timeout_s)
        self._stream = self._socket.makefile("rb")
        try:
            self.send(PREFACE + frame(SETTINGS))
            self._await_settings()
        except BaseException:
            self.close()
            raise

    def send(self, frames: bytes) -> None:
        """Frames as they are."""
        self._socket.sendall(frames)

    def window(self, stream: int) -> int:
        """Bytes of DATA that the server takes on a stream, as far as it has said."""
        return self._initial_window + self._granted.get(stream, 0)

    def receive(self) -> Frame | None:
        """The next frame; None at the end of the connection. Settings and pings are answered."""
        try:
            header = self._stream.read(HEADER_BYTES)
            if len(header) < HEADER_BYTES:
                return None
            payload = self._stream.read(int.from_bytes(header[:3], "big"))
        except ConnectionResetError:
            return None
        received = Frame(header[3], header[4], int.from_bytes(header[5:], "big") & (2**31 - 1), payload)
        self._heed(received)
        return received

    def ping(self) -> list[Frame]:
        """All frames until the server answers a ping: what was sent before has then reached it."""
        self.send(frame(PING, payload=b"deadheat"))
        seen = []
        while (received := self.receive()) is not None:
            seen.append(received)
            if received.type == PING and received.flags & ACK:
                break
        return seen

    def frames_until_end(self) -> list[Frame]:
        """All that the server sends before it closes."""
        seen = []
        while (received := self.receive()) is not None:
            seen.append(received)
        return seen

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _heed(self, received: Frame) -> None:
        if received.type == SETTINGS and not received.flags & ACK:
            for at in range(0, len(received.payload) - 5, 6):
                number, value = received.payload[at : at + 2], received.payload[at + 2 : at + 6]
                if int.from_bytes(number, "big") == INITIAL_WINDOW_SIZE:
                    self._initial_window = int.from_bytes(value, "big")
            self._answer(frame(SETTINGS, ACK))
        elif received.type == WINDOW_UPDATE:
            more = int.from_bytes(received.payload, "big")
            self._granted[received.stream] = self._granted.get(received.stream, 0) + more
        elif received.type == PING and not received.flags & ACK:
            # A server that stops may first ask whether all we sent has arrived.
            self._answer(frame(PING, ACK, payload=received.payload))

    def _answer(self, frames: bytes) -> None:
        """A server may be gone before it has our answer: that is for the next frame to show."""
        try:
            self.send(frames)
        except (BrokenPipeError, ConnectionResetError):
            return

    def _await_settings(self) -> None:
        """Until the server's settings are here and ours are acknowledged."""
        self._look_at_first_bytes()
        theirs = acknowledged = False
        while not (theirs and acknowledged):
            received = self.receive()
            if received is None:
                raise NotHttp2Error("it closes the connection before its settings are said")
            if received.type == SETTINGS and received.flags & ACK:
                acknowledged = True
            elif received.type == SETTINGS:
                theirs = True
            elif received.type == GOAWAY:
                raise NotHttp2Error(f"it begins with GOAWAY: {received.code}")

    def _look_at_first_bytes(self) -> None:
        try:
            first = self._stream.peek(HEADER_BYTES)
        except ConnectionResetError:
            first = b""
        if first.startswith(b"HTTP/"):
            raise NotHttp2Error("it speaks HTTP/1, not HTTP/2")
        if first.startswith(TLS) or (not first and speaks_tls(self._address, self._port, self._timeout_s)):
            raise NotHttp2Error("it speaks TLS where plaintext was asked")
        if not first:
            raise NotHttp2Error("it closes the connection without a word")
        if len(first) > 3 and first[3] != SETTINGS:
            raise NotHttp2Error(f"it does not begin with SETTINGS but with {first[:20]!r}")


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """A frame; of the whole connection where no stream is named."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def headers(stream: int, fields: Sequence[tuple[str, str]], flags: int = END_HEADERS) -> bytes:
    """A header block without compression and without entries in any table (RFC 7541 section 6.2.2)."""
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)
    return frame(HEADERS, flags, stream, block)


def speaks_tls(address: str, port: int, timeout_s: float) -> bool:
    """Whether a handshake of TLS is answered as such, be it by an alert (no certificate, ours not known)."""
    anyone = ssl.create_default_context()
    anyone.check_hostname = False
    anyone.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((address, port), timeout=timeout_s) as plain,
            anyone.wrap_socket(plain, server_hostname="localhost"),
        ):
            return True
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")
    except OSError:
        return False


def _text(value: str) -> bytes:
    """A string literal of up to 126 bytes, not Huffman-coded."""
    raw = value.encode()
    if len(raw) > 126:
        raise ValueError(f"{len(raw)} bytes in a header field; 126 are the most here")
    return bytes((len(raw),)) + raw
