"""What a server that speaks Redis' protocol (RESP2) answers, on connections of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import hiredis

from deadheat.hosts.network import dial
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.model.work.redis import RedisWork

TIMEOUT_S = 10.0
READ_BYTES = 1 << 16
LONGEST_SHOWN = 80


# That a reply is not whole yet: nothing that a server could say.
_MORE = object()


class Connection:
    """One to a server, kept until it is closed."""

    def __init__(self, at: Address) -> None:
        """Raises OSError where nobody listens."""
        self._socket = dial(at, TIMEOUT_S)
        self._reader = hiredis.Reader(replyError=_Refused, notEnoughData=_MORE)

    def close(self) -> None:
        self._socket.close()

    def ask(self, commands: Sequence[Sequence[str]]) -> list[Any]:
        """The replies to commands that go out at once, in their order: bytes, whole numbers, None, or lists
        of these.

        Raises Wrong for an error reply, for what is none of this protocol and for none in time, OSError for
        a connection that broke.
        """
        # Its types say that a command is of one word.
        packed = [hiredis.pack_command(tuple(words)) for words in commands]  # type: ignore[arg-type]
        self._socket.sendall(b"".join(packed))
        return [self._reply(shown(words)) for words in commands]

    def _reply(self, asked: str) -> Any:
        while True:
            try:
                reply = self._reader.gets()
            except hiredis.ProtocolError as error:
                raise Wrong(f"{asked}  no reply of Redis' protocol: {error}", f"{asked}\n{error}") from error
            if isinstance(reply, _Refused):
                raise Wrong(f"{asked}  {reply}", f"{asked}\n{reply}")
            if reply is not _MORE:
                return reply
            try:
                data = self._socket.recv(READ_BYTES)
            except TimeoutError as error:
                what = f"no answer to {asked} within {TIMEOUT_S:.0f} s"
                raise Wrong(what, f"{asked}\n(nothing)") from error
            if not data:
                raise ConnectionResetError(f"it closed the connection, asked {asked}")
            self._reader.feed(data)


class _Refused(Exception):
    """An error reply."""


@contextmanager
def connected(at: Address) -> Iterator[Connection]:
    """Raises OSError where nobody listens."""
    connection = Connection(at)
    try:
        yield connection
    finally:
        connection.close()


def answered(work: RedisWork, at: Connection, token: str, *, times: int = 1) -> None:
    """All commands, so many times and in one go, each answered right. Raises Wrong, or OSError."""
    commands = work.commands_of(token) * times
    expected = work.expected_of(token)
    replies = [told(reply) for reply in at.ask(commands)]
    if expected is None:
        return
    for words, right, reply in zip(commands, expected * times, replies, strict=True):
        if reply != right or isinstance(reply, bool) != isinstance(right, bool):
            raise Wrong(
                f"{shown(words)}  expected {_shown(right)}  got {_shown(reply)}",
                f"{shown(words)}\n{reply!r}",
            )


def told(reply: Any) -> Any:
    """As JSON has it: texts, numbers, null and lists. Bytes that are no UTF-8 stay bytes."""
    if isinstance(reply, list):
        return [told(each) for each in reply]
    if isinstance(reply, bytes):
        try:
            return reply.decode()
        except UnicodeDecodeError:
            return reply
    return reply


def shown(words: Sequence[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _shown(reply: Any) -> str:
    text = "nil" if reply is None else f'"{reply}"' if isinstance(reply, str) else repr(reply)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
