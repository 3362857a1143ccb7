"""What every host must do, whatever it is. A new implementation joins the list in conftest.py."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deadheat import hosts
from deadheat.errors import UserError
from deadheat.hosts import (
    Collected,
    Event,
    ExitedError,
    Handle,
    Host,
    Spec,
    StartError,
    container_probe,
    interference,
)
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.compilers import Compilers
from deadheat.hosts.cpus import all_of
from deadheat.hosts.local import LocalHost
from deadheat.hosts.output import Output
from deadheat.hosts.processes import TICK_NS
from deadheat.hosts.program import Why
from deadheat.util.interrupt import InterruptedRunError, Stop
from tests.made import containers

PATIENCE_S = 60.0
# Set where these tests run against a machine of a cluster (tests/cluster).
ON_CLUSTER = "DEADHEAT_TEST_CLUSTER"


def spec(folder: Path, *argv: str, **more: object) -> Spec:
    values: dict[str, object] = {
        "argv": argv,
        "cwd": folder,
        "env": {"PATH": os.environ["PATH"]},
        "stdout": folder / "out",
        "stderr": folder / "err",
    }
    return Spec(**(values | more))  # type: ignore[arg-type]


def python(folder: Path, source: str) -> Spec:
    return spec(folder, sys.executable, "-S", "-c", source)


def ended(host: Host, handle: Handle) -> Event:
    (event,) = host.events(handle, PATIENCE_S)
    return event


def test_a_program_runs_in_its_folder_and_tells_its_end(host: Host, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("echo here; echo there >&2; exit 3")
    before_ns = host.now_ns()
    handle = host.start(spec(tmp_path, "sh", "script"))
    event = ended(host, handle)
    assert event.handle == handle
    assert (event.exit.code, event.exit.signal) == (3, None)
    assert before_ns < handle.started_ns < event.exit.at_ns < host.now_ns()
    assert host.collect(handle) == Collected(event.exit, b"here\n", b"there\n", "there")


def test_an_end_is_told_once(host: Host, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "true"))
    ended(host, handle)
    assert host.events(handle, 0) == ()


def test_nothing_happens_to_what_runs(host: Host, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "sleep", "600"))
    assert host.events(handle, 0) == ()
    assert host.collect(handle).exit is None


def test_what_cannot_start_raises(host: Host, tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot run no-such-server"):
        host.start(spec(tmp_path, "no-such-server"))


def test_a_stop_is_polite_first(host: Host, tmp_path: Path) -> None:
    source = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
print('up', flush=True)
while True:
    time.sleep(0.01)
"""
    handle = host.start(python(tmp_path, source))
    hosts.ready(host, handle, lambda: None if host.collect(handle).stdout else "silent", PATIENCE_S, Stop())
    host.freeze(handle)
    assert host.stop(handle, PATIENCE_S).code == 7
    assert host.stop(handle, PATIENCE_S).code == 7


def test_a_stop_is_firm_in_the_end(host: Host, tmp_path: Path) -> None:
    source = "import signal; signal.signal(15, signal.SIG_IGN); print('up', flush=True); signal.pause()"
    handle = host.start(python(tmp_path, source))
    hosts.ready(host, handle, lambda: None if host.collect(handle).stdout else "silent", PATIENCE_S, Stop())
    assert host.stop(handle, 0.05).signal == signal.SIGKILL


ECHO = """
import sys
for line in sys.stdin:
    print('heard', line, end='', flush=True)
print('over', file=sys.stderr)
"""


def talks(folder: Path, source: str = ECHO) -> Spec:
    return replace(
        python(folder, source), stdout=None, piped=True, cpus=frozenset({min(os.sched_getaffinity(0))})
    )


def test_a_program_is_talked_to_line_by_line(host: Host, tmp_path: Path) -> None:
    handle = host.start(talks(tmp_path))
    for line in (b"one", b"two and " * 100_000):
        host.send(handle, line)
        assert host.receive(handle, PATIENCE_S) == b"heard " + line
    used = host.usage(handle, memory=False)
    (pid,) = used.pids
    assert (used.runqueue_wait_ns is None) == (not Path("/proc/self/schedstat").exists())
    assert os.sched_getaffinity(pid) == {min(os.sched_getaffinity(0))}
    # In a session of its own: a Ctrl-C is not for it.
    assert os.getsid(pid) == pid
    exit = host.stop(handle, PATIENCE_S)
    assert (exit.code, exit.why) == (0, Why.STOPPED)
    assert exit.cpu.total_ns > 0
    assert handle.started_ns < exit.at_ns < host.now_ns()
    assert host.collect(handle) == Collected(exit, b"", b"over\n", "over")


