"""Each language's own formatter, where it is installed, has nothing to change."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import SUITE

FOLDERS = sorted(
    manifest.parent
    for workload in ("app", "fib", "http-hello")
    for manifest in (SUITE / workload).glob("*/contender.toml")
)
FOLDERS.append(Path(__file__).parents[1] / "fixtures" / "published-crystal-handler")


def having(*patterns: str) -> list[Path]:
    """The contenders that hold such files."""
    return [folder for folder in FOLDERS if any(any(folder.glob(pattern)) for pattern in patterns)]


def run(*command: str | Path, cwd: Path) -> str:
    """What the formatter says, output and errors; skips where it is not installed."""
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    return ran.stdout + ran.stderr + (f"exit status {ran.returncode}" if ran.returncode else "")


@pytest.mark.parametrize("folder", having("*.go"), ids=lambda folder: folder.name)
def test_go(folder: Path) -> None:
    assert run("gofmt", "-l", ".", cwd=folder) == ""


@pytest.mark.parametrize("folder", having("src/*.cr"), ids=lambda folder: folder.name)
def test_crystal(folder: Path) -> None:
    assert run("crystal", "tool", "format", "--check", "src", cwd=folder) == ""


@pytest.mark.parametrize("folder", having("Cargo.toml"), ids=lambda folder: folder.name)
def test_rust(folder: Path) -> None:
    assert run("rustfmt", "--edition", "2021", "--check", *folder.glob("src/*.rs"), cwd=folder) == ""


@pytest.mark.parametrize("folder", having("mix.exs"), ids=lambda folder: folder.name)
def test_elixir(folder: Path) -> None:
    assert run("mix", "format", "--check-formatted", cwd=folder) == ""


@pytest.mark.parametrize("folder", having("*.rb", "*.ru"), ids=lambda folder: folder.name)
def test_ruby_warns_of_nothing(folder: Path) -> None:
    for source in (*folder.glob("*.rb"), *folder.glob("*.ru")):
        assert run("ruby", "-wc", source, cwd=folder) == "Syntax OK\n"


@pytest.mark.parametrize("folder", having("src/*.php"), ids=lambda folder: folder.name)
def test_php_finds_no_fault(folder: Path) -> None:
    for source in folder.rglob("*.php"):
        assert "No syntax errors detected" in run("php", "-l", source, cwd=folder)


@pytest.mark.parametrize("folder", having("*.pl"), ids=lambda folder: folder.name)
def test_perl(folder: Path) -> None:
    for source in folder.glob("*.pl"):
        assert run("perltidy", source, "--standard-output", cwd=folder) == source.read_text()


@pytest.mark.parametrize("folder", having("src/*.cpp"), ids=lambda folder: folder.name)
def test_cpp(folder: Path) -> None:
    sources = (*folder.glob("src/*.cpp"), *folder.glob("src/*.hpp"))
    assert run("clang-format", "--dry-run", "--Werror", *sources, cwd=folder) == ""


@pytest.mark.parametrize("folder", having("*.java"), ids=lambda folder: folder.name)
def test_java_warns_of_nothing(folder: Path, tmp_path: Path) -> None:
    sources = folder.glob("*.java")
    assert run("javac", "-Xlint:all", "-Werror", "-d", tmp_path, *sources, cwd=folder) == ""


@pytest.mark.parametrize("folder", having("*.c"), ids=lambda folder: folder.name)
def test_c_warns_of_nothing(folder: Path, tmp_path: Path) -> None:
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-o", tmp_path / "out")
    assert run("gcc", *flags, *folder.glob("*.c"), cwd=folder) == ""
