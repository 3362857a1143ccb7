"""Where a compiled program's memory comes from: the functions whose calls are its allocations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deadheat.explain.reading import InstrumentError
from deadheat.explain.uprobes import Place
from deadheat.hosts import Host, StartError
from deadheat.hosts.images import Image

# A symbol table of a large program is printed within a second or two.
READELF_TIME_LIMIT_S = 60
# The libraries that can be an allocator; the program itself can hold one too.
_LIBRARY = re.compile(r"/lib(c|gc|mimalloc|jemalloc|tcmalloc)([-_.]|$)[^/]*$")
# 0000000000001234    56 FUNC    GLOBAL DEFAULT   15 malloc@@GLIBC_2.2.5
_SYMBOL = re.compile(r"^\s*\d+: ([0-9a-f]+) .*\bFUNC\s+\w+\s+\w+\s+\d+ ([^@\s]+)", re.MULTILINE)
# LOAD           0x028000 0x0000000000028000 0x0000000000028000 0x155e5d 0x155e5d R E 0x1000
_SEGMENT = re.compile(r"^\s+LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) ", re.MULTILINE)
# As the C library calls them, by the processor that each is for; and Go's own.
_COPIES = re.compile(r"(__)?mem(cpy|move|pcpy)(_\w+)?(@.*)?|runtime\.memmove")


@dataclass(frozen=True)
class Allocator:
    """Who gives memory, and the functions that programs call for it."""

    name: str
    functions: re.Pattern[str]


# The first of these that a program has: a runtime with one of its own calls libc's for other things.
ALLOCATORS = (
    # Of newer Go's, one for each size is called in place of the general one.
    Allocator("runtime.mallocgc", re.compile(r"runtime\.mallocgc((Tiny|SmallNoScan|SmallScan)\w*SC?\d+)?")),
    Allocator("GC_malloc, GC_malloc_atomic and GC_realloc", re.compile(r"GC_(malloc(_atomic)?|realloc)")),
    Allocator("mimalloc", re.compile(r"mi_(malloc|zalloc|calloc|realloc)(_aligned)?")),
    Allocator("jemalloc", re.compile(r"_rjem_(malloc|mallocx|calloc|realloc|rallocx|aligned_alloc)")),
    Allocator(
        "malloc, calloc and realloc", re.compile(r"malloc|calloc|realloc|aligned_alloc|posix_memalign")
    ),
)


def of(host: Host, image: Image) -> tuple[Allocator, tuple[Place, ...]]:
    """A running program's allocator, and where its functions are. Raises InstrumentError without one."""
    symbols = {file: functions(_readelf(host, "--syms", file)) for file in _files(image)}
    for allocator in ALLOCATORS:
        places = {
            Place(file, offset, name)
            for file, found in symbols.items()
            for name, address in found
            if allocator.functions.fullmatch(name)
            and (offset := _offset(_readelf(host, "--segments", file), address)) is not None
        }
        if places:
            return allocator, tuple(sorted(places))
    raise InstrumentError("it has no function that is known to allocate: it may be stripped of its symbols")


def called(calls: Mapping[str, int]) -> tuple[Allocator | None, int]:
    """Of a program's functions and how often each was called: its allocator, and its calls."""
    for allocator in ALLOCATORS:
        made = [count for name, count in calls.items() if allocator.functions.fullmatch(name)]
        if made:
            return allocator, sum(made)
    return None, 0


def copied(calls: Mapping[str, int]) -> int:
    """The same of the functions that copy memory; what a compiler copies in place is no call."""
    return sum(count for name, count in calls.items() if _COPIES.fullmatch(name))


def functions(symbols: str) -> list[tuple[str, int]]:
    """Names and addresses, from what `readelf --syms --wide` prints."""
    return [(name, int(address, 16)) for address, name in _SYMBOL.findall(symbols)]


def _offset(segments: str, address: int) -> int | None:
    """Where in the file an address is, from what `readelf --segments --wide` prints."""
    for in_file, start, size in _SEGMENT.findall(segments):
        if 0 <= address - int(start, 16) < int(size, 16):
            return address - int(start, 16) + int(in_file, 16)
    return None


def _files(image: Image) -> Iterator[str]:
    """The program, and what it has loaded that can be an allocator."""
    program, *mapped = image.files
    yield program
    yield from (path for path in mapped if _LIBRARY.search(path))


def _readelf(host: Host, what: str, file: str) -> str:
    argv = ["readelf", what, "--wide", file]
    try:
        ended = host.run(argv, env={"PATH": host.programs().path}, timeout_s=READELF_TIME_LIMIT_S)
    except (StartError, TimeoutError) as error:
        raise InstrumentError(f"readelf: {error}") from error
    if ended.status != 0:
        raise InstrumentError(f"readelf: {ended.stderr.strip().splitlines()[-1][:200]}")
    return ended.stdout
