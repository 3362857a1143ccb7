"""A container's own cgroups, on machines of either version of cgroups and of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.hosts.cgroup import Cgroup, crun_refuses
from deadheat.hosts.meter import CpuTime

ID = "4f5e" * 16
PID = 4711
V2 = "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
V1 = (
    "31 1 0:27 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
    "32 1 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
)
UNIFIED = "33 1 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"


def machine(root: Path, mounts: str, cgroups: str, files: dict[str, str]) -> Path:
    """A root of a machine with these mounts, a process in these cgroups, and files below /sys/fs/cgroup."""
    texts = {
        "proc/self/mountinfo": f"20 1 8:1 / / rw - ext4 /dev/vda rw\n{mounts}",
        f"proc/{PID}/cgroup": cgroups,
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_version_2(tmp_path: Path) -> None:
    """Of systemd: what the runtime has made within the scope is the container's too."""
    scope = f"machine.slice/libpod-{ID}.scope"
    files = {
        f"{scope}/cgroup.freeze": "1",
        f"{scope}/cgroup.events": "populated 1\nfrozen 1\n",
        f"{scope}/cpu.stat": "usage_usec 500\nuser_usec 300\nsystem_usec 200\nnr_periods 0\n",
        f"{scope}/cgroup.procs": "",
        f"{scope}/container/cgroup.procs": "4712\n4711\n",
    }
    root = machine(tmp_path, V2, f"0::/{scope}/container\n", files)
    found = Cgroup.of(PID, ID, root)
    freezer = found.freezer()
    assert freezer is not None and freezer.version == 2
    assert freezer.file.read_text() == "0"
    freezer.freeze()
    assert freezer.file.read_text() == "1"
    assert (found.cpu_version(), found.cpu()) == (2, CpuTime(300_000, 200_000))
    assert found.pids() == (4711, 4712)
    assert not crun_refuses(root)


def test_version_1(tmp_path: Path) -> None:
    own = f"docker/{ID}"
    files = {
        f"freezer/{own}/freezer.state": "FROZEN",
        f"freezer/{own}/cgroup.procs": "4711\n",
        f"cpu,cpuacct/{own}/cpuacct.usage": "700",
        f"cpu,cpuacct/{own}/cpuacct.usage_sys": "300",
        f"cpu,cpuacct/{own}/cgroup.procs": "4711\n",
    }
    root = machine(tmp_path, V1, f"6:freezer:/{own}\n2:cpu,cpuacct:/{own}\n0::/\n", files)
    found = Cgroup.of(PID, ID, root)
    freezer = found.freezer()
    assert freezer is not None and freezer.version == 1
    assert freezer.file.read_text() == "THAWED"
    freezer.freeze()
    assert freezer.file.read_text() == "FROZEN"
    assert (found.cpu_version(), found.cpu()) == (1, CpuTime(400, 300))
    assert found.pids() == (4711,)
    assert not crun_refuses(root)


@pytest.mark.parametrize(("controllers", "refuses"), [("hugetlb\n", True), ("", False)])
def test_both(tmp_path: Path, controllers: str, refuses: bool) -> None:
    root = machine(tmp_path, V1 + UNIFIED, "0::/\n", {"unified/cgroup.controllers": controllers})
    assert crun_refuses(root) is refuses


def test_a_cgroup_that_is_others_too_is_left_alone(tmp_path: Path) -> None:
    """Freezing it would freeze the referee."""
    root = machine(
        tmp_path, V2, "0::/user.slice/session-1.scope\n", {"user.slice/session-1.scope/cgroup.freeze": "0"}
    )
    found = Cgroup.of(PID, ID, root)
    assert (found.freezer(), found.cpu(), found.cpu_version(), found.pids()) == (None, None, None, ())


def test_a_part_of_the_tree_that_is_mounted(tmp_path: Path) -> None:
    mounts = V2.replace("0:26 / ", "0:26 /outer ")
    root = machine(tmp_path, mounts, f"0::/outer/libpod-{ID}\n", {f"libpod-{ID}/cgroup.procs": "4711\n"})
    assert Cgroup.of(PID, ID, root).pids() == (4711,)


def test_a_process_that_is_gone(tmp_path: Path) -> None:
    root = machine(tmp_path, V2, "", {})
    with pytest.raises(OSError, match="No such file"):
        Cgroup.of(PID + 1, ID, root)
