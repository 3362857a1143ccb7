"""How often functions are called, counted by the kernel: uprobes through perf_event_open(2).

The kernel puts a breakpoint on a function's first instruction and counts who comes by; nothing of the
program is changed that it could see. A call costs one to two microseconds more.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deadheat.explain.reading import InstrumentError, Missing

TYPE = Path("/sys/bus/event_source/devices/uprobe/type")
# perf_event_open in asm/unistd_64.h and asm-generic/unistd.h.
CALL = {"x86_64": 298, "aarch64": 241}
# struct perf_event_attr up to PERF_ATTR_SIZE_VER5, in linux/perf_event.h: type, size, config, sample_period,
# sample_type, read_format, flags, wakeup_events, bp_type, config1 (a path), config2 (an offset).
ATTRIBUTES, SIZE = struct.Struct("=IIQQQQQIIQQ"), 112
COUNT = struct.Struct("=Q")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, order=True)
class Place:
    """A function in a file: its offset there, not the address it is loaded at."""

    file: str
    offset: int
    name: str


def missing() -> Missing | None:
    """Why this kernel does not count for us."""
    if not TYPE.exists() or platform.machine() not in CALL:
        return Missing("this kernel cannot count calls of functions (CONFIG_UPROBE_EVENTS)")
    try:
        os.close(_open(Place("/proc/self/exe", 0, "nothing"), os.getpid()))
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES):
            return Missing("the kernel counts calls of functions for root only", "run as root")
    return None


class Calls:
    """Running counts of calls of some functions by some threads.

    Not by threads that these start later: the kernel reads the name of the file from memory again for such a
    one, and from that of the program, where it is not. The program's clone(2) would fail.
    """

    def __init__(self, places: Iterable[Place], threads: Sequence[int], stack: ExitStack) -> None:
        self._counters: list[int] = []
        for place in places:
            for thread in threads:
                # A thread that has ended since calls nothing.
                with contextlib.suppress(ProcessLookupError):
                    self._counters.append(counter := _open(place, thread))
                    stack.callback(os.close, counter)

    def total(self) -> int:
        """Since they were begun to be counted."""
        return sum(COUNT.unpack(os.read(counter, COUNT.size))[0] for counter in self._counters)


@contextmanager
def counting(places: Iterable[Place], threads: Sequence[int]) -> Iterator[Calls]:
    """Count as long as this lasts. Raises InstrumentError where the kernel refuses."""
    with ExitStack() as stack:
        try:
            calls = Calls(places, threads, stack)
        except OSError as error:
            raise InstrumentError(f"calls cannot be counted: {error.strerror}") from error
        yield calls


def _open(place: Place, thread: int) -> int:
    path = ctypes.create_string_buffer(place.file.encode())
    event = ATTRIBUTES.pack(
        int(TYPE.read_text()), SIZE, 0, 0, 0, 0, 0, 0, 0, ctypes.addressof(path), place.offset
    )
    attributes = ctypes.create_string_buffer(event, SIZE)
    descriptor: int = _libc.syscall(CALL[platform.machine()], attributes, thread, -1, -1, 0)
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    os.set_inheritable(descriptor, False)
    return descriptor