def test_lines_may_come_before_they_are_asked_for(host: Host, tmp_path: Path) -> None:
    """And those that it had said when it ended are not lost."""
    handle = host.start(talks(tmp_path, "print('a\\nb\\nnot a line', end='', flush=True)"))
    assert ended(host, handle).exit.code == 0
    assert [host.receive(handle, PATIENCE_S) for _ in range(2)] == [b"a", b"b"]
    for _ in range(2):
        with pytest.raises(ExitedError, match="exited with status 0"):
            host.receive(handle, PATIENCE_S)


def test_who_is_silent_is_not_waited_for_for_ever(host: Host, tmp_path: Path) -> None:
    handle = host.start(talks(tmp_path))
    with pytest.raises(TimeoutError):
        host.receive(handle, 0.01)
    host.freeze(handle)
    host.send(handle, b"later")
    with pytest.raises(TimeoutError):
        host.receive(handle, 0.01)
    host.thaw(handle)
    assert host.receive(handle, PATIENCE_S) == b"heard later"


def test_who_was_talked_to_and_dies_has_died(host: Host, tmp_path: Path) -> None:
    handle = host.start(talks(tmp_path))
    (pid,) = host.usage(handle, memory=True).pids
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ExitedError, match="died of SIGKILL") as caught:
        host.receive(handle, PATIENCE_S)
    for act in (lambda: host.send(handle, b"hello"), lambda: host.usage(handle, memory=False)):
        with pytest.raises(ExitedError, match="died of SIGKILL"):
            act()
    assert ended(host, handle).exit == caught.value.exit == host.stop(handle, 0)


def test_who_does_not_listen_to_the_end_of_its_input_is_killed(host: Host, tmp_path: Path) -> None:
    handle = host.start(talks(tmp_path, "import signal; print('up', flush=True)\nwhile True: signal.pause()"))
    assert host.receive(handle, PATIENCE_S) == b"up"
    host.freeze(handle)
    exit = host.stop(handle, 0.05)
    assert (exit.signal, exit.why) == (signal.SIGKILL, Why.KILLED)


def test_who_was_not_started_to_be_talked_to_is_not(host: Host, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "sleep", "600"))
    for act in (lambda: host.send(handle, b"hello"), lambda: host.receive(handle, 0)):
        with pytest.raises(ValueError, match="was not started to be talked to"):
            act()


@pytest.mark.parametrize("impossible", [{"argv": ("no-such-generator",)}, {"cpus": frozenset({1023})}])
def test_what_cannot_be_started_to_be_talked_to_raises(
    host: Host, tmp_path: Path, impossible: dict[str, Any]
) -> None:
    with pytest.raises(StartError, match="cannot run"):
        host.start(replace(talks(tmp_path), **impossible))


def test_frozen_means_no_cpu_time(host: Host, tmp_path: Path) -> None:
    handle = host.start(python(tmp_path, "while True: pass"))
    host.freeze(handle)
    before, after = host.usage(handle, memory=False), host.usage(handle, memory=True)
    assert before.cpu == after.cpu
    assert before.memory is None and after.memory is not None
    host.thaw(handle)
    while host.usage(handle, memory=False).cpu.total_ns <= after.cpu.total_ns:
        assert host.events(handle, 0.005) == ()


def test_compilers_are_let_onto_other_cpus_and_back_with_those_that_came_since(
    host: Host, tmp_path: Path
) -> None:
    """By their names, those that were there and one that comes later; nobody else of the program moves."""
    source = """
import json, os, sys, threading
def beget(name):
    lives = threading.Event()
    def live():
        with open(f'/proc/self/task/{threading.get_native_id()}/comm', 'w') as comm:
            comm.write(name)
        lives.set()
        threading.Event().wait()
    threading.Thread(target=live, daemon=True).start()
    lives.wait()
beget('C2 CompilerThre'), beget('http-server')
for line in sys.stdin:
    if line.strip():
        beget(line.strip())
    bound = {}
    for task in map(int, os.listdir('/proc/self/task')):
        name = 'main' if task == os.getpid() else open(f'/proc/self/task/{task}/comm').read().strip()
        bound[name] = sorted(os.sched_getaffinity(task))
    print(json.dumps(bound), flush=True)
"""
    all_cpus = all_of(host.cores())
    own, other = all_cpus[0], all_cpus[-1]
    handle = host.start(replace(talks(tmp_path, source), cpus=frozenset({own})))

    def bound(beget: bytes = b"") -> dict[str, list[int]]:
        host.send(handle, beget)
        found: dict[str, list[int]] = json.loads(host.receive(handle, PATIENCE_S))
        return found

    rest = {"main": [own], "http-server": [own]}
    assert bound() == {**rest, "C2 CompilerThre": [own]}
    assert host.compilers_on(handle, {other}).threads == 1
    assert bound(b"C1 CompilerThre") == {**rest, "C2 CompilerThre": [other], "C1 CompilerThre": [own]}
    assert host.compilers_on(handle, {other}).threads == 2
    assert bound() == {**rest, "C2 CompilerThre": [other], "C1 CompilerThre": [other]}
    back = host.compilers_on(handle, None)
    assert back.threads == 2 and back.cpu_ns > 0
    assert bound() == {**rest, "C2 CompilerThre": [own], "C1 CompilerThre": [own]}
    not_bound = host.start(python(tmp_path, source))
    assert host.compilers_on(not_bound, {other}) == Compilers()


