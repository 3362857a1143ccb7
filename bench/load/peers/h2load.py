"""h2load: gRPC calls as plain HTTP/2 requests, and HTTP/1.1 over a Unix socket.

It looks at no grpc-status, no message and no body.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..generator import PATH, Broken, Counted, Generator
from ..grpc import CALL


def h2load(name: str, connections: int, streams: int, message: str) -> Generator:
    """One thread; `message` is the path of a file with a message and its 5-byte prefix."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            "h2load", "-t1", f"-c{connections}", f"-m{streams}", f"--duration={seconds:.0f}",
            "-d", message, "-H", "content-type: application/grpc", "-H", "te: trailers",
            f"http://{address}/{CALL}",
        ]  # fmt: skip

    return Generator(name, argv, partial(_count, name))


def h2load_unix(name: str, connections: int, socket: Path) -> Generator:
    """One thread, HTTP/1.1 to the Unix socket at `socket`."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            "h2load", "--h1", "-t1", f"-c{connections}", f"--duration={seconds:.0f}",
            "-B", f"unix:{socket}", f"http://{address}{PATH}",
        ]  # fmt: skip

    return Generator(name, argv, partial(_count, name))


def _count(name: str, stdout: str) -> Counted:
    found = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", stdout)
    if found is None or set(found.groups()[1:]) != {"0"}:
        raise Broken(f"{name}: {stdout[-500:]}")
    return Counted(int(found[1]))
