"""A neighbour of a known kind: `python -m bench.neighbour --burst 0.05 --share 0.25 --for-seconds 300`

Busy for `share` of the time of one core, in bursts of random length around `burst` seconds, with arithmetic
and memory that fits no core's cache; with `--io FOLDER` by writing and syncing a file there and by sending
over loopback instead. It ends by itself after `--for-seconds`, whatever becomes of who started it.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path

MEMORY_BYTES = 16 << 20
CHUNK_BYTES = 256 << 10


def compute() -> Callable[[], None]:
    """Some 20 us of arithmetic, and a stretch of memory that is in no cache."""
    memory = bytearray(MEMORY_BYTES)

    def work() -> None:
        sum(range(2_000))
        at = random.randrange(MEMORY_BYTES - 65_536)
        memory[at : at + 65_536] = memory[:65_536]

    return work


def input_output(folder: Path) -> Callable[[], None]:
    """A chunk written and synced, and one sent to itself."""
    near, far = socket.socketpair()
    chunk = random.randbytes(CHUNK_BYTES)
    file = (folder / "neighbour.bin").open("wb", buffering=0)

    def work() -> None:
        file.seek(random.randrange(64) * CHUNK_BYTES)
        file.write(chunk)
        os.fdatasync(file.fileno())
        for start in range(0, CHUNK_BYTES, 32 << 10):
            near.sendall(chunk[start : start + (32 << 10)])
            left = 32 << 10
            while left:
                left -= len(far.recv(left))

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--burst", type=float, required=True, help="mean length of a burst, s")
    parser.add_argument("--share", type=float, required=True, help="of one core, 0 to 1")
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--io", type=Path, metavar="FOLDER")
    parser.add_argument("--for-seconds", type=float, required=True)
    asked = parser.parse_args()
    os.nice(asked.nice)
    work = input_output(asked.io) if asked.io else compute()
    ends = time.monotonic() + asked.for_seconds
    while time.monotonic() < ends:
        began = time.process_time()
        length_s = random.expovariate(1 / asked.burst)
        # By CPU time, so that a burst is as long where others have the CPU in between.
        while time.process_time() - began < length_s and time.monotonic() < ends:
            work()
        used_s = time.process_time() - began
        time.sleep(random.expovariate(asked.share / (used_s * (1 - asked.share))))


if __name__ == "__main__":
    main()
