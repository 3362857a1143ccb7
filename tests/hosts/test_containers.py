"""Programs in containers, by the real podman and, where it is, the real docker: bound, frozen, metered,
stopped, removed, and our own in every count of who used the CPUs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import hosts
from deadheat.hosts import ExitedError, Handle, Spec, StartError, interference
from deadheat.hosts.cgroup import Cgroup
from deadheat.hosts.container import Container
from deadheat.hosts.containers import sweep
from deadheat.hosts.local import LocalHost
from deadheat.hosts.program import InContainer, Why
from deadheat.util.interrupt import Stop
from tests.made import containers
from tests.made.containers import PATIENCE_S, Engine

SPUN_NS = 200_000_000
# How names of containers of this process begin.
OWN = f"deadheat-test-{os.getpid()}-"


@pytest.fixture(scope="module", params=["podman", "docker"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    why = containers.why_none() if request.param == "podman" else containers.why_no_docker()
    if why is not None:
        pytest.skip(why)
    if request.param == "podman":
        yield containers.podman()
        return
    with containers.docker() as made:
        yield made


@pytest.fixture(scope="module")
def image(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with containers.image(engine, tmp_path_factory.mktemp("image")) as name:
        yield name


@pytest.fixture
def host(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHost]:
    for name, value in engine.env.items():
        monkeypatch.setenv(name, value)
    with LocalHost() as made:
        yield made


@pytest.fixture
def spec(image: str, host: LocalHost, tmp_path: Path) -> Callable[..., Spec]:
    """A server of that image with these arguments, on one CPU."""

    def made(*args: str, inside: int | None = None) -> Spec:
        port = host.free_port()
        return Spec(
            argv=("a server", *args),
            cwd=tmp_path,
            env={"PORT": str(inside or port)},
            cpus=frozenset({min(os.sched_getaffinity(0))}),
            stdout=tmp_path / "out",
            stderr=tmp_path / "err",
            container=InContainer(image, "test", port, inside),
        )

    return made


def served(host: LocalHost, spec: Spec) -> Handle:
    """Started, and answers."""
    assert spec.container is not None
    handle = host.start(spec)
    hosts.ready(host, handle, lambda: None if answer(spec) == "hello" else "otherwise", PATIENCE_S, Stop())
    return handle


def answer(spec: Spec, within_s: float = PATIENCE_S) -> str:
    assert spec.container is not None
    with urllib.request.urlopen(f"http://127.0.0.1:{spec.container.port}/", timeout=within_s) as answered:
        return str(answered.read().decode())


def said(host: LocalHost, handle: Handle) -> bytes:
    """What it has printed, when there is some: it comes by way of its engine."""
    deadline = time.monotonic() + PATIENCE_S
    while not (out := host.collect(handle).stdout):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return out


def spun(host: LocalHost, handle: Handle, more_ns: int = SPUN_NS) -> int:
    """CPU time of a server that turns without an end, when it has used so much more than now."""
    begun = host.usage(handle, memory=False).cpu.total_ns
    deadline = time.monotonic() + PATIENCE_S
    while (now := host.usage(handle, memory=False).cpu.total_ns) < begun + more_ns:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return now


def test_it_is_served_bound_and_seen(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    own = spec()
    before_ns = host.now_ns()
    handle = served(host, own)
    assert before_ns < handle.started_ns < host.now_ns()
    usage = host.usage(handle, memory=True)
    assert usage.memory is not None
    assert usage.memory.proportional_bytes and usage.memory.private_bytes and usage.memory.peak_bytes
    assert usage.threads > 1 and usage.cpu.total_ns > 0 and usage.runqueue_wait_ns is not None
    for pid in usage.pids:
        assert frozenset(os.sched_getaffinity(pid)) == own.cpus
    left = host.collect(handle)
    assert own.container is not None and own.container.port in left.ports
    assert said(host, handle).startswith(b"listens at ")
    assert left.container is not None and left.container.engine.startswith(f"{engine.name} ")
    assert left.container.published is False
    # As root all of it may be had; which version of cgroups does it is this machine's own business.
    assert left.container.frozen_by in ("cgroup v1", "cgroup v2")
    assert left.container.metered_by in ("cgroup v1", "cgroup v2")


def test_frozen_it_uses_nothing_and_answers_nobody(host: LocalHost, spec: Callable[..., Spec]) -> None:
    own = spec("spins")
    handle = served(host, own)
    spun(host, handle)
    host.freeze(handle)
    used_ns = host.usage(handle, memory=False).cpu.total_ns
    with pytest.raises(OSError, match="timed out"):
        answer(own, within_s=0.3)
    assert host.usage(handle, memory=False).cpu.total_ns == used_ns
    host.thaw(handle)
    assert answer(own) == "hello"
    assert spun(host, handle) > used_ns


def test_by_each_version_of_cgroups_that_is_here(
    host: LocalHost, spec: Callable[..., Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that has both freezes and meters by either."""
    of = Cgroup.of
    first = served(host, spec("spins"))
    found = host.collect(first).container
    assert found is not None
    host.stop(first, 0)
    hidden = "" if found.frozen_by == "cgroup v2" else "freezer"

    def without(pid: int, id_: str) -> Cgroup:
        whole = of(pid, id_)
        return Cgroup({name: folder for name, folder in whole.folders.items() if name != hidden})

    monkeypatch.setattr(Cgroup, "of", without)
    handle = served(host, spec("spins"))
    other = host.collect(handle).container
    assert other is not None and other.frozen_by != found.frozen_by
    spun(host, handle)
    host.freeze(handle)
    used_ns = host.usage(handle, memory=False).cpu.total_ns
    time.sleep(0.05)
    assert host.usage(handle, memory=False).cpu.total_ns == used_ns
    host.thaw(handle)
    spun(host, handle)
    host.freeze(handle)
    # What is frozen ends all the same.
    assert host.stop(handle, 0).why in (Why.STOPPED, Why.KILLED)


