"""A Redis of one key that reads no more while its replies are not read, and notes each command."""

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType

from deadheat.kinds.program.pipeline.key import NO_SUCH_COMMAND, Key, greeting, split


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
        self.key = Key(b"foo")
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
        # The replies of the workload are right in RESP2 and RESP3, which still knows `$-1`.
        if (answer := greeting(command)) is not None:
            return answer
        reply = self.key.carry_out(command)
        if reply is NO_SUCH_COMMAND:
            return reply
        self.commands.append((name, *command[1:]))
        return self._spoil(len(self.commands) - 1, reply)
