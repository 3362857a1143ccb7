"""Programs that send a pipeline to a service: which instruments, and what their figures are of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deadheat.explain import allocators
from deadheat.explain.instruments import registry
from deadheat.suite.suite import load
from tests.end_to_end.bench import Deadheat
from tests.end_to_end.redis_bench import suite

ROOT = Path(__file__).parents[2]
# One round of n = 500, all of it sent and read by one call or a few.
COMMANDS = 4 * 500 + 3


def test_a_pipeline_has_instruments_of_memory() -> None:
    workloads = load(ROOT / "suite").workloads
    assert [instrument.name for instrument in registry.of(workloads["redis-pipeline"])] == [
        *("runs", "strace", "perf stat", "garbage", "allocations", "perf")
    ]
    assert [instrument.name for instrument in registry.of(workloads["fib"])] == [
        *("runs", "strace", "perf stat", "callgrind", "perf")
    ]


@pytest.mark.parametrize(
    ("calls", "name", "made"),
    [
        ({"malloc": 5, "realloc": 2, "main": 9}, "malloc, calloc and realloc", 7),
        (
            {"GC_malloc": 3, "GC_malloc_atomic": 4, "malloc": 90},
            "GC_malloc, GC_malloc_atomic and GC_realloc",
            7,
        ),
        ({"runtime.mallocgc": 8, "malloc": 1}, "runtime.mallocgc", 8),
    ],
)
def test_allocations_are_the_calls_of_a_programs_own_allocator(
    calls: dict[str, int], name: str, made: int
) -> None:
    allocator, counted = allocators.called(calls)
    assert allocator is not None
    assert (allocator.name, counted) == (name, made)


def test_copies_are_the_calls_that_copy_memory() -> None:
    calls = {"__memcpy_avx_unaligned_erms": 3, "memmove": 2, "runtime.memmove": 4, "__memset_avx2": 50}
    assert allocators.copied(calls) == 9
    assert allocators.copied({"memcpy@@GLIBC_2.14": 1, "memcmp": 7, "my_memcpy": 5}) == 1


def test_a_program_that_allocates_nowhere_has_none() -> None:
    assert allocators.called({"main": 3}) == (None, 0)


def test_its_service_is_started_and_figures_are_of_a_thousand_commands(tmp_path: Path) -> None:
    home = tmp_path / "home"
    tools = tmp_path / "bin"
    tools.mkdir()
    # Without Cargo on the path, so that no test installs anything.
    for tool in ("strace", "redis-server", "sh", "env"):
        if found := shutil.which(tool):
            (tools / tool).symlink_to(found)
    deadheat = Deadheat(home, suite(home / "suite", ["streams"]).path, {"PATH": str(tools)})
    ended = deadheat.run("explain", "good", "streams", "--json")
    assert ended.code == 0, ended.err
    page = json.loads(ended.out)
    assert page["per"] == "a thousand commands"
    assert page["conditions"] == f"n = 500, {COMMANDS:,} commands a run"
    rows = {row["key"]: row for row in page["rows"]}
    assert {"wall_us", "user_us", "kernel_us"} <= rows.keys()
    # Whole system calls a run, as strace counts them.
    for made in (rows["system_calls"]["a"], rows["system_calls"]["b"]):
        assert made * COMMANDS / 1000 == pytest.approx(round(made * COMMANDS / 1000), abs=1e-6)
        assert made > 0
    missing = {gap["instrument"] for gap in page["gaps"]}
    # Python reads no hook of ours with -S -E, and callgrind sees nothing of its objects.
    assert {"garbage", "allocations"} <= missing
