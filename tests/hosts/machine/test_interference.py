"""What else goes on around a block: a made-up /proc and /sys, and the real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deadheat.hosts import interference, processes
from deadheat.hosts.interference import CpuReading, Reading
from deadheat.hosts.processes import TICK_NS, Process
from deadheat.model.observation import Interference

US, CHILD, GRANDCHILD, STRANGER = 100, 101, 102, 200
S = 10**9


def stat(parent: int, *spent: int, name: str = "a (nasty) name", started: int = 5) -> str:
    """A line of /proc/PID/stat: utime, stime, cutime and cstime are fields 14 to 17, starttime is 22."""
    return f"1 ({name}) S {parent} 0 0 0 0 0 0 0 0 0 {' '.join(map(str, spent))} 20 0 1 0 {started} 0"


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
    return interference.read({0}, root=root, pid=US)


def between(before: Reading, after: Reading, *cpus: int) -> Interference:
    return interference.between(before, after, race="w", block=1, cpus=cpus or {0})


def test_counters_of_the_cpus_asked_for(root: Path) -> None:
    seen = read(root)
    assert seen.cpus == {0: CpuReading((40 + 50) * TICK_NS, (6 + 7) * TICK_NS, 50 * TICK_NS, 8 * TICK_NS)}
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
    seen = interference.read({0}, root=tmp_path, pid=US)
    nothing = between(seen, seen)
    assert (nothing.swapped_in_bytes, nothing.throttled_ns, nothing.frequency_mhz) == (None, None, None)
    assert (nothing.busy_ns, nothing.others_by_cpu_ns, nothing.busiest) == (0, (0,), ())


def later(before: Reading, own_ns: int, **changes: Any) -> Reading:
    """10 s later, when our tree has used so much more."""
    us = before.processes[US]
    used = {**before.processes, US: replace(us, spent_ns=us.spent_ns + own_ns)}
    after: Reading = replace(before, at_ns=before.at_ns + 10 * S, processes=used)
    return replace(after, **changes)


def of_cpus(*spent: tuple[int, int]) -> dict[int, CpuReading]:
    """CPUs from 0 on: seconds idle and stolen."""
    return {cpu: CpuReading(idle * S, 0, 0, stolen * S) for cpu, (idle, stolen) in enumerate(spent)}


def test_others_are_what_was_not_idle_not_stolen_and_not_ours(root: Path) -> None:
    before = replace(read(root), cpus=of_cpus((100, 20)))
    around = between(before, later(before, 3 * S, cpus=of_cpus((102, 21))))
    assert (around.busy_ns, around.own_ns, around.others_ns) == (7 * S, 3 * S, 4 * S)
    assert around.seen_ns == 0
    assert around.steal_ns == S


def test_interrupts_are_nobodys_where_a_process_s_time_is_without_them(root: Path) -> None:
    """On the loopback they are our own load's, and would pass for somebody else's."""
    reported = []
    for apart in (False, True):
        before = replace(read(root), cpus={0: CpuReading(0, 0, 0, 0)}, interrupts_apart=apart)
        after = later(before, 3 * S, cpus={0: CpuReading(5 * S, 2 * S, 0, 0)})
        reported.append(between(before, after).others_ns)
    assert reported == [2 * S, 0]


def test_nothing_is_clipped(root: Path) -> None:
    """What counters disagree on shows, so that a mean over blocks is right."""
    before = replace(read(root), cpus=of_cpus((0, 0)))
    around = between(before, later(before, 3 * S, cpus=of_cpus((8, 0))))
    assert (around.others_ns, around.others_by_cpu_ns) == (-S, (-S,))


def test_what_others_used_of_each_cpu(root: Path) -> None:
    """Servers' time is that of their CPU; all else of ours (generator, referee) is on the referee's."""
    server, referee = frozenset({0}), frozenset({1})
    before = replace(
        read(root), cpus=of_cpus((0, 0), (0, 0)), referee_cpus=referee, pinned_ns={server: 50 * S}
    )
    after = later(before, 7 * S, cpus=of_cpus((5, 0), (4, 0)), pinned_ns={server: 54 * S})
    around = between(before, after, 0, 1)
    assert around.others_ns == (5 + 6 - 7) * S
    assert around.others_by_cpu_ns == ((5 - 4) * S, (6 - 3) * S)


def test_of_several_cpus_of_ours_the_busiest_had_most(root: Path) -> None:
    both = frozenset({0, 1})
    before = replace(read(root), cpus=of_cpus((0, 0), (0, 0)), referee_cpus=both)
    around = between(before, later(before, 6 * S, cpus=of_cpus((2, 0), (6, 0))), 0, 1)
    assert around.others_by_cpu_ns == (4 * S, 2 * S)
    assert sum(around.others_by_cpu_ns) == around.others_ns


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
    before = interference.read(cpus)
    with burning(0.2) as child:
        alive = interference.read(cpus)
    ended = interference.read(cpus)
    for after in (alive, ended):
        around = interference.between(before, after, race="w", block=0, cpus=cpus)
        assert around.own_ns >= 0.2 * S - 2 * TICK_NS
        assert around.busy_ns > 0
        assert child.pid not in [process.pid for process in around.busiest]


@contextmanager
def burning(cpu_s: float, *niced: str, cpu: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has used so much CPU time, and then waits for its end."""
    bind = "" if cpu is None else f"import os; os.sched_setaffinity(0, {{{cpu}}})\n"
    burn = f"{bind}import time\nwhile time.process_time() < {cpu_s}: pass\nprint(flush=True)\ninput()"
    command = [*niced, sys.executable, "-c", burn]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
        child.communicate(b"\n")


