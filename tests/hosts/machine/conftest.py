"""Machines made of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

#: A machine with two cores of two threads each, on metal, with everything as it should be.
METAL = {
    "proc/stat": "cpu  1000 0 500 8000 100 0 0 0 0 0\ncpu0 1 2 3\n",
    "proc/meminfo": "MemTotal: 16384 kB\nSwapTotal: 2048 kB\nSwapFree: 2048 kB\nHugePages_Total: 0\n",
    "proc/cpuinfo": "processor : 0\nmodel name\t: AMD  EPYC 9000\nflags\t\t: fpu sse2\n\n",
    "proc/loadavg": "0.25 0.10 0.05 1/200 4711\n",
    "proc/self/cgroup": "0::/user.slice/session\n",
    "proc/sys/kernel/osrelease": "6.1.0\n",
    "proc/sys/kernel/perf_event_paranoid": "2\n",
    "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0,2\n",
    "sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "1,3\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/cpufreq/boost": "0\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
    "sys/fs/cgroup/user.slice/session/cpu.max": "max 100000\n",
}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A root with METAL's files, changed by what is given; None leaves a file out."""

    def make_one(changes: Mapping[str, str | None] | None = None) -> Path:
        for name, text in {**METAL, **(changes or {})}.items():
            if text is not None:
                path = tmp_path / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return tmp_path

    return make_one
