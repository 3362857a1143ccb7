"""Calls counted by the kernel, and which calls of a program are its allocations."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from deadheat.explain import allocators, uprobes
from deadheat.explain.reading import InstrumentError
from deadheat.hosts import images
from deadheat.hosts.held import this_host

CALLS = 1000
needs_readelf = pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
counts = pytest.mark.skipif(uprobes.missing() is not None, reason=str(uprobes.missing()))

SYMBOLS = """\

Symbol table '.dynsym' contains 3 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND free@GLIBC_2.2.5 (3)
  1744: 0000000000098930   791 FUNC    GLOBAL DEFAULT   16 malloc@@GLIBC_2.2.5
  2398: 00000000000996e0   944 FUNC    WEAK   DEFAULT   16 calloc@@GLIBC_2.2.5
  2399: 00000000001d3c60     8 OBJECT  GLOBAL DEFAULT   35 stdout@@GLIBC_2.2.5
   915: 0000000000415f00   133 FUNC    LOCAL  DEFAULT    1 runtime.mallocgc
"""


def of(pid: int) -> tuple[allocators.Allocator, tuple[uprobes.Place, ...]]:
    """Of a process of this machine."""
    (image,) = images.read([pid])
    return allocators.of(this_host(), image)


def test_functions_of_a_symbol_table() -> None:
    """What is only asked for elsewhere (UND), and what is no function, is not there."""
    assert allocators.functions(SYMBOLS) == [
        ("malloc", 0x98930), ("calloc", 0x996E0), ("runtime.mallocgc", 0x415F00)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "allocator"),
    [
        ("runtime.mallocgc", "runtime.mallocgc"),
        ("runtime.mallocgcSmallScanNoHeaderSC12", "runtime.mallocgc"),
        ("GC_malloc_atomic", "GC_malloc, GC_malloc_atomic and GC_realloc"),
        ("mi_zalloc_aligned", "mimalloc"),
        ("_rjem_mallocx", "jemalloc"),
        ("calloc", "malloc, calloc and realloc"),
        # Called by runtime.mallocgc: it would count twice.
        ("runtime.mallocgcTiny", None),
        ("free", None),
        ("xmalloc", None),
    ],
)
def test_who_allocates(name: str, allocator: str | None) -> None:
    found = [a.name for a in allocators.ALLOCATORS if a.functions.fullmatch(name)]
    assert found == ([] if allocator is None else [allocator])


@needs_readelf
def test_the_allocator_of_this_process_is_libc() -> None:
    allocator, places = of(os.getpid())
    assert allocator.name == "malloc, calloc and realloc"
    assert {"malloc", "calloc", "realloc"} <= {place.name for place in places}


@needs_readelf
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_program_that_cannot_allocate(tmp_path: Path) -> None:
    (tmp_path / "still.c").write_text('int _start(void) { for (;;) __asm__ volatile(""); }\n')
    subprocess.run(["gcc", "-nostdlib", "-static", "still.c", "-o", "still"], cwd=tmp_path, check=True)
    with subprocess.Popen([tmp_path / "still"]) as still:
        try:
            with pytest.raises(InstrumentError, match="no function that is known to allocate"):
                of(still.pid)
        finally:
            still.kill()


@counts
@needs_readelf
def test_every_call_is_counted_once() -> None:
    """Of a function that nobody else calls here. A thread that begins meanwhile is let alone."""
    libc = ctypes.CDLL(None)
    libc.aligned_alloc.restype = ctypes.c_void_p

    def allocate() -> None:
        for _ in range(CALLS):
            libc.free(ctypes.c_void_p(libc.aligned_alloc(64, 64)))

    _, places = of(os.getpid())
    aligned = [place for place in places if place.name == "aligned_alloc"]
    assert aligned
    with uprobes.counting(aligned, [threading.get_native_id()]) as calls:
        assert calls.total() == 0
        allocate()
        assert calls.total() == CALLS
        later = threading.Thread(target=allocate)
        later.start()
        later.join()
        assert calls.total() == CALLS
    allocate()


@counts
def test_nothing_to_count_at() -> None:
    with (
        pytest.raises(InstrumentError, match="calls cannot be counted"),
        uprobes.counting([uprobes.Place("/no/such/file", 16, "nothing")], [threading.get_native_id()]),
    ):
        pass
