"""Starting programs in tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deadheat.hosts.process import Launcher, Process, Spec

Start = Callable[..., Process]


@pytest.fixture
def launcher() -> Launcher:
    return Launcher.find()


@pytest.fixture
def start(launcher: Launcher, tmp_path: Path) -> Iterator[Start]:
    """Starts a command line in a fresh directory with its output in `out` and `err`."""
    started: list[Process] = []

    def start_one(argv: tuple[str, ...], **more: object) -> Process:
        values: dict[str, object] = {
            "argv": argv,
            "cwd": tmp_path,
            "env": {"PATH": os.environ["PATH"]},
            "stdout": tmp_path / "out",
            "stderr": tmp_path / "err",
        }
        process = launcher.start(Spec(**(values | more)))  # type: ignore[arg-type]
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.close()