def test_switches_and_faults_are_counted(host: Host, tmp_path: Path) -> None:
    source = """
import sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
for line in sys.stdin:
    held = bytearray(int(line))
    for at in range(0, len(held), 4096):
        held[at] = 1
    print('touched', flush=True)
"""
    handle = host.start(talks(tmp_path, source))
    seen = []
    for size in (b"1", b"20000000"):
        host.send(handle, size)
        assert host.receive(handle, PATIENCE_S) == b"touched"
        seen.append(host.counters(handle))
    # 20 MB are pages, of 2 MB each at most.
    assert (seen[1] - seen[0]).minor_faults >= 9
    # It sleeps sooner or later, waiting to be asked.
    while (host.counters(handle) - seen[0]).sleeps == 0:
        host.send(handle, b"1")
        assert host.receive(handle, PATIENCE_S) == b"touched"
    (image,) = host.images(handle)
    (pid,) = host.usage(handle, memory=False).pids
    assert image.pid == pid and pid in image.threads and len(image.threads) == 2
    assert image.files[0] == str(Path(sys.executable).resolve())
    assert any("/libc" in file for file in image.files[1:])


def test_a_short_command_is_run_for_what_it_prints(host: Host, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nread line; echo $1 $line $SAID; echo no >&2; exit 3\n")
    tool.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SAID": "then"}
    ran = host.run(["tool", "first"], env=env, timeout_s=PATIENCE_S, stdin="second\n")
    assert ran == Output(3, "first second then\n", "no\n")


def test_a_short_command_that_is_not_there_or_takes_long(host: Host) -> None:
    with pytest.raises(StartError, match="cannot run no-such-tool"):
        host.run(["no-such-tool"], env={}, timeout_s=PATIENCE_S)
    with pytest.raises(TimeoutError, match="sleep did not end within"):
        host.run(["sleep", "600"], env={}, timeout_s=0.01)


def test_what_has_ended_cannot_be_measured(host: Host, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "false"))
    exit = ended(host, handle).exit

    def usage(handle: Handle) -> object:
        return host.usage(handle, memory=False)

    acts: tuple[Callable[[Handle], object], ...] = (host.freeze, host.thaw, usage, host.counters, host.images)
    for act in acts:
        with pytest.raises(ExitedError, match="exited with status 1") as caught:
            act(handle)
        assert caught.value.exit == exit


def test_a_handle_of_another_host_is_refused(host: Host, tmp_path: Path) -> None:
    with LocalHost() as other:
        stranger = other.start(spec(tmp_path, "true"))
        with pytest.raises(ValueError, match="true"):
            host.collect(stranger)


def test_its_cpus_are_all_that_it_has_whoever_asks(host: Host) -> None:
    """The referee is bound to fewer while it races: a machine has not fewer cores then."""
    every = tuple(sorted(os.sched_getaffinity(0)))
    with on_cpus(every[:1]):
        assert all_of(host.cores()) == every
        facts = host.machine(0)
    assert facts.cores == len(every)
    assert facts.memory_bytes > 1 << 20 and facts.kernel == os.uname().release
    assert json.loads(json.dumps(facts.to_dict()))["kernel"] == facts.kernel  # as machine.json keeps it


