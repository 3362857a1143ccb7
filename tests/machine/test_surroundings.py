"""What else goes on around a block: a made-up /proc and /sys, and the real ones."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import surroundings
from deadheat.model.observation import Surroundings
from deadheat.surroundings import TICK_NS, Reading

US, CHILD, GRANDCHILD, STRANGER = 100, 101, 102, 200


def stat(parent: int, *spent: int) -> str:
    """A line of /proc/PID/stat: utime, stime, cutime and cstime are fields 14 to 17."""
    return f"1 (a (nasty) name) S {parent} 0 0 0 0 0 0 0 0 0 {' '.join(map(str, spent))} 20 0 1 0 5"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "proc/stat": "cpu 9 9 9 9 9 9 9 9\ncpu0 10 20 30 40 50 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\nintr 1\n",
        "proc/vmstat": "nr_free_pages 7\npswpin 3\npswpout 5\n",
        "proc/self/cgroup": "0::/box\n",
        "sys/fs/cgroup/cpu.stat": "usage_usec 5\n",
        "sys/fs/cgroup/box/cpu.stat": "usage_usec 5\nnr_throttled 4\nthrottled_usec 9\n",
        "sys/devices/system/cpu/cpu0/cpufreq/stats/time_in_state": "2000000 10\n3000000 30\n",
        f"proc/{US}/stat": stat(1, 1, 2, 3, 4),
        f"proc/{CHILD}/stat": stat(US, 10, 0, 0, 0),
        f"proc/{GRANDCHILD}/stat": stat(CHILD, 100, 0, 0, 0),
        f"proc/{STRANGER}/stat": stat(1, 1000, 0, 0, 0),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(root: Path) -> Reading:
    return surroundings.read({0}, root, US)


def between(before: Reading, after: Reading, **how: bool) -> Surroundings:
    how = {"niced": False, "interrupts_apart": False} | how
    return surroundings.between(before, after, workload="w", block=1, cpus={0}, **how)


def test_counters_of_the_cpus_asked_for(root: Path) -> None:
    seen = read(root)
    ticks = (seen.user_ns, seen.lower_priority_ns, seen.system_ns, seen.iowait_ns, seen.steal_ns)
    assert [ns // TICK_NS for ns in ticks] == [10, 20, 30, 50, 8]
    assert seen.interrupts_ns == 13 * TICK_NS
    assert (seen.throttled, seen.throttled_ns) == (4, 9_000)
    assert (seen.swapped_in_bytes or 0) // 3 == (seen.swapped_out_bytes or 0) // 5 > 0


def test_our_own_cpu_time_is_that_of_the_whole_tree_and_its_dead(root: Path) -> None:
    assert read(root).own_ns == (1 + 2 + 3 + 4 + 10 + 100) * TICK_NS


def test_version_1_of_cgroups_tells_nanoseconds(root: Path) -> None:
    (root / "proc/self/cgroup").write_text("3:cpu,cpuacct:/box\n")
    (root / "sys/fs/cgroup/cpu/box").mkdir(parents=True)
    (root / "sys/fs/cgroup/cpu/box/cpu.stat").write_text("nr_periods 9\nnr_throttled 2\nthrottled_time 77\n")
    assert (read(root).throttled, read(root).throttled_ns) == (2, 77)


def test_a_machine_that_tells_nothing_gives_none(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    seen = surroundings.read({0}, tmp_path, US)
    found = between(seen, seen)
    assert (found.swapped_in_bytes, found.throttled_ns, found.frequency_mhz) == (None, None, None)


def test_others_are_what_was_busy_and_not_ours(root: Path) -> None:
    before = read(root)
    after = replace(
        before,
        user_ns=before.user_ns + 100,
        system_ns=before.system_ns + 50,
        interrupts_ns=before.interrupts_ns + 20,
        lower_priority_ns=before.lower_priority_ns + 1000,
        own_ns=before.own_ns + 90,
    )
    assert between(before, after).others_ns == 100 + 50 + 20 - 90
    assert between(before, after).lower_priority_ns == 1000
    # Where a process's time is without interrupts, those are no others'; where we are niced, niced work is.
    assert between(before, after, interrupts_apart=True).others_ns == 100 + 50 - 90
    assert between(before, after, niced=True).others_ns == 100 + 50 + 20 + 1000 - 90


def test_the_mean_frequency_is_weighted_by_time(root: Path) -> None:
    before = read(root)
    states = root / "sys/devices/system/cpu/cpu0/cpufreq/stats/time_in_state"
    states.write_text("2000000 40\n3000000 40\n")
    assert between(before, read(root)).frequency_mhz == pytest.approx((2000 * 30 + 3000 * 10) / 40)


def test_a_step_of_the_wall_clock(root: Path) -> None:
    before = replace(read(root), at_ns=0, wall_clock_ns=10**18)
    after = replace(before, at_ns=10**9, wall_clock_ns=10**18 + 10**9 - 5 * 10**8)
    assert between(before, after).clock_step_ns == -5 * 10**8


def test_of_this_machine_a_busy_child_is_ours() -> None:
    """Its CPU time counts as ours while it lives, and after it has been waited for."""
    cpus = os.sched_getaffinity(0)
    before = surroundings.read(cpus)
    burn = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
    child = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    alive = surroundings.read(cpus)
    child.communicate(b"\n")
    ended = surroundings.read(cpus)
    for later in (alive, ended):
        found = surroundings.between(before, later, workload="w", block=0, cpus=cpus)
        assert found.own_ns >= 0.2e9 - TICK_NS
        assert found.busy_ns > 0
