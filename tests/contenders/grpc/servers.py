"""Contenders of grpc-unary, built and started as a race does it, and gRPC's own client to ask them."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.build.command import argv, environment
from deadheat.hosts import Handle
from deadheat.hosts.local import LocalHost
from deadheat.hosts.ports import Ports
from deadheat.hosts.program import Exit, Spec
from deadheat.suite import suite
from deadheat.util.interrupt import Stop

SUITE = Path(__file__).parents[3] / "suite"
CLIENT = Path(__file__).with_name("grpc_client.py")
READY_S = 60.0
POLL_S = 0.05
CLIENT_S = 180.0
GRACE_S = 20.0


class UnavailableError(Exception):
    """A contender cannot be built here; says why."""


@dataclass(frozen=True)
class Server:
    """A contender that listens on loopback."""

    build: Build
    port: int
    host: LocalHost
    handle: Handle

    def stop(self) -> Exit:
        """SIGTERM, and SIGKILL after a grace."""
        return self.host.stop(self.handle, GRACE_S)


class Servers:
    """Builds contenders and starts them. Output goes to files in `folder`."""

    def __init__(self, host: LocalHost, folder: Path) -> None:
        self._host = host
        self._folder = folder
        self._builder = Builder(host, Stop())
        self._contenders = suite.load(SUITE)
        self._ports = Ports()

    def build(self, id_: str) -> Build:
        """A ready build. Raises UnavailableError, or AssertionError with the log of a build that failed."""
        build = self._builder.build(self._contenders.contender("grpc-unary", id_))
        if build.record.status == "unavailable":
            raise UnavailableError(f"{id_} is unavailable: {build.record.reason}")
        assert build.record.status == "ready", build.record.reason
        return build

    def start(self, id_: str) -> Server:
        """A contender that listens."""
        build = self.build(id_)
        assert build.folder is not None
        port = self._ports.take()
        spec = Spec(
            argv=argv(build.contender, {"host": "127.0.0.1", "port": port}),
            cwd=build.folder,
            env=environment(build.contender, {"host": "127.0.0.1", "port": port}),
            stdout=self._folder / f"{port}.out",
            stderr=self._folder / f"{port}.err",
        )
        server = Server(build, port, self._host, self._host.start(spec))
        self._wait_until_it_listens(server)
        return server

    def ask(self, server: Server) -> dict[str, Any]:
        """Runs `grpc_client.py` on the interpreter of python-grpc-aio, which has grpcio."""
        folder = self.build("python-grpc-aio").folder
        assert folder is not None
        ran = subprocess.run(
            [folder / ".venv/bin/python", CLIENT, str(server.port)],
            env={"PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=CLIENT_S,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        answers: dict[str, Any] = json.loads(ran.stdout)
        return answers

    def _wait_until_it_listens(self, server: Server) -> None:
        id_ = server.build.contender.id
        until = time.monotonic() + READY_S
        while time.monotonic() < until:
            for event in self._host.events(server.handle, POLL_S):
                output = self._host.collect(server.handle).output_tail
                raise AssertionError(f"{id_} {event.exit.describe()}\n{output}")
            try:
                socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
            except OSError:
                continue
            return
        raise AssertionError(f"{id_} does not listen after {READY_S:.0f} s")
