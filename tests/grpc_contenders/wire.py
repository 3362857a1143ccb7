"""Enough HTTP/2 to see how a server ends a connection (RFC 9113: frames 4.1, GOAWAY 6.8)."""

from __future__ import annotations

import socket
from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 0x4, 0x6, 0x7
ACK = 0x1
HEADER_BYTES = 9
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Frame:
    """A frame as it came: its type, flags and content."""

    type: int
    flags: int
    payload: bytes


class Connection:
    """A connection without a call on it."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self._stream = self._socket.makefile("rb")
        self._socket.sendall(PREFACE + frame(SETTINGS))
        self._await_settings()

    def frames_until_end(self) -> list[Frame]:
        """All that the server sends before it closes."""
        seen = []
        while (received := self._receive()) is not None:
            seen.append(received)
        return seen

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _await_settings(self) -> None:
        """Until the server's settings are here and ours are acknowledged."""
        theirs = acknowledged = False
        while not (theirs and acknowledged):
            received = self._receive()
            assert received is not None, "the server closed a new connection"
            if received.type == SETTINGS and received.flags & ACK:
                acknowledged = True
            elif received.type == SETTINGS:
                theirs = True
                self._socket.sendall(frame(SETTINGS, ACK))

    def _receive(self) -> Frame | None:
        try:
            header = self._stream.read(HEADER_BYTES)
            if len(header) < HEADER_BYTES:
                return None
            payload = self._stream.read(int.from_bytes(header[:3], "big"))
        except ConnectionResetError:
            return None
        if header[3] == PING and not header[4] & ACK:
            # A server that stops may first ask whether all we sent has arrived.
            self._socket.sendall(frame(PING, ACK, payload))
        return Frame(header[3], header[4], payload)


def frame(kind: int, flags: int = 0, payload: bytes = b"") -> bytes:
    """A frame of the whole connection."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + bytes(4) + payload
