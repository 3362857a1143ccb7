"""How programs end, and that nothing is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.hosts.process import LauncherError, Why

from . import habits
from .conftest import Start
from .watch import PATIENCE_S, alive, eventually, python, said, state


def up(path: Path) -> list[int]:
    """Waits for `up`; the pids it said."""
    eventually(lambda: path.exists() and "up\n" in path.read_text(), "it is up")
    return [int(line) for line in path.read_text().split("up\n")[0].splitlines()]


def test_an_exit_at_once_is_told_with_its_status(start: Start) -> None:
    exit = start(("sh", "-c", "exit 3")).wait(PATIENCE_S)
    assert (exit.code, exit.signal, exit.why, exit.ok) == (3, None, Why.EXIT, False)
    assert exit.wall_ns > 0


@pytest.mark.parametrize("habit", habits.ALL)
@pytest.mark.parametrize("frozen", [False, True], ids=["running", "frozen"])
def test_stop_leaves_nothing(start: Start, tmp_path: Path, habit: str, frozen: bool) -> None:
    process = start(python(habits.ALL[habit]))
    pids = up(tmp_path / "out")
    if frozen:
        process.freeze()
    process.stop(grace_s=0.3)
    assert [pid for pid in pids if alive(pid)] == []


@pytest.mark.parametrize("habit", habits.ALL)
@pytest.mark.parametrize("frozen", [False, True], ids=["running", "frozen"])
def test_nothing_survives_a_referee_that_is_killed(tmp_path: Path, habit: str, frozen: bool) -> None:
    referee = f"""
import os, sys, time
from pathlib import Path
from deadheat.hosts.process import Launcher, Spec
here = Path({str(tmp_path)!r})
process = Launcher.find().start(Spec({python(habits.ALL[habit])!r}, here, stdout=here / "out"))
while not (here / "out").exists() or "up" not in (here / "out").read_text():
    time.sleep(0.01)
if {frozen}:
    process.freeze()
