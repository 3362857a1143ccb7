"""Peak memory belongs to the program, not to who started it."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from deadheat.hosts.process import Launcher, Spec

from .conftest import PATIENCE_S, Start

MEGABYTE = 1 << 20
TRACED = pytest.mark.parametrize("peak_memory", [True, False], ids=["traced", "untraced"])


@TRACED
def test_memory_that_was_given_back_counts(start: Start, fat_parent: bytearray, peak_memory: bool) -> None:
    exit = start(freed_mb=64, peak_memory=peak_memory).wait(PATIENCE_S)
    assert exit.ok and exit.peak_memory_bytes is not None
    assert 64 * MEGABYTE <= exit.peak_memory_bytes < 68 * MEGABYTE


def test_a_small_program_of_a_fat_parent_is_small(start: Start, fat_parent: bytearray) -> None:
    exit = start(peak_memory=True).wait(PATIENCE_S)
    assert exit.peak_memory_bytes is not None
    assert exit.peak_memory_bytes < 3 * MEGABYTE
    assert exit.tree_peak_memory_bytes == exit.peak_memory_bytes
    # The trap: what the kernel has on record for a child of this process.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > 200 * MEGABYTE


def test_untraced_a_program_smaller_than_the_launcher_is_unknown_rather_than_wrong(
    tiny: Path, fat_parent: bytearray
) -> None:
    traced, untraced = (
        Launcher.find().start(Spec((str(tiny),), tiny.parent, peak_memory=traced)).wait(PATIENCE_S)
        for traced in (True, False)
    )
    assert traced.ok and untraced.ok
    assert traced.peak_memory_bytes is not None and traced.peak_memory_bytes < MEGABYTE
    assert untraced.peak_memory_bytes is None


def test_a_tree_holds_at_most_the_sum_of_its_members(start: Start) -> None:
    exit = start(kept_mb=16, children=3, peak_memory=True).wait(PATIENCE_S)
    assert exit.peak_memory_bytes is not None and exit.tree_peak_memory_bytes is not None
    assert 16 * MEGABYTE <= exit.peak_memory_bytes < 20 * MEGABYTE
    assert 4 * 16 * MEGABYTE <= exit.tree_peak_memory_bytes < 4 * 20 * MEGABYTE


def test_the_program_is_what_was_executed_last(start: Start) -> None:
    """A shell that becomes the server is as large as the server."""
    words = start(hold=True).spec.argv
    shell = ("/bin/sh", "-c", f"exec {words[0]} 32 0 0 0")
    spec = Spec(shell, start(hold=True).spec.cwd, peak_memory=True)
    with Launcher.find().start(spec) as process:
        peak_bytes = process.wait(PATIENCE_S).peak_memory_bytes
    assert peak_bytes is not None
    assert 32 * MEGABYTE <= peak_bytes < 36 * MEGABYTE


@pytest.mark.parametrize("stop", ["killed", "asked"])
def test_a_server_that_is_stopped_has_a_peak_too(start: Start, stop: str) -> None:
    process = start(freed_mb=32, hold=True, peak_memory=True)
    exit = process.stop(grace_s=0 if stop == "killed" else PATIENCE_S)
    assert exit.peak_memory_bytes is not None
    assert 32 * MEGABYTE <= exit.peak_memory_bytes < 36 * MEGABYTE


def test_where_ptrace_is_forbidden_the_program_still_runs(
    start: Start, launcher_without_ptrace: Launcher
) -> None:
    exit = start(freed_mb=64, peak_memory=True, launcher=launcher_without_ptrace).wait(PATIENCE_S)
    assert exit.ok and exit.peak_memory_bytes is not None
    assert 64 * MEGABYTE <= exit.peak_memory_bytes < 68 * MEGABYTE
    assert exit.tree_peak_memory_bytes is None
    small = start(peak_memory=True, launcher=launcher_without_ptrace).wait(PATIENCE_S)
    assert small.ok and (small.peak_memory_bytes is None or small.peak_memory_bytes < 3 * MEGABYTE)


def test_a_living_tree_tells_its_peak_and_its_size(start: Start) -> None:
    memory = start(freed_mb=64, kept_mb=16, hold=True).usage().memory
    assert memory is not None
    assert memory.peak_bytes is not None and 64 * MEGABYTE <= memory.peak_bytes < 68 * MEGABYTE
    assert memory.private_bytes is not None and 16 * MEGABYTE <= memory.private_bytes < 20 * MEGABYTE
    assert memory.proportional_bytes is not None
    assert memory.private_bytes <= memory.proportional_bytes < 20 * MEGABYTE


def test_memory_is_read_only_where_it_is_asked_for(start: Start) -> None:
    assert start(hold=True).usage(memory=False).memory is None