@pytest.mark.parametrize("niced", [(), ("nice", "-n", "19")], ids=["nice 0", "nice 19"])
def test_a_neighbour_is_counted_and_named_whatever_its_priority(niced: tuple[str, ...]) -> None:
    """A real one, bound to a CPU: whose tree we are is a sleeping child's, so the neighbour is a stranger."""
    cpu = min(os.sched_getaffinity(0))
    with burning(0) as us:
        before = interference.read({cpu}, pid=us.pid)
        with burning(0.5, *niced, cpu=cpu) as neighbour:
            after = interference.read({cpu}, pid=us.pid)
            used = processes.spent_ns(before.processes, after.processes, after.ours)
            around = interference.between(before, after, race="w", block=0, cpus={cpu})
    assert used[neighbour.pid] == pytest.approx(0.5 * S, abs=0.1 * S)
    assert us.pid not in used
    assert around.own_ns <= TICK_NS
    # The whole of it was this CPU's: at least so much was busy there, and not ours.
    assert around.others_by_cpu_ns[0] >= 0.4 * S
    # Others may have used more meanwhile: then they are named.
    named = {process.pid: process for process in around.busiest}
    if neighbour.pid in named:
        assert named[neighbour.pid].cpu == cpu
        assert named[neighbour.pid].name.startswith("python")
    else:
        assert min(process.cpu_ns for process in around.busiest) >= used[neighbour.pid]


def test_a_neighbour_that_sleeps_is_not_named() -> None:
    with burning(0) as us, burning(0) as neighbour:
        before = interference.read({0}, pid=us.pid)
        time.sleep(0.1)
        after = interference.read({0}, pid=us.pid)
    assert processes.spent_ns(before.processes, after.processes, after.ours)[neighbour.pid] == 0
    around = interference.between(before, after, race="w", block=0, cpus={0})
    assert neighbour.pid not in [process.pid for process in around.busiest]


def made(parent: int, spent: int, name: str = "x", started: int = 1) -> tuple[int, int, str, int]:
    return parent, spent, name, started


def table(rows: dict[int, tuple[int, int, str, int]]) -> dict[int, Process]:
    return {
        pid: Process(pid, parent, name, started, spent)
        for pid, (parent, spent, name, started) in rows.items()
    }


def test_the_time_of_a_child_that_ended_is_that_of_who_waited_for_it() -> None:
    """make (10) ran a compiler (11) that had used 70 before, and ran another (12) from beginning to end."""
    before = table({1: made(0, 5), 10: made(1, 3), 11: made(10, 70)})
    after = table({1: made(0, 5), 10: made(1, 3 + 100 + 40)})
    assert processes.spent_ns(before, after, ours=()) == {1: 0, 10: 30 + 40}


def test_a_whole_family_that_ended_was_waited_for_by_its_nearest_living_ancestor() -> None:
    before = table({1: made(0, 5), 10: made(1, 3), 11: made(10, 70)})
    after = table({1: made(0, 5 + 3 + 70 + 8)})
    assert processes.spent_ns(before, after, ours=()) == {1: 8}


def test_a_pid_that_is_given_again_is_another_process() -> None:
    before = table({1: made(0, 0), 10: made(1, 500)})
    after = table({1: made(0, 510), 10: made(1, 20, started=2)})
    assert processes.spent_ns(before, after, ours=()) == {1: 10, 10: 20}


def test_ours_are_not_among_the_others() -> None:
    before = table({1: made(0, 0), 10: made(1, 0), 11: made(10, 0)})
    after = table({1: made(0, 1), 10: made(1, 2), 11: made(10, 3)})
    assert processes.spent_ns(before, after, ours={10, 11}) == {1: 1}


def test_the_three_busiest_are_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that may run on the race's CPUs; a tick is not worth a name."""
    bound = {201: {0}, 202: {7}, 203: {0, 1}, 204: {0}, 205: {0, 7}, 206: {0}}
    used_ticks = dict(zip(bound, (500, 900, 400, 1, 300, 200), strict=True))
    monkeypatch.setattr(interference, "_affinity", lambda pid: frozenset(bound.get(pid, {0})))
    for pid in bound:
        (root / f"proc/{pid}").mkdir()
        (root / f"proc/{pid}/stat").write_text(stat(1, 0, 0, 0, 0, name=f"p{pid}"))
    before = read(root)
    for pid, used in used_ticks.items():
        (root / f"proc/{pid}/stat").write_text(stat(1, used, 0, 0, 0, name=f"p{pid}"))
    around = between(before, read(root))
    assert [(p.pid, p.name, p.cpu_ns // TICK_NS, p.cpu) for p in around.busiest] == [
        (201, "p201", 500, 0),
        (203, "p203", 400, None),
        (205, "p205", 300, None),
    ]
    assert around.seen_ns == (500 + 400 + 1 + 300 + 200) * TICK_NS  # 202 may not run there
