"""The network between two machines: how long a byte takes there and back, and how many go in a second."""

from __future__ import annotations

import socket
import statistics
import threading
import time
from dataclasses import dataclass

ROUNDS = 200
BYTES = 64 << 20
_CHUNK = 1 << 18
#: For a machine to answer at all.
TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Network:
    """From one machine to another: the median and the 99th percentile of there and back, seconds, and bytes
    a second one way."""

    rtt_s: float
    rtt_p99_s: float
    bytes_per_s: float


class Echo:
    """Gives one caller its bytes back, then counts what it sends. Closed by itself."""

    def __init__(self, host: str) -> None:
        self._socket = socket.create_server((host, 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self._socket.settimeout(TIMEOUT_S)
        try:
            with self._socket, self._socket.accept()[0] as caller:
                caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                caller.settimeout(TIMEOUT_S)
                for _ in range(ROUNDS):
                    caller.sendall(caller.recv(1))
                left = BYTES
                while left > 0 and (piece := caller.recv(_CHUNK)):
                    left -= len(piece)
                caller.sendall(b"!")
        except OSError:
            return  # whoever called says what went wrong


def measured(host: str, port: int) -> Network:
    """Between here and an `Echo`. Raises OSError."""
    with socket.create_connection((host, port), timeout=TIMEOUT_S) as echo:
        echo.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rounds = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            echo.sendall(b".")
            echo.recv(1)
            rounds.append(time.perf_counter() - began)
        chunk = bytes(_CHUNK)
        began = time.perf_counter()
        for _ in range(BYTES // _CHUNK):
            echo.sendall(chunk)
        echo.recv(1)
        took = time.perf_counter() - began
    return Network(statistics.median(rounds), sorted(rounds)[int(ROUNDS * 0.99)], BYTES / took)
