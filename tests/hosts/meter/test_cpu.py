"""CPU time of a tree, to the nanosecond while it is frozen."""

from __future__ import annotations

import os
import sys
import time

import pytest

from deadheat.hosts.meter import CpuTime, Usage, between, process_cpu_ns
from deadheat.hosts.process import Launcher, Process, Spec

from .conftest import PATIENCE_S, Start

MILLISECOND = 1_000_000
#: What exec, the loader and the exit may take on top, of CPU time. Not a matter of load.
OVERHEAD_NS = 50 * MILLISECOND


def until(process: Process, cpu_ns: int) -> Usage:
    deadline = time.monotonic() + PATIENCE_S
    while (usage := process.usage(memory=False)).cpu.total_ns < cpu_ns:
        assert time.monotonic() < deadline, f"only {usage.cpu.total_ns} ns after {PATIENCE_S} s"
        time.sleep(0.005)
    return usage


def test_a_program_has_used_what_it_burnt(start: Start) -> None:
    exit = start(burn_ms=200).wait(PATIENCE_S)
    assert 200 * MILLISECOND <= exit.cpu.total_ns < 200 * MILLISECOND + OVERHEAD_NS
    assert exit.wall_ns >= 200 * MILLISECOND


def test_children_that_were_waited_for_count(start: Start) -> None:
    exit = start(burn_ms=100, children=3).wait(PATIENCE_S)
    assert 400 * MILLISECOND <= exit.cpu.total_ns < 400 * MILLISECOND + 4 * OVERHEAD_NS


def test_a_living_tree_counts_its_dead_children_too(start: Start) -> None:
    usage = start(burn_ms=100, children=2, hold=True).usage(memory=False)
    assert len(usage.pids) == 1
    # /proc tells the dead children's share in ticks of 10 ms, cut off.
    assert 280 * MILLISECOND <= usage.cpu.total_ns < 300 * MILLISECOND + 3 * OVERHEAD_NS


def test_the_dead_that_nobody_has_waited_for_count(start: Start) -> None:
    touch = start(hold=True).spec.argv[0]
    folder = start(hold=True).spec.cwd
    source = f"""
import os, signal
child = os.spawnl(os.P_NOWAIT, {touch!r}, 'touch', '0', '0', '150', '0')
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
os.write(1, b'dead')
signal.pause()
"""
    spec = Spec((sys.executable, "-S", "-c", source), folder, stdout=folder / "said")
    with Launcher.find().start(spec) as process:
        while not (folder / "said").read_bytes():
            assert process.poll() is None
        usage = process.usage(memory=False)
        assert usage.pids == (process.pid,)
        assert usage.cpu.total_ns >= 150 * MILLISECOND


def test_an_orphan_counts_after_its_death(start: Start) -> None:
    touch = start(hold=True).spec.argv[0]
    script = f"({touch} 0 0 150 0 &) ; exec sleep 600"
    spec = Spec(("/bin/sh", "-c", script), start(hold=True).spec.cwd, env={"PATH": os.environ["PATH"]})
    with Launcher.find().start(spec) as process:
        usage = until(process, 150 * MILLISECOND)
        while len(usage.pids) > 1:
            usage = process.usage(memory=False)
        assert usage.pids == (process.pid,)
        assert usage.cpu.total_ns >= 150 * MILLISECOND
        assert process_cpu_ns(process.pid) < 150 * MILLISECOND
        assert process.stop().cpu.total_ns >= 150 * MILLISECOND


def test_a_frozen_program_is_read_exactly(start: Start) -> None:
    process = start(burn_ms=600_000)
    until(process, 20 * MILLISECOND)
    process.freeze()
    before = process.usage(memory=False)
    own_ns = process_cpu_ns(process.pid)
    # The launcher takes off what the process used before it was the program: never nothing.
    assert 0 < own_ns - before.cpu.total_ns < OVERHEAD_NS
    assert between(before, process.usage(memory=False)).cpu.total_ns == 0
    process.thaw()
    spent = between(before, until(process, before.cpu.total_ns + 20 * MILLISECOND))
    assert spent.cpu.total_ns >= 20 * MILLISECOND
    assert 0 < spent.cores <= 1.05


def test_two_on_one_core_wait_for_each_other(start: Start) -> None:
    cpus = frozenset({min(os.sched_getaffinity(0))})
    process = start(burn_ms=600_000, children=1, cpus=cpus)
    before = until(process, MILLISECOND)
    spent = between(before, until(process, before.cpu.total_ns + 60 * MILLISECOND))
    assert spent.runqueue_wait_ns is not None
    assert spent.runqueue_wait_ns > 10 * MILLISECOND


def test_user_and_system_time_are_told_apart(start: Start, tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = Spec(("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=4000"), start(hold=True).spec.cwd)
    with Launcher.find().start(spec) as process:
        in_kernel = process.wait(PATIENCE_S).cpu
    assert in_kernel.system_ns > 2 * in_kernel.user_ns


def test_differences() -> None:
    def reading(at_ns: int, cpu: CpuTime, waited_ns: int | None) -> Usage:
        return Usage(at_ns, (1,), 1, cpu, waited_ns, None)

    before, after = reading(100, CpuTime(10, 5), 7), reading(200, CpuTime(40, 25), 9)
    spent = between(before, after)
    assert (spent.wall_ns, spent.cpu, spent.runqueue_wait_ns) == (100, CpuTime(30, 20), 2)
    assert spent.cores == 0.5
    assert between(before, reading(200, CpuTime(10, 5), None)).runqueue_wait_ns is None
    assert between(after, reading(200, CpuTime(40, 25), 1)).runqueue_wait_ns == 0


def test_there_is_no_clock_of_nobody() -> None:
    with pytest.raises(ProcessLookupError):
        process_cpu_ns(2**22 + 1)
