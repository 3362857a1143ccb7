"""The page's own process: `python -m deadheat.live FD`, with what it is to show on its standard input."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def main() -> None:
    """Step aside first: whatever is imported or rendered from here on is done in nobody's way."""
    told = json.loads(sys.stdin.buffer.readline())
    with suppress(OSError):
        os.sched_setaffinity(0, told["cpus"])
    os.nice(19)
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    _serve(int(sys.argv[1]), told)


def _serve(fd: int, told: dict[str, Any]) -> None:
    import asyncio  # noqa: PLC0415
    import socket  # noqa: PLC0415

    from deadheat.live.session import serve  # noqa: PLC0415

    asyncio.run(serve(socket.socket(fileno=fd), told["token"], Path(told["folder"])))


main()
