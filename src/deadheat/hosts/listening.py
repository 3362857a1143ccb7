"""On which TCP ports a process tree listens, and who listens at one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LISTEN = "0A"  # TCP_LISTEN in the kernel's include/net/tcp_states.h


def ports_of(pids: Iterable[int], proc: Path = Path("/proc")) -> tuple[int, ...]:
    """The ports, in order; none where a process is gone or not ours to look into."""
    folders = [proc / str(pid) for pid in pids]
    inodes = {inode for folder in folders for inode in _sockets(folder / "fd")}
    # All of a tree are in one network, which may be another than ours.
    listening = next(filter(None, (set(_listeners(folder)) for folder in folders)), set())
    return tuple(sorted({port for port, inode in listening if inode in inodes}))


@dataclass(frozen=True)
class Listeners:
    """Whether anybody listens at a port, and those processes of them that can be seen."""

    listens: bool
    pids: tuple[int, ...]


def listeners_at(port: int, proc: Path = Path("/proc")) -> Listeners:
    """Who listens at a port of this machine."""
    wanted = {inode for at, inode in _listeners(proc) if at == port}
    if not wanted:
        return Listeners(False, ())
    pids = (int(folder.name) for folder in proc.iterdir() if folder.name.isdigit())
    found = tuple(pid for pid in pids if not wanted.isdisjoint(_sockets(proc / str(pid) / "fd")))
    return Listeners(True, found)


def _sockets(fds: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for fd in fds.iterdir():
            with contextlib.suppress(OSError):
                target = str(fd.readlink())
                if target.startswith("socket:["):
                    yield target[len("socket:[") : -1]


def _listeners(proc: Path) -> Iterator[tuple[int, str]]:
    """Port and inode of each listening socket (columns as in Documentation/networking/proc_net_tcp.rst)."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (proc / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTEN:
                    yield int(fields[1].rsplit(":", 1)[1], 16), fields[9]
