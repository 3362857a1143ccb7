"""A server that runs already: metered and frozen as others are, never started and never ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deadheat.hosts import ExitedError, Spec, StartError, tree
from deadheat.hosts.attached import owner_of, raced_pids
from deadheat.hosts.local import LocalHost
from deadheat.hosts.ports import Ports
from deadheat.hosts.tree import tree_of

PATIENCE_S = 60.0
# A parent that listens, a child that does too, and turns without an end.
SOURCE = """\
import os, socket, sys
listener = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    while os.getppid() != 1:
        pass
    os._exit(0)
print(listener.getsockname()[1], flush=True)
while True:
    pass
"""
# One whose child has ended, and that never waits for it.
WITH_A_ZOMBIE = """\
import os, socket
listener = socket.create_server(("127.0.0.1", 0))
if (child := os.fork()) == 0:
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(listener.getsockname()[1], flush=True)
while True:
    pass
"""


@contextmanager
def running(source: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-S", "-c", source], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def server() -> Iterator[subprocess.Popen[str]]:
    with running(SOURCE) as process:
        yield process


def port_of(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    return int(server.stdout.readline())


@pytest.fixture
def port(server: subprocess.Popen[str]) -> int:
    return port_of(server)


@pytest.fixture
def host() -> Iterator[LocalHost]:
    with LocalHost() as made:
        yield made


def spec(port: int, *, freezes: bool = True) -> Spec:
    return Spec(argv=("a server",), cwd=Path(), attached=port, freezes=freezes)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_who_listens_is_found_with_its_children(server: subprocess.Popen[str], port: int) -> None:
    assert owner_of(port) == server.pid
    assert len(tree_of(server.pid)) == 2 and tree_of(server.pid)[0] == server.pid


def test_nobody_listens() -> None:
    with pytest.raises(StartError, match="nothing listens on port"):
        owner_of(Ports().take())


def test_it_is_metered_and_frozen_and_goes_on(
    server: subprocess.Popen[str], port: int, host: LocalHost
) -> None:
    handle = host.start(spec(port))
    before = host.usage(handle, memory=True)
    assert len(before.pids) == 2 and before.threads == 2
    assert before.memory is not None and before.memory.peak_bytes
    host.freeze(handle)
    assert {state(pid) for pid in before.pids} == {"T"}
    frozen = host.usage(handle, memory=False).cpu.total_ns
    assert frozen >= before.cpu.total_ns
    assert host.usage(handle, memory=False).cpu.total_ns == frozen
    host.thaw(handle)
    deadline = time.monotonic() + PATIENCE_S
    while host.usage(handle, memory=False).cpu.total_ns == frozen:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert set(before.pids) <= raced_pids()
    host.stop(handle, 0.0)
    assert server.poll() is None


def test_a_child_that_ended_is_not_waited_for(host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "SETTLES_S", PATIENCE_S)
    with running(WITH_A_ZOMBIE) as server:
        handle = host.start(spec(port_of(server)))
        began = time.monotonic()
        host.freeze(handle)
        assert time.monotonic() - began < PATIENCE_S
        assert [state(pid) for pid in tree_of(server.pid)] == ["T", "Z"]


def test_without_freezes_it_runs_on(port: int, host: LocalHost) -> None:
    handle = host.start(spec(port, freezes=False))
    host.freeze(handle)
    assert all(state(pid) != "T" for pid in host.usage(handle, memory=False).pids)


def test_whoever_leaves_lets_it_go_on(server: subprocess.Popen[str], port: int) -> None:
    with LocalHost() as host:
        host.freeze(host.start(spec(port)))
        assert state(server.pid) == "T"
    # Continued, it is runnable: a signal that was sent has changed the state before kill() returns.
    assert state(server.pid) != "T"
    assert server.poll() is None


def test_two_may_share_it(server: subprocess.Popen[str], port: int, host: LocalHost) -> None:
    first = host.start(spec(port))
    host.freeze(first)
    second = host.start(spec(port))
    assert state(server.pid) != "T"
    host.freeze(second)
    assert state(server.pid) == "T"
    host.thaw(first)
    assert state(server.pid) != "T"
    host.stop(second, 0.0)
    host.thaw(first)


def test_one_that_ends_has_ended(server: subprocess.Popen[str], port: int, host: LocalHost) -> None:
    handle = host.start(spec(port))
    os.kill(server.pid, signal.SIGKILL)
    server.wait(PATIENCE_S)
    with pytest.raises(ExitedError, match="the program ended after"):
        host.usage(handle, memory=False)
    assert server.pid not in raced_pids()
