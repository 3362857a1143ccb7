"""A relay of TCP that keeps every byte for a while, each way: what a network's delay is where the kernel has
none to give.

    python relay.py LISTEN_HOST TO_HOST TO_PORT DELAY_MS

prints the port that it listens at, and serves one caller after another until it is ended. It does not sleep
while it has a caller: to the microsecond matters more here than a CPU.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field

CHUNK = 1 << 18
CONNECT_S = 10.0


@dataclass
class Way:
    """From one side to the other: pieces, each due at its time (CLOCK_MONOTONIC, ns)."""

    source: socket.socket
    target: socket.socket
    delay_ns: int
    held: deque[tuple[int, memoryview]] = field(default_factory=deque)
    ended: bool = False

    def step(self) -> bool:
        """Take what has come and pass on what is due; False once all has gone that there was."""
        if not self.ended:
            with contextlib.suppress(BlockingIOError):
                data = self.source.recv(CHUNK)
                self.ended = not data
                if data:
                    self.held.append((time.monotonic_ns() + self.delay_ns, memoryview(data)))
        if self.held and time.monotonic_ns() >= self.held[0][0]:
            due, piece = self.held.popleft()
            with contextlib.suppress(BlockingIOError):
                piece = piece[self.target.send(piece) :]
            if piece:
                self.held.appendleft((due, piece))
        return not self.ended or bool(self.held)


def relay(caller: socket.socket, to: tuple[str, int], delay_ns: int) -> None:
    """Until either side has ended, and all that it said has been passed on."""
    with caller, socket.create_connection(to, timeout=CONNECT_S) as server:
        for one in (caller, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.setblocking(False)
        ways = Way(caller, server, delay_ns), Way(server, caller, delay_ns)
        with contextlib.suppress(OSError):
            while True:
                steps = [way.step() for way in ways]
                if not all(steps):
                    return


def main(host: str, to_host: str, to_port: str, delay_ms: str) -> None:
    with socket.create_server((host, 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            caller, _ = listener.accept()
            relay(caller, (to_host, int(to_port)), round(float(delay_ms) * 1e6))


if __name__ == "__main__":
    main(*sys.argv[1:])
