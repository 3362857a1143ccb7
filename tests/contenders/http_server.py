"""An HTTP contender that listens, as a race starts one."""

from __future__ import annotations

import http.client
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deadheat.build.built import Build
from deadheat.build.command import argv, environment
from deadheat.hosts import Handle
from deadheat.hosts.attached import owner_of
from deadheat.hosts.local import LocalHost
from deadheat.hosts.program import Exit, Spec

READY_S = 60.0
# Some listen before they are ready to be told to end, by some tenths of a second.
HEEDS_S = 5.0
GRACE_S = 20.0
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    """A contender that listens on loopback, and where its output goes."""

    build: Build
    port: int
    host: LocalHost
    handle: Handle
    outputs: tuple[Path, Path]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(LOOPBACK, self.port, timeout=30)

    def stop(self) -> Exit:
        return self.host.stop(self.handle, GRACE_S)


def started(
    host: LocalHost, build: Build, port: int, folder: Path, more: Mapping[str, object] | None = None
) -> Server:
    """The contender of this build at a port; its output goes to a folder. It may not listen yet. `more`: what
    its manifest may say in braces beside the port."""
    assert build.folder is not None
    values = {"host": LOOPBACK, "port": port, "cpus": 1, **(more or {})}
    outputs = (folder / f"out-{port}", folder / f"err-{port}")
    spec = Spec(
        argv=argv(build.contender, values),
        cwd=build.folder,
        env=environment(build.contender, values),
        stdout=outputs[0],
        stderr=outputs[1],
    )
    return Server(build, port, host, host.start(spec), outputs)


def wait_until_it_listens(server: Server, address: str = LOOPBACK) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        for event in server.host.events(server.handle, 0.05):
            output = server.host.collect(server.handle).output_tail
            raise AssertionError(f"{server.build.contender.id} {event.exit.describe()}\n{output}")
        try:
            socket.create_connection((address, server.port), timeout=1).close()
        except OSError:
            continue
        _wait_until_it_heeds(owner_of(server.port))
        return
    raise AssertionError(f"{server.build.contender.id} does not listen after {READY_S:.0f} s")


def _wait_until_it_heeds(pid: int) -> None:
    """Until a process has a handler of its own for SIGTERM, or is not going to have one."""
    until = time.monotonic() + HEEDS_S
    while time.monotonic() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        [caught] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")]
        if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.02)
