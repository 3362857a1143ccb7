"""Nobody of a frozen tree runs, and all of a thawed one do."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.hosts.meter import process_cpu_ns

from . import habits
from .conftest import Start
from .test_end import up
from .watch import eventually, python, state


def thread_states(pids: list[int]) -> set[str]:
    states = set()
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            states.add((thread / "stat").read_text().rsplit(")", 1)[1].split()[0])
    return states


@pytest.mark.parametrize("peak_memory", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize("habit", habits.ALL)
def test_every_thread_of_the_tree_is_stopped(
    start: Start, tmp_path: Path, habit: str, peak_memory: bool
) -> None:
    process = start(python(habits.ALL[habit]), peak_memory=peak_memory)
    pids = up(tmp_path / "out")
    for _ in range(5):
        process.freeze()
        assert thread_states(pids) <= {"T", "t"}
        process.thaw()
    eventually(lambda: not thread_states(pids) & {"T", "t"}, "all run again")


def test_a_frozen_program_uses_no_cpu_time_and_a_thawed_one_does(start: Start, tmp_path: Path) -> None:
    process = start(python(habits.THREADS))
    up(tmp_path / "out")
    process.freeze()
    before = process.usage(memory=False)
    frozen_ns = process_cpu_ns(process.pid)
    for _ in range(50):
        assert process_cpu_ns(process.pid) == frozen_ns
    after = process.usage(memory=False)
    assert after.cpu == before.cpu
    process.thaw()
    eventually(lambda: process.usage().cpu.total_ns > before.cpu.total_ns, "it runs again")


def test_one_that_forks_all_the_time_can_be_frozen(start: Start, tmp_path: Path) -> None:
    source = """
say('up')
while True:
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            time.sleep(0.001)
        os._exit(0)
    os.waitpid(child, 0)
"""
    process = start(python(source))
    up(tmp_path / "out")
    for _ in range(20):
        process.freeze()
        members = process.usage(memory=False).pids
        assert thread_states(list(members)) <= {"T"}
        assert process.usage(memory=False).pids == members
        process.thaw()


def test_a_parent_in_vfork_counts_as_frozen(start: Start, tmp_path: Path) -> None:
    """It waits in the kernel, out of reach of SIGSTOP, for a child that is itself stopped."""
    source = """
import subprocess
say(os.getpid())
libc = __import__('ctypes').CDLL(None)
say('up')
libc.system(b'exec sleep 600')
"""
    process = start(python(source))
    up(tmp_path / "out")
    process.freeze()
    process.thaw()
    assert process.poll() is None


def test_freezing_twice_and_thawing_twice_do_no_harm(start: Start) -> None:
    process = start(("sleep", "600"))
    first = process.freeze()
    assert process.freeze() >= first
    assert state(process.pid) == "T"
    process.thaw()
    process.thaw()
    eventually(lambda: state(process.pid) == "S", "it sleeps again")
