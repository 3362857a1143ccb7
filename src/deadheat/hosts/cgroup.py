"""The control groups of a container: all of it frozen at once, and what all of it has used.

Which of the two versions of cgroups does it is found by trying: a machine may have both, and a user may be
let into neither (docs.kernel.org: admin-guide/cgroup-v2, cgroup-v1/freezer-subsystem, cgroup-v1/cpuacct).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from deadheat.hosts.meter import CpuTime
from deadheat.hosts.tree import POLL_S, SETTLES_S

ROOT = Path("/")
VERSION_2 = ""  # how /proc/PID/cgroup names the hierarchy of version 2
FREEZER, CPU = "freezer", "cpuacct"


@dataclass(frozen=True)
class Freezer:
    """What stops a cgroup and lets it go on: a file, and the words for either."""

    version: int
    file: Path
    frozen: str
    thawed: str

    def freeze(self) -> None:
        """Returns when none of it runs; after some seconds, whatever there is. Raises OSError."""
        deadline = time.monotonic() + SETTLES_S
        self.file.write_text(self.frozen)
        while not self._has_stopped():
            if time.monotonic() > deadline:
                break  # what it then uses is on record
            time.sleep(POLL_S)
            if self.version == 1:  # who was on the way to fork is caught by asking once more
                self.file.write_text(self.frozen)

    def thaw(self) -> None:
        """Lets it go on. Raises OSError."""
        self.file.write_text(self.thawed)

    def _has_stopped(self) -> bool:
        if self.version == 1:
            return self.file.read_text().strip() == self.frozen
        return "frozen 1" in self.file.with_name("cgroup.events").read_text().splitlines()


@dataclass(frozen=True)
class Cgroup:
    """The folders of a container's own cgroups, by controller; those that it shares with others are left out,
    and where all are, there is none."""

    folders: dict[str, Path]

    @classmethod
    def of(cls, pid: int, id_: str, root: Path = ROOT) -> Cgroup:
        """Of the container of this id, of which `pid` is a process. Raises OSError where that is gone."""
        mounts = dict(_mounts(root))
        folders = {}
        for line in (root / "proc" / str(pid) / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            own = _down_to(path, id_)
            for name in controllers.split(","):
                if own is not None and name in mounts:
                    folders[name] = _below(*mounts[name], own)
        return cls({name: folder for name, folder in folders.items() if folder.is_dir()})

    def freezer(self) -> Freezer | None:
        """By which it is frozen; None where that is not allowed, or by nothing. Tried without an effect."""
        for name, version, file, words in (
            (VERSION_2, 2, "cgroup.freeze", ("1", "0")),
            (FREEZER, 1, "freezer.state", ("FROZEN", "THAWED")),
        ):
            if name not in self.folders:
                continue
            freezer = Freezer(version, self.folders[name] / file, *words)
            with contextlib.suppress(OSError):
                if freezer.file.exists():
                    freezer.thaw()
                    return freezer
        return None

    def cpu_version(self) -> int | None:
        """By which version its CPU time is metered; None where it is by none."""
        if self._stat() is not None:
            return 2
        return 1 if self._usage("cpuacct.usage") is not None else None

    def cpu(self) -> CpuTime | None:
        """What all of it has used, those that have ended included; None where nobody counts that."""
        if (stat := self._stat()) is not None:
            system = stat["system_usec"] * 1000
            return CpuTime(stat["usage_usec"] * 1000 - system, system)
        whole, system_ns = self._usage("cpuacct.usage"), self._usage("cpuacct.usage_sys")
        if whole is None:
            return None
        return CpuTime(whole - min(whole, system_ns or 0), min(whole, system_ns or 0))

    def pids(self) -> tuple[int, ...]:
        """Its processes, those of cgroups within it too; the smallest number first."""
        for folder in self.folders.values():
            found = {int(pid) for file in folder.rglob("cgroup.procs") for pid in _words(file)}
            return tuple(sorted(found))
        return ()

    def _stat(self) -> dict[str, int] | None:
        """cpu.stat of version 2, which needs no controller."""
        if VERSION_2 not in self.folders:
            return None
        words = _words(self.folders[VERSION_2] / "cpu.stat")
        stat = {name: int(value) for name, value in zip(words[::2], words[1::2], strict=False)}
        return stat if {"usage_usec", "system_usec"} <= stat.keys() else None

    def _usage(self, name: str) -> int | None:
        if CPU not in self.folders:
            return None
        words = _words(self.folders[CPU] / name)
        return int(words[0]) if words else None


def crun_refuses(root: Path = ROOT) -> bool:
    """Whether crun starts nothing here: version 1 of cgroups, and controllers in version 2 beside it."""
    mounts = dict(_mounts(root))
    if VERSION_2 not in mounts or len(mounts) == 1:
        return False
    return bool(_words(mounts[VERSION_2][0] / "cgroup.controllers"))


def _mounts(root: Path) -> Iterator[tuple[str, tuple[Path, str]]]:
    """By controller where its tree is mounted, and what of it (proc_pid_mountinfo(5))."""
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        own, _, of_system = line.partition(" - ")
        fields, system = own.split(), of_system.split()
        at = root / fields[4].lstrip("/")
        if system[0] == "cgroup2":
            yield VERSION_2, (at, fields[3])
        elif system[0] == "cgroup":
            yield from ((name, (at, fields[3])) for name in system[2].split(","))


def _below(mounted: Path, part: str, path: str) -> Path:
    inside = PurePosixPath(path)
    if part != "/" and inside.is_relative_to(part):
        inside = PurePosixPath("/") / inside.relative_to(part)
    return mounted / str(inside).lstrip("/")


def _down_to(path: str, id_: str) -> str | None:
    """As far as the container's own cgroup; None of a path that does not name it, which is of others too."""
    parts = PurePosixPath(path).parts
    for place, part in enumerate(parts, 1):
        if id_ in part:
            return str(PurePosixPath(*parts[:place]))
    return None


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def bound(pid: int, cpus: frozenset[int]) -> None:
    """Let a process and its threads run on these CPUs alone, where they may run on others. Raises OSError."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        if not os.sched_getaffinity(int(task.name)) <= cpus:
            os.sched_setaffinity(int(task.name), cpus)
