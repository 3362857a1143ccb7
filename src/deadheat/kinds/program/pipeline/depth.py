"""Whether a client hands over its commands so many at a time: a Redis of one key that holds replies back.

It answers nothing while fewer commands are waiting than a pipeline holds, and then looks whether more
come. A client that awaits the replies of each pipeline never has more under way, whatever the timing.
"""

from __future__ import annotations

import contextlib
import select
import socket
import socketserver
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program.pipeline.key import Key, greeting, split
from deadheat.model.pipeline import Pipeline

#: How long a pipeline that stays short is waited for: the first such, and the next. Only a client that does
#: other than asked is ever judged by it. And how long one command too many is waited for, which at worst lets
#: a wrong one go unnoticed.
SHORT_S, SHORT_AGAIN_S, MORE_S = 2.0, 0.1, 0.005


@dataclass
class Seen:
    """Most commands under way at one time, and how many there were."""

    most: int = 0
    commands: int = 0


class Withholding:
    """The server, in a thread of its own, for as long as the context lasts."""

    def __init__(self, address: str, pipeline: Pipeline, n: int, depth: int) -> None:
        self.seen = Seen()
        self.pipeline = pipeline
        self.depth = depth
        self.total = pipeline.commands(n)
        holder = self

        class Connection(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                # A client that has gone, or is ended by its time limit, is judged by what was seen.
                with contextlib.suppress(OSError):
                    holder._serve(self.request)

        self._server = socketserver.ThreadingTCPServer((address, 0), Connection)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def judge(self) -> None:
        """Raises Wrong unless as many commands as asked were under way at most."""
        expected = min(self.depth, self.total)
        if self.seen.most != expected:
            what = "before their replies came" if self.seen.most > expected else "at most"
            raise Wrong(
                f"depth={self.depth}: {self.seen.most} commands were sent {what}, not {expected}",
                str(self.seen),
            )

    def _serve(self, connection: socket.socket) -> None:
        key = Key(self.pipeline.key.encode())
        held: list[bytes] = []
        waiting = b""
        short_s = SHORT_S
        while True:
            full = len(held) >= self.depth or (bool(held) and self.seen.commands >= self.total)
            limit_s = (MORE_S if full else short_s) if held else None
            if not select.select([connection], [], [], limit_s)[0]:
                short_s = short_s if full else SHORT_AGAIN_S
                connection.sendall(b"".join(held))
                held.clear()
                continue
            received = connection.recv(1 << 16)
            if not received:
                return
            commands, waiting = split(waiting + received)
            for command in commands:
                if (answer := greeting(command)) is not None:
                    connection.sendall(answer)
                    continue
                held.append(key.carry_out(command))
                self.seen.commands += 1
            self.seen.most = max(self.seen.most, len(held))
