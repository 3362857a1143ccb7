"""Free TCP ports, none of them handed out twice."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from pathlib import Path

from deadheat.errors import UserError

#: Below these live well-known servers.
LOWEST_PORT = 10_240
_ATTEMPTS = 200
_EPHEMERAL_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def bindable(port: int) -> bool:
    """Whether a server could listen there now, on any address of this machine."""
    with socket.socket() as listener:
        try:
            listener.bind(("", port))
        except OSError:
            return False
    return True


class Ports:
    """Hands out ports. One for the whole run, so that no two contenders share one.

    They are taken from below the range that the kernel gives to outgoing connections: a load
    generator with thousands of those could otherwise sit on a server's port before it starts.
    """

    def __init__(self, is_free: Callable[[int], bool] = bindable, ephemeral_from: int | None = None) -> None:
        self._is_free = is_free
        self._below = ephemeral_from if ephemeral_from is not None else _ephemeral_from()
        self._taken: set[int] = set()

    def take(self) -> int:
        """A port that is free now and that nobody got before. Raises UserError where there is none."""
        for port in self._candidates():
            if port not in self._taken and self._is_free(port):
                self._taken.add(port)
                return port
        raise UserError(
            "no free TCP port could be found for a server",
            hint="ss -ltn lists who listens; a finished run leaves none behind",
        )

    def _candidates(self) -> list[int]:
        chooser = random.SystemRandom()  # the run's own generator must not depend on who listens where
        low, high = (LOWEST_PORT, self._below) if self._below > LOWEST_PORT else (LOWEST_PORT, 65_536)
        return chooser.sample(range(low, high), min(_ATTEMPTS, high - low))


def _ephemeral_from() -> int:
    try:
        return int(_EPHEMERAL_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32_768
