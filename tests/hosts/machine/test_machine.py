"""What a machine is, read from its files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.hosts import machine
from deadheat.hosts.cpus import Cpus, chosen_cpus, cores_of, cpu_list, default_cpus
from deadheat.hosts.machine import Activity

from .conftest import Make


def still(_seconds: float) -> None:
    """Nothing happens meanwhile."""


def test_a_machine_on_metal(make: Make) -> None:
    seen = machine.read(make(), sleep=still)
    assert (seen.cpu_model, seen.cores, seen.cores_online, seen.threads_per_core) == (
        "AMD EPYC 9000",
        4,
        4,
        2,
    )
    assert (seen.memory_bytes, seen.swap_bytes, seen.swap_used_bytes) == (16 << 20, 2 << 20, 0)
    assert (seen.system, seen.kernel, seen.virtualisation) == (
        "Debian GNU/Linux 12 (bookworm)",
        "6.1.0",
        None,
    )
    assert (seen.governors, seen.boost, seen.clock_source) == (("performance",), False, "tsc")
    assert (seen.huge_pages, seen.cgroup_version, seen.core_limit) == ("madvise", 2, None)
    assert (seen.perf, seen.load_1min) == (True, 0.25)


def test_its_id_is_told_apart_and_not_published(make: Make) -> None:
    own = "0123456789abcdef0123456789abcdef"
    root = make({"etc/machine-id": own + "\n"})
    found = machine.read(root, sleep=still).id
    assert found is not None and found not in own and own not in found
    assert found == machine.read(root, sleep=still).id
    (root / "etc/machine-id").write_text(own[::-1])
    assert machine.read(root, sleep=still).id not in (None, found)


@pytest.mark.parametrize("text", [None, "", "uninitialized\n"])
def test_a_machine_without_an_id_has_none(make: Make, text: str | None) -> None:
    assert machine.read(make({"etc/machine-id": text}), sleep=still).id is None


def test_steal_and_load_are_of_the_window_only(make: Make) -> None:
    root = make()
    asked = []

    def pass_time(seconds: float) -> None:
        asked.append(seconds)
        (root / "proc/stat").write_text("cpu  1030 5 505 8840 110 0 10 100 30 0\n")

    activity = machine.read(root, window_s=5, sleep=pass_time).activity
    assert asked == [5]
    assert activity == Activity(window_s=5, busy=0.05, steal=0.1)


def test_an_old_kernel_has_no_steal(make: Make) -> None:
    root = make({"proc/stat": "cpu  1 0 0 0\n"})

    def pass_time(_seconds: float) -> None:
        (root / "proc/stat").write_text("cpu  4 0 0 1\n")

    assert machine.read(root, sleep=pass_time).activity == Activity(machine.WINDOW_S, 0.75, 0.0)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, None),
        ({"proc/cpuinfo": "flags : fpu hypervisor\n"}, "virtual machine"),
        (
            {"proc/cpuinfo": "flags : hypervisor\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"},
            "virtual machine (QEMU)",
        ),
        ({"sys/hypervisor/type": "xen\n"}, "virtual machine (xen)"),
        ({".dockerenv": ""}, "container"),
        ({"proc/cpuinfo": "flags : hypervisor\n", ".dockerenv": ""}, "virtual machine in a container"),
    ],
)
def test_virtualisation(make: Make, changes: dict[str, str], expected: str | None) -> None:
    assert machine.read(make(changes), sleep=still).virtualisation == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sys/fs/cgroup/user.slice/session/cpu.max": "150000 100000\n"}, 1.5),
        ({"sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n",
                "sys/fs/cgroup/user.slice/session/cpu.max": "300000 100000\n",
            },
            0.5,
        ),
        (
            {
                "sys/fs/cgroup/cgroup.controllers": None,
                "proc/self/cgroup": "4:cpu,cpuacct:/box\n0::/\n",
                "sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/self/cgroup": None}, None),
    ],
)
def test_the_tightest_quota_counts(
    make: Make, changes: dict[str, str | None], expected: float | None
) -> None:
    assert machine.read(make(changes), sleep=still).core_limit == expected


@pytest.mark.parametrize(
    ("changes", "boost"),
    [
        ({"sys/devices/system/cpu/cpufreq/boost": "1\n"}, True),
        (
            {
                "sys/devices/system/cpu/cpufreq/boost": None,
                "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
            },
            False,
        ),
        ({"sys/devices/system/cpu/cpufreq/boost": None}, None),
    ],
)
def test_boost_has_two_places(make: Make, changes: dict[str, str | None], boost: bool | None) -> None:
    assert machine.read(make(changes), sleep=still).boost is boost


def test_a_machine_that_tells_nothing_is_read_all_the_same(tmp_path: Path) -> None:
    seen = machine.read(tmp_path, sleep=still)
    assert (seen.governors, seen.boost, seen.cgroup_version, seen.perf) == ((), None, None, False)
    assert seen.cores >= 1


def test_this_machine_can_be_written_down() -> None:
    seen = json.loads(json.dumps(machine.read(window_s=0.01).to_dict()))
    assert seen["cores"] == len(os.sched_getaffinity(0))
    assert seen["memory_bytes"] > 1 << 20
    assert 0 <= seen["activity"]["busy"] <= 1


def test_two_cores_are_two_physical_ones(make: Make) -> None:
    siblings = {f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": "0-1\n" for cpu in (0, 1)}
    root = make(siblings)
    assert default_cpus(cores_of({0, 1, 2, 3}, root)) == Cpus(servers=(0,), generators=(2,), services=(3,))
    assert default_cpus(cores_of({0, 1}, root)) == Cpus(servers=(0,), generators=(1,))


def test_cpus_are_those_we_may_use(make: Make) -> None:
    assert default_cpus(cores_of({2, 3, 7}, make())) == Cpus(servers=(2,), generators=(3,), services=(7,))


def test_services_have_the_cores_that_nobody_else_has(make: Make) -> None:
    siblings = {
        f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": f"{cpu % 3},{cpu % 3 + 3}\n"
        for cpu in range(6)
    }
    cores = cores_of(range(6), make(siblings))
    assert default_cpus(cores) == Cpus(servers=(0,), generators=(1,), services=(2, 5))
    assert chosen_cpus(cores, (0, 3), (5,)) == Cpus((0, 3), (5,), services=(1, 4))
    assert not chosen_cpus(cores, (0, 1), (2,)).services
    assert chosen_cpus(cores, None, None) == default_cpus(cores)
    assert chosen_cpus(cores, (2,), None) == Cpus((2,), (1,), services=(0, 3))


def test_one_core_is_shared() -> None:
    cpus = default_cpus(cores_of({5}))
    assert (cpus, cpus.shared) == (Cpus((5,), (5,)), True)
    assert not Cpus((0,), (1,)).shared


@given(st.frozensets(st.integers(0, 300), max_size=20))
def test_cpu_lists_are_read_as_the_kernel_writes_them(cpus: frozenset[int]) -> None:
    written, left = [], sorted(cpus)
    while left:
        first = last = left.pop(0)
        while left and left[0] == last + 1:
            last = left.pop(0)
        written.append(str(first) if first == last else f"{first}-{last}")
    assert cpu_list(",".join(written) + "\n") == cpus
