"""h2load: gRPC calls as plain HTTP/2 requests. It looks at no grpc-status and no message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..generator import Broken, Counted, Generator
from ..grpc import CALL


def h2load(name: str, connections: int, streams: int, message: str) -> Generator:
    """One thread; `message` is the path of a file with a message and its 5-byte prefix."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            "h2load", "-t1", f"-c{connections}", f"-m{streams}", f"--duration={seconds:.0f}",
            "-d", message, "-H", "content-type: application/grpc", "-H", "te: trailers",
            f"http://{address}/{CALL}",
        ]  # fmt: skip

    def count(stdout: str) -> Counted:
        found = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", stdout)
        if found is None or set(found.groups()[1:]) != {"0"}:
            raise Broken(f"{name}: {stdout[-500:]}")
        return Counted(int(found[1]))

    return Generator(name, argv, count)
