"""The wheel, and an environment with nothing but it: made once for all tests of this session."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.made.once import Once

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "suite", "engine", "launcher", "setup.py", "pyproject.toml", "MANIFEST.in", "Cargo.lock")
LIMIT_S = 1500
OF_CONTENDERS = ("CARGO_PROFILE_", "CARGO_BUILD_")


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, on a system without Rust, with a home and nothing else."""

    venv: Path
    home: Path

    @property
    def cache(self) -> Path:
        return self.home / "cache"

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def elsewhere(self) -> Path:
        return self.home / "elsewhere"

    def run(self, program: str, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": str(self.home / "bin"),
            "HOME": str(self.home / "home"),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_DATA_HOME": str(self.data),
            "DEADHEAT_LOCK": str(self.home / "lock"),
            "COLUMNS": "200",
        }
        return subprocess.run(
            [self.venv / "bin" / program, *words],
            env=env,
            cwd=cwd or self.elsewhere,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )


@pytest.fixture(scope="session")
def wheel(once: Once) -> Path:
    """The one that `make wheel` built, where nothing has changed since; else it is built here."""
    return once("wheel", lambda folder: _built_before() or _build(folder))


@pytest.fixture(scope="session")
def installed(once: Once, wheel: Path) -> Installed:
    return once("installed", lambda folder: _install(wheel, folder))


def _built_before() -> Path | None:
    built = max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime, default=None)
    if built is None:
        return None
    tracked = _output(["git", "ls-files", "-z", *SOURCES], ROOT).split("\0")
    changed = max((ROOT / name).lstat().st_mtime for name in tracked if name and (ROOT / name).exists())
    return built if built.stat().st_mtime > changed else None


def _build(folder: Path) -> Path:
    # A build's leftovers of modules that are gone would be in the wheel.
    for leftover in (ROOT / "build").glob("lib*"):
        shutil.rmtree(leftover)
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    return next(folder.glob("*.whl"))


def _install(wheel: Path, folder: Path) -> Installed:
    made = Installed(folder / "venv", folder)
    subprocess.run([sys.executable, "-m", "venv", made.venv], check=True, timeout=LIMIT_S)
    _pip(
        f"--python={made.venv / 'bin' / 'python'}",
        "install",
        "--no-compile",
        f"--constraint={ROOT / 'constraints.txt'}",
        str(wheel),
    )
    for name in ("home", "elsewhere", "bin"):
        (folder / name).mkdir()
    _without_rust(folder / "bin")
    return made


def _without_rust(farm: Path) -> None:
    """A link to every program on PATH but Rust's."""
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in sorted(Path(folder).glob("*")):
            link = farm / program.name
            if not program.name.startswith(("cargo", "rust", "deadheat")) and not os.path.lexists(link):
                link.symlink_to(program)


def _pip(*words: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *words],
        # What `make setup` compiled is taken as it is: how contenders are compiled in tests is theirs alone.
        env={name: value for name, value in os.environ.items() if not name.startswith(OF_CONTENDERS)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]


def _output(command: Sequence[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
