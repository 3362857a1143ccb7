"""Networks of one's own, with nothing in them but a loopback: for servers whose port cannot be chosen.

Each is a network namespace, which lives as long as it is kept or a process is in it. What listens at a port
in one is in nobody's way in another, and is reached from within, over a loopback like everybody's.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.address import Address

_CLONE_NEWNET = 0x40000000
_OWN = "/proc/thread-self/ns/net"
# `struct ifreq`: a name, and flags (linux/if.h, linux/sockios.h).
_IFREQ = "16sH14x"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


class Networks:
    """Makes them, one for each name, and keeps them until it is closed."""

    def __init__(self) -> None:
        self._kept: dict[str, int] = {}

    def of(self, name: str) -> Path:
        """What stands for it, for a launcher, a load generator and `inside`. Raises UserError."""
        if name not in self._kept:
            self._kept[name] = _made()
        return Path(f"/proc/{os.getpid()}/fd/{self._kept[name]}")

    def close(self) -> None:
        while self._kept:
            os.close(self._kept.popitem()[1])


@contextlib.contextmanager
def inside(network: Path | None) -> Iterator[None]:
    """This thread in another network: sockets that it makes meanwhile are of that one. None is its own.

    Raises OSError where it is not there, or may not be entered.
    """
    if network is None:
        yield
        return
    own = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
    try:
        other = os.open(network, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _call("setns", other, _CLONE_NEWNET)
        finally:
            os.close(other)
        try:
            yield
        finally:
            _call("setns", own, _CLONE_NEWNET)
    finally:
        os.close(own)


def dial(at: Address, timeout_s: float) -> socket.socket:
    """A connection to a server, in its own network. Raises OSError where nobody listens."""
    with inside(at.network):
        return socket.create_connection((at.host, at.port), timeout_s)


def _made() -> int:
    """A descriptor of a new one. By a thread that ends with it: the others stay where they are."""
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(_left).result()
    except OSError as error:
        raise UserError(
            f"a server with a port of its own takes a network namespace: {error.strerror}",
            hint="as root it is to be had; or let the server take its port: {port} in its line, PORT, or a "
            "file that says {port} (--config-template)",
        ) from error


def _left() -> int:
    """This thread has left its network for a new one."""
    _call("unshare", _CLONE_NEWNET)
    _bring_up("lo")
    return os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)


def _bring_up(interface: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack(_IFREQ, interface.encode(), 0)
        flags = struct.unpack(_IFREQ, fcntl.ioctl(any_socket, _SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack(_IFREQ, interface.encode(), flags | _IFF_UP))


def _call(name: str, *numbers: int) -> None:
    # In the standard library from Python 3.12 on.
    function: Callable[..., int] = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*numbers) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
