"""A Redis of one key: the commands that it understands, and what it answers. No sockets."""

from __future__ import annotations

# What a library may send when it connects, and what is said to it.
GREETINGS = {
    b"CLIENT": b"+OK\r\n",
    b"SELECT": b"+OK\r\n",
    b"AUTH": b"+OK\r\n",
    b"PING": b"+PONG\r\n",
    b"COMMAND": b"*0\r\n",
    b"INFO": b"$0\r\n\r\n",
}
HELLO = (
    b"+server\r\n+redis\r\n+version\r\n+7.0.0\r\n+proto\r\n:%s\r\n+id\r\n:1\r\n"
    b"+mode\r\n+standalone\r\n+role\r\n+master\r\n+modules\r\n*0\r\n"
)
NO_SUCH_COMMAND = b"-ERR unknown command\r\n"


class Key:
    """All that the workload's commands can change."""

    def __init__(self, name: bytes) -> None:
        self._name = name
        self._value: bytes | None = None

    def carry_out(self, command: tuple[bytes, ...]) -> bytes:
        match command[0].upper(), *command[1:]:
            case b"SET", self._name, value:
                self._value = value
                return b"+OK\r\n"
            case b"GET", self._name:
                return (
                    b"$-1\r\n" if self._value is None else b"$%d\r\n%s\r\n" % (len(self._value), self._value)
                )
            case b"DEL", self._name:
                there, self._value = self._value is not None, None
                return b":%d\r\n" % there
            case (b"INCR", self._name) | (b"INCRBY", self._name, b"1"):
                self._value = b"%d" % (int(self._value or 0) + 1)
                return b":%s\r\n" % self._value
        return NO_SUCH_COMMAND


def greeting(command: tuple[bytes, ...]) -> bytes | None:
    """What a library is told that says who it is; None for any other command."""
    if command[0].upper() == b"HELLO":
        version = command[1] if len(command) > 1 else b"2"
        return (b"%7\r\n" if version == b"3" else b"*14\r\n") + HELLO % version
    return GREETINGS.get(command[0].upper())


def split(stream: bytes) -> tuple[list[tuple[bytes, ...]], bytes]:
    """The whole commands at the start of a stream of RESP arrays, and the bytes behind them."""
    commands = []
    at = 0
    while (found := _command(stream, at)) is not None:
        command, at = found
        commands.append(command)
    return commands, stream[at:]


def _command(stream: bytes, at: int) -> tuple[tuple[bytes, ...], int] | None:
    """The command that begins at a place, and where it ends; None where it is not all there."""
    header = stream.find(b"\r\n", at)
    if header < 0:
        return None
    words = []
    count, at = int(stream[at + 1 : header]), header + 2
    for _ in range(count):
        header = stream.find(b"\r\n", at)
        if header < 0:
            return None
        length = int(stream[at + 1 : header])
        at = header + 2 + length + 2
        if at > len(stream):
            return None
        words.append(stream[header + 2 : at - 2])
    return tuple(words), at
