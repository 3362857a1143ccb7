"""Nothing above the seam knows which host it is."""

from __future__ import annotations

import ast
import errno
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import deadheat
from deadheat.hosts import ExitedError, NotReadyError, StartError
from deadheat.hosts.local import LocalHost
from deadheat.hosts.meter import CpuTime
from deadheat.hosts.program import Exit, Why

SOURCES = Path(deadheat.__file__).parent
# This machine's own, behind the protocol.
BELOW = {
    f"deadheat.hosts.{name}"
    for name in (
        "attached", "cgroup", "container", "container_guard", "container_owner", "container_start",
        "containers", "elsewhere", "interference.read", "listening", "local", "lock", "machine.read", "piped",
        "ports", "proc_stat", "process", "processes", "tree",
    )
}  # fmt: skip
# What programs are started with, what is read of them, and where that is read.
MODULES = {"subprocess", "psutil", "resource", "multiprocessing", "pty"}
CALLS = {
    "os": {
        "cpu_count", "execvpe", "fork", "getloadavg", "kill", "killpg", "popen", "posix_spawn",
        "sched_getaffinity", "sched_setaffinity", "sysconf", "system", "wait4", "waitpid",
    },
    "time": {"clock_gettime", "clock_gettime_ns"},
}  # fmt: skip
FILES = ("/proc", "/sys/")


def imports(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_no_room_but_hosts_names_a_host() -> None:
    """All others take what they are given."""
    offenders = {
        str(source.relative_to(SOURCES))
        for source in SOURCES.rglob("*.py")
        if source.parent.name != "hosts" and BELOW & set(imports(source))
    }
    # It looks after the caches of the machine that it is called on, while nobody races there; and an agent is
    # what a machine of a cluster has of us.
    assert offenders == {"app/housekeeping.py", "cluster/agent.py"}


# What is not a host's business, or not yet: each with the reason why.
PAST_THE_SEAM = {
    "build/artifact.py": "not yet: what is built is weighed where the referee runs",
    "build/runtime_size.py": "not yet: what is built is weighed where the referee runs",
    "cluster/inherited.py": "what Ray has left in a process can be taken back in it alone",
    "explain/uprobes.py": "calls are counted by this kernel, through descriptors of this process",
    "live/__main__.py": "the page of a race is the referee's own, and keeps out of the way here",
    "live/watch.py": "the same: it starts the page",
    "revisions/git.py": "the user's repository is where the referee runs",
    "suite/commit.py": "the suite is where the referee runs",
}


def machine_dependent(source: Path) -> Iterator[str]:
    """What a module has that starts programs, or reads what only this machine's kernel knows."""
    yield from MODULES & set(imports(source))
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Constant) and str(node.value).startswith(FILES):
            yield str(node.value)
        if isinstance(node, ast.Attribute) and isinstance(of := node.value, ast.Name):
            yield from (f"{of.id}.{name}" for name in CALLS.get(of.id, set()) & {node.attr})


def test_no_room_but_hosts_starts_a_program_or_reads_the_machine() -> None:
    """But for those that say why; one that no longer does is taken from the list."""
    found = {
        str(source.relative_to(SOURCES)): sorted({*machine_dependent(source)})
        for source in SOURCES.rglob("*.py")
        if source.parent.name != "hosts"
    }
    assert {module: what for module, what in found.items() if what}.keys() == PAST_THE_SEAM.keys(), found


@pytest.mark.parametrize(
    "error",
    [
        StartError("cannot run it"),
        NotReadyError(1.5, "got 404"),
        NotReadyError(1.5, "Connection refused", errno.ECONNREFUSED),
        ExitedError(Exit(1, None, Why.EXIT, 2, 1, CpuTime(0, 0), None, None, 0, 0, 0, None)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_the_seam_whole(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_a_host_can_be_used_as_a_context(tmp_path: Path) -> None:
    with LocalHost() as host:
        assert host.now_ns() > 0