print("ready", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", referee], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        pids = up(tmp_path / "out")
        assert pids and all(alive(pid) for pid in pids)
        running.send_signal(signal.SIGKILL)
    eventually(lambda: not any(alive(pid) for pid in pids), "nothing is left")


def test_nothing_survives_a_referee_whose_fork_still_holds_the_pipe(tmp_path: Path) -> None:
    referee = """
import os, sys, time
from pathlib import Path
from deadheat.hosts.process import Launcher, Spec
process = Launcher.find().start(Spec(("sleep", "600"), Path("/"), env=dict(os.environ)))
helper = os.fork()
if helper == 0:
    time.sleep(600)
print(process.pid, helper, flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", referee], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        pid, helper = map(int, running.stdout.readline().split())
        try:
            running.send_signal(signal.SIGKILL)
            running.wait()
            eventually(lambda: not alive(pid), "the program is gone")
            assert alive(helper)  # or the test would have shown nothing
        finally:
            os.kill(helper, signal.SIGKILL)


def test_one_that_heeds_sigterm_stops_itself(start: Start, tmp_path: Path) -> None:
    process = start(python(habits.HEEDS_TERM))
    up(tmp_path / "out")
    exit = process.stop(PATIENCE_S)
    assert (exit.code, exit.why, exit.stray) == (7, Why.STOPPED, 0)


def test_a_frozen_one_that_heeds_sigterm_stops_itself_too(start: Start, tmp_path: Path) -> None:
    process = start(python(habits.HEEDS_TERM))
    up(tmp_path / "out")
    process.freeze()
    assert (process.stop(PATIENCE_S)).code == 7


def test_one_that_ignores_sigterm_is_killed(start: Start, tmp_path: Path) -> None:
    process = start(python(habits.IGNORES_TERM))
    up(tmp_path / "out")
    exit = process.stop(grace_s=0.05)
    assert (exit.signal, exit.why) == (signal.SIGKILL, Why.KILLED)
    assert "had to be killed" in exit.describe()


def test_one_that_hangs_runs_into_its_time_limit(start: Start, tmp_path: Path) -> None:
    exit = start(python(habits.GRANDCHILDREN_IN_SESSIONS), time_limit_s=1).wait(PATIENCE_S)
    assert (exit.signal, exit.why) == (signal.SIGKILL, Why.TIME_LIMIT)
    assert exit.wall_ns >= 1_000_000_000
    pids = [int(line) for line in (tmp_path / "out").read_text().splitlines() if line != "up"]
    assert not any(alive(pid) for pid in pids)


def test_children_left_behind_are_counted_and_gone(start: Start, tmp_path: Path) -> None:
    source = """
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        say(os.getpid())
        signal.pause()
while os.path.getsize('out') == 0 or open('out').read().count(chr(10)) < 2:
    time.sleep(0.01)
"""
    exit = start(python(source)).wait(PATIENCE_S)
    assert (exit.code, exit.stray, exit.ok) == (0, 2, False)
    assert "leaving 2 processes behind" in exit.describe()
    assert not any(alive(int(pid)) for pid in said(tmp_path / "out", 2))


def test_a_helper_that_goes_when_its_program_has_gone_was_not_left_behind(start: Start) -> None:
    """Erlang has such a one: it reads from a pipe, which ends with the program."""
    source = """
reading, writing = os.pipe()
if os.fork() == 0:
    os.close(writing)
    os.read(reading, 1)
    time.sleep(0.05)
    os._exit(0)
"""
    exit = start(python(source)).wait(PATIENCE_S)
    assert (exit.code, exit.stray, exit.ok) == (0, 0, True)


def test_one_that_flees_by_forking_is_caught(start: Start, tmp_path: Path) -> None:
    """Each process lives only to fork the next, always somewhere else than where one looks."""
    source = """
end = time.monotonic() + 120
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
"""
    process = start(python(source))
    exit = process.wait(PATIENCE_S)
    assert exit.code == 0
    runaways = [
        pid
        for pid in Path("/proc").iterdir()
        if pid.name.isdigit() and str(tmp_path) == _directory(pid) and alive(int(pid.name))
    ]
    assert runaways == []


def _directory(pid: Path) -> str:
    try:
        return str((pid / "cwd").readlink())
    except OSError:
        return ""


def test_a_double_fork_is_reaped_while_the_program_runs(start: Start, tmp_path: Path) -> None:
    source = """
if os.fork() == 0:
    if os.fork() == 0:
        say(os.getpid())
    os._exit(0)
os.wait()
say('up')
signal.pause()
"""
    process = start(python(source))
    said(tmp_path / "out", 2)
    orphan = next(int(line) for line in (tmp_path / "out").read_text().splitlines() if line != "up")
    eventually(lambda: state(orphan) == "", "the orphan is reaped")
    assert process.usage().pids == (process.pid,)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_launcher_told_to_go_takes_all_with_it(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    process = start(python(habits.GRANDCHILDREN_IN_SESSIONS))
    pids = up(tmp_path / "out")
    os.kill(process._launcher.pid, number)
    assert process.wait(PATIENCE_S).why is Why.KILLED
    assert not any(alive(pid) for pid in pids)


def test_a_launcher_that_is_killed_takes_the_program_with_it(start: Start) -> None:
    process = start(("sleep", "600"))
    os.kill(process._launcher.pid, signal.SIGKILL)
    eventually(lambda: not alive(process.pid), "the program is gone")
    with pytest.raises(LauncherError, match="died of SIGKILL"):
        process.wait(PATIENCE_S)


def test_leaving_a_with_block_kills(start: Start) -> None:
    with start(("sleep", "600")) as process:
        assert alive(process.pid)
    assert not alive(process.pid)


def test_waiting_is_not_for_ever(start: Start) -> None:
    process = start(("sleep", "600"))
    assert process.poll() is None
    with pytest.raises(TimeoutError):
        process.wait(0.01)
