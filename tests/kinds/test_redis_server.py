"""The servers that the referee starts: a port that somebody else has, and data that are somebody else's."""

from __future__ import annotations

import os
import shutil
import socket
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from deadheat.hosts.local import LocalHost
from deadheat.hosts.programs import Programs
from deadheat.kinds.services import start as services
from deadheat.model.service import Service
from deadheat.run.kind import RaceUnavailableError, Stage
from deadheat.suite.suite import load


class TakenPort(LocalHost):
    """A host where another was quicker: the port that was free is not any more."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._taken = port

    def free_port(self) -> int:
        return self._taken


def stage(host: LocalHost, logs: Path) -> Stage:
    """As much of a race as a server is started from."""
    plan = SimpleNamespace(generator_cpus=tuple(os.sched_getaffinity(0)), services_cpus=())
    never = SimpleNamespace(requested=False, check=lambda: None)
    made: Any = SimpleNamespace(
        host=host, logs=logs, plan=plan, stop=never, services_on=None, services_host=host,
        services_address="127.0.0.1", services_cpus=plan.generator_cpus, loads_beside=lambda cpus: True,
    )  # fmt: skip
    return cast(Stage, made)


def service(program: str) -> Service:
    """As the built-in suite has it."""
    workload = load(Path(__file__).parents[2] / "suite").workload("redis-pipeline")
    (found,) = workload.services_at({"server": program})
    return found


def ask(port: int, *words: str) -> str:
    """A command's one-line answer, or the line of the bulk string."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(" ".join(words).encode() + b"\r\n")
        with connection.makefile("rb") as reader:
            line = reader.readline().decode().strip()
            return reader.readline().decode().strip() if line.startswith("$") else line


VALKEY = pytest.param(
    "valkey",
    marks=pytest.mark.skipif(shutil.which("valkey-server") is None, reason="apt-get install valkey-server"),
)


@pytest.mark.parametrize("program", ["redis", "sink", VALKEY])
def test_a_redis_that_has_the_port_already_keeps_its_data(
    redis_port: int, tmp_path: Path, program: str
) -> None:
    assert ask(redis_port, "SET", "mine", "precious") == "+OK"
    with TakenPort(redis_port) as host, ExitStack() as stack:
        with pytest.raises(RaceUnavailableError) as raised:
            services.start(stage(host, tmp_path), service(program), stack)
        assert f"{redis_port}" in str(raised.value) or "in use" in str(raised.value)
    assert ask(redis_port, "GET", "mine") == "precious"


class OwnPath(LocalHost):
    """A host whose programs are elsewhere than those of whoever asks."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def programs(self) -> Programs:
        here = super().programs()
        return replace(here, path=f"{self._folder}:{here.path}")


def test_a_server_is_that_of_its_host(tmp_path: Path) -> None:
    own = tmp_path / "bin" / "redis-server"
    own.parent.mkdir()
    own.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path / "asked"}\nexec {shutil.which("redis-server")} "$@"\n'
    )
    own.chmod(0o755)
    with OwnPath(own.parent) as host, ExitStack() as stack:
        server = services.start(stage(host, tmp_path), service("redis"), stack)
        assert server.version is not None
    asked = (tmp_path / "asked").read_text()
    assert "--version" in asked and f"{server.port}" in asked


@pytest.mark.parametrize("program", ["redis", VALKEY])
def test_a_server_of_ours_is_gone_with_its_stack(tmp_path: Path, program: str) -> None:
    with LocalHost() as host:
        with ExitStack() as stack:
            server = services.start(stage(host, tmp_path), service(program), stack)
            server.reset()
            assert server.port != 6379
        assert host.collect(server.handle).exit is not None
        with pytest.raises(ConnectionRefusedError):
            ask(server.port, "PING")