def test_without_a_cgroup_of_its_own_by_signals(
    host: LocalHost, spec: Callable[..., Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a user without delegation has it: stopped and metered process by process."""
    own = spec("spins")
    started = Container._look

    def blind(self: Container) -> None:
        self._engine = replace(self._engine, apart=False)
        started(self)

    monkeypatch.setattr(Container, "_look", blind)
    monkeypatch.setattr(Cgroup, "of", lambda pid, id_: Cgroup({}))
    handle = served(host, own)
    found = host.collect(handle).container
    assert found is not None and (found.frozen_by, found.metered_by) == ("SIGSTOP", "processes")
    spun(host, handle)
    host.freeze(handle)
    used_ns = host.usage(handle, memory=False).cpu.total_ns
    time.sleep(0.05)
    assert host.usage(handle, memory=False).cpu.total_ns == used_ns
    host.thaw(handle)
    assert answer(own) == "hello"


def test_whom_nobody_may_stop_runs_on(
    host: LocalHost, spec: Callable[..., Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cgroup, "freezer", lambda self: None)
    kill = os.kill

    def forbidden(pid: int, number: int) -> None:
        if number == 0:
            raise PermissionError
        kill(pid, number)

    monkeypatch.setattr(os, "kill", forbidden)
    own = spec("spins")
    handle = served(host, own)
    found = host.collect(handle).container
    assert found is not None and found.frozen_by is None
    host.freeze(handle)
    assert answer(own) == "hello"
    spun(host, handle)


def test_what_it_uses_is_our_own(host: LocalHost, spec: Callable[..., Spec]) -> None:
    """While it runs, and when all of it is gone: nobody else has used that time."""
    cpus = sorted(os.sched_getaffinity(0))
    before = host.interference(cpus)
    handle = served(host, spec("spins"))
    used_ns = spun(host, handle, 5 * SPUN_NS)
    pids = host.usage(handle, memory=False).pids
    while_it_runs = interference.between(before, host.interference(cpus), race="test", block=0, cpus=cpus)
    host.stop(handle, 0)
    after = interference.between(before, host.interference(cpus), race="test", block=0, cpus=cpus)
    for around in (while_it_runs, after):
        assert around.own_ns > 0.9 * used_ns
        assert not set(pids) & {one.pid for one in around.busiest}


def test_a_stop_is_polite_first(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    handle = served(host, spec("polite"))
    host.freeze(handle)
    exit_ = host.stop(handle, PATIENCE_S)
    assert (exit_.code, exit_.why, exit_.stray) == (7, Why.STOPPED, 0)
    assert host.stop(handle, PATIENCE_S) == exit_
    assert engine.containers(OWN) == []
    with pytest.raises(ExitedError, match="was stopped"):
        host.usage(handle, memory=False)


def test_a_stop_is_firm_in_the_end(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    handle = served(host, spec("deaf"))
    assert host.stop(handle, 0.5).why is Why.KILLED
    assert engine.containers(OWN) == []


def test_one_that_ends_at_once(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    handle = host.start(spec("ends"))
    (event,) = host.events(handle, PATIENCE_S)
    assert (event.exit.code, event.exit.why) == (3, Why.EXIT)
    assert host.collect(handle).output_tail == "no such database: shop"
    with pytest.raises(ExitedError, match="exited with status 3"):
        host.freeze(handle)
    host.stop(handle, 0)
    assert engine.containers(OWN) == []


def test_an_image_that_is_not_there_is_not_fetched(host: LocalHost, spec: Callable[..., Spec]) -> None:
    own = spec()
    assert own.container is not None
    absent = replace(own, container=replace(own.container, image="localhost/deadheat-tests/absent:1"))
    with pytest.raises(StartError, match=r"a server: (podman|docker): .*absent"):
        host.start(absent)


def test_a_program_that_is_not_in_it(host: LocalHost, image: str, tmp_path: Path, engine: Engine) -> None:
    """The engine says so, and its last line is the reason."""
    name = f"{image}-broken"
    (tmp_path / "Containerfile").write_text(f'FROM {image}\nENTRYPOINT ["/absent"]\n')
    engine.says("build", "--quiet", "--tag", name, "--file", str(tmp_path / "Containerfile"), str(tmp_path))
    try:
        spec = Spec(
            argv=("broken",),
            cwd=tmp_path,
            stderr=tmp_path / "err",
            container=InContainer(name, "test", host.free_port()),
        )
        with pytest.raises(StartError, match=r"broken: .*/absent"):
            host.events(host.start(spec), PATIENCE_S)
            raise StartError(f"broken: {(tmp_path / 'err').read_text()}")
    finally:
        engine.says("rmi", "--force", name)


def test_a_port_of_its_own_is_published(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    if not engine.published:
        pytest.skip("the tests' daemon makes no networks, as that would change the firewall of this machine")
    own = spec(inside=8080)
    assert own.container is not None and own.container.port != 8080
    handle = served(host, own)
    left = host.collect(handle)
    assert left.container is not None and left.container.published
    assert left.ports == (own.container.port,)
    assert said(host, handle) == b"listens at 8080\n"


# Starts one, freezes it and tells its name; then waits for the worst.
REFEREE = """\
import sys, time
from pathlib import Path
from deadheat.hosts.local import LocalHost
from deadheat.hosts.program import InContainer, Spec

host = LocalHost()
container = InContainer(sys.argv[1], "killed", host.free_port())
handle = host.start(Spec(argv=("a server", "spins"), cwd=Path(sys.argv[2]), container=container))
host.freeze(handle)
[process] = host._processes.values()
guard = host._containers._guard._process.pid
print(process.name, process._folder.name, guard, *host.usage(handle, memory=False).pids, flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("alone", [True, False], ids=["the referee", "the referee and the guard"])
def test_kill_9_leaves_nothing(
    host: LocalHost, image: str, engine: Engine, tmp_path: Path, alone: bool
) -> None:
    """Nor does a frozen container survive; where nobody was left to remove it, the next start does."""
    words = [sys.executable, "-c", REFEREE, image, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout is not None
        name, folder, guard, *pids = referee.stdout.readline().split()
        assert engine.containers(name) == [name]
        assert Path(folder).is_dir()
        if not alone:
            os.kill(int(guard), signal.SIGKILL)
        referee.kill()
    if not alone:
        assert "killed" in sweep(host.container_engine())
    engine.all_removed([name])
    deadline = time.monotonic() + PATIENCE_S
    while left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    while alone and Path(folder).exists():
        assert time.monotonic() < deadline, folder
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)  # which nobody knows of when the guard is gone too


def test_what_lives_is_not_swept_up(host: LocalHost, spec: Callable[..., Spec], engine: Engine) -> None:
    own = spec()
    served(host, own)
    assert "test" not in sweep(host.container_engine())
    assert len(engine.containers(OWN)) == 1
    assert answer(own) == "hello"


def test_the_end_of_a_host_is_the_end_of_its_containers(
    spec: Callable[..., Spec], engine: Engine, host: LocalHost
) -> None:
    with ExitStack() as stack:
        other = stack.enter_context(LocalHost())
        served(other, spec("deaf"))
        assert len(engine.containers(OWN)) == 1
    assert engine.containers(OWN) == []
