"""The page's own process: `python -m deadheat.live FD`, with what it is to show on its standard input."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def main() -> None:
    """Step aside first: whatever is imported or rendered from here on is done in nobody's way."""
    settings = json.loads(sys.stdin.buffer.readline())
    with suppress(OSError):
        os.sched_setaffinity(0, settings["cpus"])
    os.nice(19)
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    _serve(int(sys.argv[1]), settings)


def _serve(fd: int, settings: dict[str, Any]) -> None:
    import asyncio
    import socket

    from deadheat.live.serving import serve

    asyncio.run(serve(socket.socket(fileno=fd), settings["token"], Path(settings["folder"])))


main()
