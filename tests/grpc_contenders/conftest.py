"""The contenders of grpc-unary as running servers, and gRPC's own Python client to ask them."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deadheat import suite
from deadheat.build import Build, Builder
from deadheat.command import argv, environment
from deadheat.hosts import Handle
from deadheat.hosts.local import LocalHost
from deadheat.interrupt import Stop
from deadheat.model.contender import Contender
from deadheat.ports import Ports
from deadheat.program import Exit, Spec

SUITE = Path(__file__).parents[2] / "suite"
CLIENT = Path(__file__).with_name("grpc_client.py")
READY_S = 60.0
CLIENT_S = 180.0
GRACE_S = 20.0


@dataclass
class Server:
    """A contender that listens."""

    contender: Contender
    port: int
    host: LocalHost
    handle: Handle

    def stop(self) -> Exit:
        return self.host.stop(self.handle, GRACE_S)


Serve = Callable[[str], Server]
Ask = Callable[[Server], dict[str, Any]]


@pytest.fixture(scope="session")
def host() -> Iterator[LocalHost]:
    with LocalHost() as local:
        yield local


@pytest.fixture(scope="session")
def build(host: LocalHost) -> Callable[[str], Build]:
    """Builds a contender of grpc-unary, or skips with the reason why it is unavailable."""
    builder = Builder(host, Stop())
    contenders = suite.load(SUITE)

    def build_one(id_: str) -> Build:
        built = builder.build(contenders.contender("grpc-unary", id_))
        if built.record.status == "unavailable":
            pytest.skip(f"{id_} is unavailable: {built.record.reason}")
        assert built.record.status == "ready", built.record.reason
        return built

    return build_one


@pytest.fixture(scope="session")
def serve(host: LocalHost, build: Callable[[str], Build], tmp_path_factory: pytest.TempPathFactory) -> Serve:
    ports = Ports()

    def serve_one(id_: str) -> Server:
        built = build(id_)
        assert built.folder is not None
        values = {"port": ports.take()}
        output = tmp_path_factory.mktemp("output")
        spec = Spec(
            argv=argv(built.contender, values),
            cwd=built.folder,
            env=environment(built.contender, values),
            stdout=output / "out",
            stderr=output / "err",
        )
        server = Server(built.contender, values["port"], host, host.start(spec))
        _wait_until_it_listens(server)
        return server

    return serve_one


@pytest.fixture(scope="session")
def ask(build: Callable[[str], Build]) -> Ask:
    """Runs `grpc_client.py` on the interpreter of python-grpc-aio, which has grpcio."""
    folder = build("python-grpc-aio").folder
    assert folder is not None

    def ask_one(server: Server) -> dict[str, Any]:
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

    return ask_one


def _wait_until_it_listens(server: Server) -> None:
    stop = Stop()
    for _ in range(int(READY_S / 0.05)):
        for event in server.host.events(server.handle, 0.05):
            output = "\n".join(server.host.collect(server.handle).output_tail)
            pytest.fail(f"{server.contender.id} {event.exit.describe()}\n{output}")
        stop.check()
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            continue
        return
    pytest.fail(f"{server.contender.id} does not listen after {READY_S:.0f} s")
