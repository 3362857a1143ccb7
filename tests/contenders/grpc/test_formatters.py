"""Each language's own formatter, where it is installed, has nothing to change."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .servers import SUITE

WORKLOAD = SUITE / "grpc-unary"
LIMIT_S = 120


def run(*command: str | Path, cwd: Path) -> str:
    """What the formatter says, and its exit status where that is not 0; skips where it is not installed."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return ran.stdout + ran.stderr + (f"exit status {ran.returncode}" if ran.returncode else "")


@pytest.mark.parametrize("contender", ["go-grpc", "go-connect"])
def test_go(contender: str) -> None:
    assert run("gofmt", "-l", ".", cwd=WORKLOAD / contender) == ""


@pytest.mark.parametrize("contender", ["rust-tonic", "rust-volo"])
def test_rust(contender: str) -> None:
    assert run("cargo", "fmt", "--all", "--check", cwd=WORKLOAD / contender) == ""


def test_node_parses() -> None:
    assert run("node", "--check", "server.js", cwd=WORKLOAD / "node-grpc-js") == ""


def test_cpp() -> None:
    assert (
        run("clang-format", "--style=Google", "--dry-run", "--Werror", "server.cc", cwd=WORKLOAD / "cpp-grpc")
        == ""
    )