def test_what_is_held_is_nobody_else_s_until_it_is_closed(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ON_CLUSTER not in os.environ:  # there each has the cluster's
        monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    host.hold("the first race")
    with LocalHost() as other:
        with pytest.raises(UserError, match=r"a race is on already: the first race, pid \d+"):
            other.hold("the second")
        host.close()
        other.hold("the second")


def test_a_server_is_reached_at_its_address(host: Host, tmp_path: Path) -> None:
    port = host.free_port()
    source = f"import socket, signal; at = socket.create_server(('', {port})); signal.pause()"
    handle = host.start(python(tmp_path, source))

    def answers() -> None:
        socket.create_connection((host.address, port)).close()

    hosts.ready(host, handle, answers, PATIENCE_S, Stop())
    assert host.collect(handle).ports == (port,)


def test_ports_are_never_the_same(host: Host) -> None:
    assert len({host.free_port() for _ in range(50)}) == 50


def test_what_it_started_is_no_interference(host: Host, tmp_path: Path) -> None:
    """Neither while it runs nor when it has ended; what ended is known by the CPUs that it was bound to."""
    cpus = frozenset(os.sched_getaffinity(0))
    burn = "import time\nwhile time.process_time() < 0.2: pass\nprint('done', flush=True)\ntime.sleep(600)"
    before = host.interference(cpus)
    handle = host.start(replace(python(tmp_path, burn), cpus=cpus))
    hosts.ready(host, handle, lambda: None if host.collect(handle).stdout else "burns", PATIENCE_S, Stop())
    alive = host.interference(cpus)
    host.stop(handle, 0)
    ended = host.interference(cpus)
    assert before.at_ns < alive.at_ns < ended.at_ns < host.now_ns()
    assert alive.pinned_ns == before.pinned_ns
    assert ended.pinned_ns[cpus] >= 0.2 * 1e9
    for after in (alive, ended):
        around = interference.between(before, after, race="w", block=0, cpus=cpus)
        assert around.own_ns >= 0.2 * 1e9 - 3 * TICK_NS


def test_a_stranger_is_seen_with_its_cpus(host: Host) -> None:
    """Whoever is not of our tree, who started us say, may be named."""
    seen = host.interference({0})
    # Who asks from another machine is a stranger there too.
    assert (os.getpid() in seen.ours) == (ON_CLUSTER not in os.environ) and os.getppid() not in seen.ours
    assert seen.may_run_on.keys() <= seen.processes.keys() - seen.ours
    assert seen.may_run_on[os.getppid()] == os.sched_getaffinity(os.getppid())


def test_programs_are_found_by_its_own_path(host: Host) -> None:
    there = host.programs()
    asked = host.run(
        ("sh", "-c", "command -v $0", Path(there.python).name), env={"PATH": there.path}, timeout_s=PATIENCE_S
    )
    assert asked.stdout.strip() == there.python


def test_a_network_of_its_own(host: Host) -> None:
    """Where programs are started on this machine, by root; elsewhere nobody would reach what listens."""
    if ON_CLUSTER in os.environ or os.geteuid() != 0:
        with pytest.raises(UserError, match="of its own"):
            host.network("a")
        return
    assert host.network("a") == host.network("a") != host.network("b")


def test_a_program_in_a_container(host: Host) -> None:
    """Started, frozen, thawed, metered and stopped, and told how it was contained."""
    if (why := containers.why_none()) is not None:
        pytest.skip(why)
    found = container_probe.probe(host)
    assert found.engine == host.container_engine().called
    assert found.frozen_by is not None


def test_closing_ends_everything(host: Host, tmp_path: Path) -> None:
    handles = [host.start(spec(tmp_path, "sleep", "600")), host.start(talks(tmp_path))]
    pids = [pid for handle in handles for pid in host.usage(handle, memory=False).pids]
    assert len(pids) == 2
    host.close()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_waiting_ends_with_the_program(host: Host, stop: Stop, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "sh", "-c", "exit 4"))
    assert hosts.wait(host, handle, stop).code == 4


def test_waiting_ends_when_somebody_asks_to_stop(host: Host, stop: Stop, tmp_path: Path) -> None:
    handle = host.start(spec(tmp_path, "sleep", "600"))
    asked = threading.Timer(0.05, setattr, (stop, "requested", True))
    asked.start()
    with pytest.raises(InterruptedRunError):
        hosts.wait(host, handle, stop)
    asked.join()
    assert host.collect(handle).exit is not None


def test_every_verb_of_a_host_is_tried_here() -> None:
    verbs = {name for name in vars(Host) if not name.startswith("_")}
    assert verbs == {name for name in verbs if re.search(rf"\bhost\.{name}\b", Path(__file__).read_text())}
