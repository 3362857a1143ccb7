"""C programs that use a known amount of memory and CPU time."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deadheat.hosts.process import Launcher, Process, Spec

PATIENCE_S = 60.0

Start = Callable[..., Process]


def compiled(source: str, target: Path, *options: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc not found: the C programs of known size cannot be built")
    here = Path(__file__).parent
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", here / source, "-o", target, *options], check=True)
    return target


@pytest.fixture(scope="session")
def touch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("touch.c", tmp_path_factory.mktemp("bin") / "touch")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Smaller than any launcher: no C library, not even a start-up file."""
    options = ("-static", "-nostdlib", "-nostartfiles", "-ffreestanding")
    return compiled("tiny.c", tmp_path_factory.mktemp("bin") / "tiny", *options)


@pytest.fixture
def start(touch: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts `touch` with memory in MB, CPU time in ms, and so many children that do the same."""
    started: list[Process] = []

    def start_one(
        freed_mb: int = 0,
        kept_mb: int = 0,
        burn_ms: int = 0,
        children: int = 0,
        *,
        hold: bool = False,
        launcher: Launcher | None = None,
        cpus: frozenset[int] | None = None,
        peak_memory: bool = False,
    ) -> Process:
        out = tmp_path / f"out-{len(started)}"
        words = [str(touch), *map(str, (freed_mb, kept_mb, burn_ms, children)), *(["hold"] if hold else [])]
        spec = Spec(tuple(words), tmp_path, cpus=cpus, stdout=out, peak_memory=peak_memory)
        process = (launcher or Launcher.find()).start(spec)
        started.append(process)
        deadline = time.monotonic() + PATIENCE_S
        while hold and not out.read_text():
            assert time.monotonic() < deadline, "it never came up"
            time.sleep(0.005)
        return process

    yield start_one
    for process in started:
        process.close()


@pytest.fixture
def fat_parent() -> Iterator[bytearray]:
    """Makes this very process large: what is forked from it must not be taken for as large."""
    ballast = bytearray(os.urandom(1)) * (200 << 20)
    yield ballast
    del ballast


@pytest.fixture(scope="session")
def launcher_without_ptrace(tmp_path_factory: pytest.TempPathFactory) -> Launcher:
    target = tmp_path_factory.mktemp("bin") / "forbid-ptrace"
    return Launcher(compiled("forbid_ptrace.c", target, f'-DLAUNCHER="{Launcher.find().binary}"'))
