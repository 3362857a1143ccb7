"""macOS and Windows, as far as they can be had here: Python without what only Linux, or only Unix, has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.made.runs import Made

ROOT = Path(__file__).parents[2]
# What the standard library lacks there, and what sys.platform would say (it itself asks that while it loads).
ELSEWHERE = """\
import os, sys
import pathlib, subprocess, tempfile, asyncio, multiprocessing  # they look at the platform themselves
for module in {missing}:
    sys.modules[module] = None
for name in ("sched_getaffinity", "sched_setaffinity", "sysconf", "getpriority"):
    if hasattr(os, name) and name in {lost}:
        delattr(os, name)
from deadheat.cli import command
command.platform = lambda: "{platform}"
from deadheat.cli import main
main()
"""
SYSTEMS = {
    "darwin": {"missing": [], "lost": ["sched_getaffinity", "sched_setaffinity"]},
    "win32": {
        "missing": ["fcntl", "resource", "pwd", "grp", "termios"],
        "lost": ["sched_getaffinity", "sched_setaffinity", "sysconf", "getpriority"],
    },
}


def _deadheat(platform: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = ELSEWHERE.format(platform=platform, **SYSTEMS[platform])
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("platform", SYSTEMS)
@pytest.mark.parametrize("verb", ["race", "check", "build", "doctor", "calibrate", "cache"])
def test_what_needs_linux_says_so_in_one_line(platform: str, verb: str) -> None:
    ran = _deadheat(platform, verb)
    assert (ran.returncode, ran.stdout) == (2, "")
    error, hint = ran.stderr.splitlines()
    assert error.startswith(f"error: deadheat {verb} needs Linux")
    assert hint.startswith("hint: here work list, show, report")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was made on Linux, in a runs folder."""
    folder = tmp_path_factory.mktemp("runs")
    Made(tmp_path_factory.mktemp("suite"), contenders=2, blocks=5).save(folder / "one")
    return folder


# A report first: it derives what the others look at.
LOOKS = [
    ("report", "{run}"),
    ("show", "{run}"),
    ("claims", "--run", "{run}"),
    ("cost", "{run}", "--core-hour", "0.04"),
    ("runs", "--out", "{runs}"),
    ("list",),
    ("export", "{run}", "--to", "csv", "--out", "{runs}/tables"),
    ("history", "add", "{run}", "--out", "{runs}"),
    ("history", "--out", "{runs}"),
    ("compare", "{run}", "{run}", "--out", "{runs}"),
]


@pytest.mark.parametrize("platform", SYSTEMS)
def test_what_looks_at_runs_works_there(platform: str, runs: Path) -> None:
    for words in LOOKS:
        ran = _deadheat(platform, *(word.format(run=runs / "one", runs=runs) for word in words))
        assert ran.returncode == 0, (words, ran.stderr)
    assert (runs / "one" / "report.html").exists()
    assert (runs / "tables").is_dir()
