"""A Redis of one key that reads no more while its replies are not read, and notes each command."""

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType

# What a library may send when it connects, and what is said to it.
GREETINGS = {
    b"CLIENT": b"+OK\r\n",
    b"SELECT": b"+OK\r\n",
    b"PING": b"+PONG\r\n",
    b"COMMAND": b"*0\r\n",
    b"INFO": b"$0\r\n\r\n",
}
HELLO = (
    b"+server\r\n+redis\r\n+version\r\n+7.0.0\r\n+proto\r\n:%s\r\n+id\r\n:1\r\n"
    b"+mode\r\n+standalone\r\n+role\r\n+master\r\n+modules\r\n*0\r\n"
)
NO_SUCH_COMMAND = b"-ERR unknown command\r\n"


class FakeRedis:
    """Serves connections one after the other until the context ends.

    `spoil` may replace the reply to the command of that number (the first of the study is 0): other bytes,
    or None to close the connection. Without `hello` it is one of the time before RESP3. What the system
    keeps of replies that lie unread is `send_buffer_bytes`, where that is given.
    """

    def __init__(
        self,
        spoil: Callable[[int, bytes], bytes | None] = lambda _, reply: reply,
        *,
        hello: bool = True,
        send_buffer_bytes: int | None = None,
    ) -> None:
        self._hello = hello
        self.commands: list[tuple[bytes, ...]] = []
        self.port = 0
        self._spoil = spoil
        self._value: bytes | None = None
        self._listener = socket.socket()
        if send_buffer_bytes is not None:
            # Its connections inherit it, and it is not tuned any more.
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> "FakeRedis":
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.port = self._listener.getsockname()[1]
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        if self._connection:
            # The client may have closed it already.
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                self._connection, _ = self._listener.accept()
            except OSError:
                return
            with self._connection as connection:
                try:
                    self._answer(connection)
                except OSError:
                    continue  # The client has gone.

    def _answer(self, connection: socket.socket) -> None:
        waiting = b""
        while received := connection.recv(1 << 16):
            waiting += received
            commands, waiting = split(waiting)
            answers: list[bytes] = []
            for command in commands:
                answer = self._reply(command)
                if answer is None:
                    connection.sendall(b"".join(answers))
                    return
                answers.append(answer)
            # Blocks while the client does not read: then nothing is read here either.
            connection.sendall(b"".join(answers))

    def _reply(self, command: tuple[bytes, ...]) -> bytes | None:
        name = command[0].upper()
        if name == b"HELLO" and not self._hello:
            return b"-ERR unknown command 'HELLO'\r\n"
        if name == b"HELLO":
            # The replies of the workload are right in both versions: RESP3 still knows `$-1`.
            return (b"%7\r\n" if command[1:2] == (b"3",) else b"*14\r\n") + HELLO % command[1]
        if name in GREETINGS:
            return GREETINGS[name]
        reply = self._carry_out(name, command)
        if reply is NO_SUCH_COMMAND:
            return reply
        self.commands.append((name, *command[1:]))
        return self._spoil(len(self.commands) - 1, reply)

    def _carry_out(self, name: bytes, command: tuple[bytes, ...]) -> bytes:
        match name:
            case b"SET":
                self._value = command[2]
                return b"+OK\r\n"
            case b"GET":
                value = self._value
                return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
            case b"DEL":
                there = self._value is not None
                self._value = None
                return b":%d\r\n" % there
            case b"INCR" | b"INCRBY":
                self._value = b"%d" % (int(self._value or 0) + 1)
                return b":%s\r\n" % self._value
        return NO_SUCH_COMMAND


def split(stream: bytes) -> tuple[list[tuple[bytes, ...]], bytes]:
    """The whole commands at the start of a stream of RESP, and the bytes behind them.

    Holds for arguments without line ends in them, which are all that the workload has.
    """
    lines = stream.split(b"\r\n")
    commands = []
    index = 0
    while index < len(lines) - 1:
        count = int(lines[index][1:])
        end = index + 1 + 2 * count
        if end > len(lines) - 1:
            break
        commands.append(tuple(lines[index + 2 : end : 2]))
        index = end
    return commands, b"\r\n".join(lines[index:])
