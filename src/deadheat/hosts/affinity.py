"""Which CPUs this process may run on, for a while."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager


@contextmanager
def on_cpus(cpus: Collection[int]) -> Iterator[None]:
    """The referee and the generator share CPUs; the servers' are the servers' alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
