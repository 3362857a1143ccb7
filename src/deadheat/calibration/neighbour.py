"""A noisy neighbour, on purpose: a process that comes and goes. `python -m deadheat.calibration.neighbour`

Busy for a quarter of the time, in bursts of random length, with arithmetic and with memory that does not
fit a core's cache. It ends with whoever started it, being started by the launcher.
"""

import random
import time

BUSY_S, IDLE_S, MEMORY_BYTES = 0.4, 1.2, 16 << 20


def main() -> None:
    """For ever."""
    rng = random.Random()
    memory = bytearray(MEMORY_BYTES)
    while True:
        until = time.monotonic() + rng.expovariate(1 / BUSY_S)
        while time.monotonic() < until:
            sum(range(2_000))
            at = rng.randrange(MEMORY_BYTES - 65_536)
            memory[at : at + 65_536] = memory[:65_536]
        time.sleep(rng.expovariate(1 / IDLE_S))


if __name__ == "__main__":
    main()
