"""What this machine is. Which CPUs are whose: cpus.py; whether it is fit to measure on: fitness.py."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deadheat.hosts import proc_stat
from deadheat.hosts.cpus import ROOT, cpu_list, siblings_of

#: How long is looked for steal and other load before a race. deadheat doctor takes longer.
WINDOW_S = 0.5


@dataclass(frozen=True, slots=True)
class Activity:
    """What happened on all CPUs over `window_s`, as shares of their time: 0 to 1."""

    window_s: float
    busy: float
    steal: float


@dataclass(frozen=True, slots=True)
class Machine:
    """What can be known of a machine without special rights. None: not reported.

    `cores` are the CPUs that this process may use, of `cores_online`; `core_limit` is what its cgroup
    grants it in CPU time, in cores. `governors` and `boost` are of frequency scaling; `perf` says
    whether user-space events of own processes can be counted. `id`: the same for two runs of one machine,
    and says nothing else of it; clones of an image may share it.
    """

    id: str | None
    cpu_model: str
    architecture: str
    cores: int
    cores_online: int
    core_limit: float | None
    threads_per_core: int | None
    memory_bytes: int
    swap_bytes: int
    swap_used_bytes: int
    system: str
    kernel: str
    virtualisation: str | None
    governors: tuple[str, ...]
    boost: bool | None
    clock_source: str | None
    huge_pages: str | None
    cgroup_version: int | None
    perf: bool
    load_1min: float
    activity: Activity

    def to_dict(self) -> dict[str, Any]:
        """For machine.json."""
        return asdict(self)


def read(
    root: Path = ROOT,
    window_s: float = WINDOW_S,
    sleep: Callable[[float], object] = time.sleep,
    usable: Collection[int] | None = None,
) -> Machine:
    """Takes `window_s`, to see what else goes on here. `usable`: the CPUs that may be used, where they are
    not those of this process now."""
    activity = _activity(root, window_s, sleep)
    memory = _memory(root)
    cpu = root / "sys/devices/system/cpu"
    online = cpu_list(_read(cpu / "online") or "") or frozenset(range(os.cpu_count() or 1))
    if usable is None:
        usable = os.sched_getaffinity(0) if root == ROOT else online
    return Machine(
        id=_id(root),
        cpu_model=_cpu_model(root),
        architecture=platform.machine(),
        cores=len(usable),
        cores_online=len(online),
        core_limit=_core_limit(root),
        threads_per_core=len(siblings_of(min(online), root) & online) or None,
        memory_bytes=memory.get("MemTotal", 0),
        swap_bytes=memory.get("SwapTotal", 0),
        swap_used_bytes=memory.get("SwapTotal", 0) - memory.get("SwapFree", 0),
        system=_system(root),
        kernel=_read(root / "proc/sys/kernel/osrelease") or platform.release(),
        virtualisation=_virtualisation(root),
        governors=tuple(sorted({_read(path) or "" for path in cpu.glob("cpu*/cpufreq/scaling_governor")})),
        boost=_boost(cpu),
        clock_source=_read(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        huge_pages=_chosen(_read(root / "sys/kernel/mm/transparent_hugepage/enabled")),
        cgroup_version=_cgroup_version(root),
        perf=_perf(root),
        load_1min=float((_read(root / "proc/loadavg") or "0").split()[0]),
        activity=activity,
    )


def _read(path: Path) -> str | None:
    """Its text, stripped; None where there is none or it may not be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _activity(root: Path, window_s: float, sleep: Callable[[float], object]) -> Activity:
    before = proc_stat.ticks(root)
    sleep(window_s)
    after = proc_stat.ticks(root)
    passed = [max(0, late - early) for early, late in zip(before, after, strict=True)]
    total = sum(passed)
    if not total:
        return Activity(window_s, 0.0, 0.0)
    _user, _nice, _system, idle, iowait, _irq, _softirq, steal = passed
    return Activity(window_s, (total - idle - iowait - steal) / total, steal / total)


def _id(root: Path) -> str | None:
    """A digest of the machine's id, which systemd asks not to publish; None where it has none (yet)."""
    own = _read(root / "etc/machine-id") or ""
    if not re.fullmatch("[0-9a-f]{32}", own):
        return None
    return hashlib.sha256(f"deadheat {own}".encode()).hexdigest()[:16]


def _memory(root: Path) -> dict[str, int]:
    lines = (_read(root / "proc/meminfo") or "").splitlines()
    fields = (line.split() for line in lines)
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in fields if len(words) > 1}


def _cpu_model(root: Path) -> str:
    """x86 names it; Arm gives numbers only, so there it is the architecture."""
    for line in (_read(root / "proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Hardware", "cpu model"}:
            return " ".join(value.split())
    return platform.machine()


def _system(root: Path) -> str:
    for line in (_read(root / "etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return platform.system()


def _virtualisation(root: Path) -> str | None:
    """What the firmware says of its maker, else "virtual machine" where the CPU says so; None on metal."""
    container = " in a container" if _contained(root) else ""
    flags = (_read(root / "proc/cpuinfo") or "").partition("flags")[2].partition("\n")[0].split()
    hypervisor = _read(root / "sys/hypervisor/type")
    if "hypervisor" in flags or hypervisor:
        vendor = _read(root / "sys/class/dmi/id/sys_vendor")
        named = f" ({hypervisor or vendor})" if hypervisor or vendor else ""
        return f"virtual machine{named}{container}"
    return "container" if container else None


def _contained(root: Path) -> bool:
    return (root / ".dockerenv").exists() or (root / "run/.containerenv").exists()


def _boost(cpu: Path) -> bool | None:
    boost = _read(cpu / "cpufreq/boost")
    if boost is not None:
        return boost == "1"
    no_turbo = _read(cpu / "intel_pstate/no_turbo")
    return None if no_turbo is None else no_turbo == "0"


def _chosen(text: str | None) -> str | None:
    """`always [madvise] never` has chosen madvise."""
    return text.partition("[")[2].partition("]")[0] if text and "[" in text else text


def _cgroup_version(root: Path) -> int | None:
    if (root / "sys/fs/cgroup/cgroup.controllers").exists():
        return 2
    return 1 if (root / "sys/fs/cgroup/cpu").exists() or (root / "sys/fs/cgroup/memory").exists() else None


def _core_limit(root: Path) -> float | None:
    """The tightest CPU quota on the way from this process's cgroup to the root, in cores."""
    return min((limit for folder in cpu_cgroups(root) for limit in _quota(folder)), default=None)


def cpu_cgroups(root: Path = ROOT) -> list[Path]:
    """The folders of this process's cgroups that govern CPU time, each with those above it."""
    folders = []
    for line in (_read(root / "proc/self/cgroup") or "").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" or "cpu" in controllers.split(","):
            base = root / "sys/fs/cgroup" / ("" if number == "0" else "cpu")
            here = base / path.lstrip("/")
            for folder in (here, *here.parents):
                folders.append(folder)
                if folder == base:
                    break
    return folders


def _quota(folder: Path) -> list[float]:
    version_2 = (_read(folder / "cpu.max") or "").split()
    version_1 = [_read(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period")]
    quota, period = version_2 if len(version_2) == 2 else version_1
    if quota in {None, "max", "-1"} or not period:
        return []
    return [int(str(quota)) / int(period)]


def _perf(root: Path) -> bool:
    """Whether the tool is there and the kernel lets us count user-space events of our own processes."""
    level = _read(root / "proc/sys/kernel/perf_event_paranoid")
    if level is None or (root == ROOT and shutil.which("perf") is None):
        return False
    return int(level) <= 2 or (root == ROOT and os.geteuid() == 0)
