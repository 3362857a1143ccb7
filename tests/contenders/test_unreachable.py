"""A build whose packages cannot be had says so at once: exit status 69, the reason in the last line.

Every registry is one that nobody listens at, on loopback, and every cache is empty.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deadheat.suite import suite

from .conftest import SUITE

NOBODY = "http://127.0.0.1:9"
EX_UNAVAILABLE = 69
HANGS_S = 120


def build(
    id_: str, tmp_path: Path, *, workload: str = "http-hello", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a contender's build line in a copy of its folder, beside the workload's own files."""
    contender = suite.load(SUITE).contender(workload, id_)
    assert contender.build is not None
    for file in contender.folder.parent.iterdir():
        if file.is_file():
            shutil.copy2(file, tmp_path)
    folder = tmp_path / contender.folder.name
    shutil.copytree(contender.folder, folder, ignore=shutil.ignore_patterns("node_modules", "target", "deps"))
    return subprocess.run(
        ["sh", "-c", contender.build],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


@pytest.mark.parametrize(
    ("workload", "contender"),
    (
        ("http-hello", "phoenix"),
        ("http-hello", "phoenix-clean:bandit"),
        ("http-hello", "phoenix:as-printed"),
        ("http-hello", "plug-cowboy:iex"),
        ("app-json", "elixir-phoenix-ecto"),
    ),
)
def test_hex(workload: str, contender: str, tmp_path: Path) -> None:
    needs("mix")
    ran = build(
        contender,
        tmp_path,
        workload=workload,
        HEX_MIRROR=NOBODY,
        HEX_BUILDS_URL=NOBODY,
        MIX_HOME=str(tmp_path / "mix"),
        HEX_HOME=str(tmp_path / "hex"),
    )
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    assert ran.stderr.splitlines()[-1] == "Hex cannot be reached (set HEX_MIRROR, or see docs/elixir.md)"


@pytest.mark.parametrize("contender", ("express", "express:express-4", "fastify"))
def test_npm(contender: str, tmp_path: Path) -> None:
    needs("npm")
    ran = build(contender, tmp_path, npm_config_registry=NOBODY, npm_config_cache=str(tmp_path / "npm"))
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    assert ran.stderr.splitlines()[-1] == "the npm registry cannot be reached (npm config set registry URL)"


@pytest.mark.parametrize("contender", ("python-uvicorn", "python-uvicorn:granian"))
def test_python_packages(contender: str, tmp_path: Path) -> None:
    ran = build(contender, tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path), PIP_NO_CACHE_DIR="1")
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    assert "cannot be had" in ran.stderr.splitlines()[-1]


def test_crates(tmp_path: Path) -> None:
    needs("cargo")
    cargo_home = tmp_path / "cargo"
    cargo_home.mkdir()
    (cargo_home / "config.toml").write_text(
        '[net]\nretry = 0\n[source.crates-io]\nreplace-with = "nobody"\n'
        f'[source.nobody]\nregistry = "sparse+{NOBODY}/"\n'
    )
    ran = build("rust-axum", tmp_path, CARGO_HOME=str(cargo_home))
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    assert "cannot be had" in ran.stderr.splitlines()[-1]


def test_shards(tmp_path: Path) -> None:
    """Wherever Git would fetch a shard from, nobody listens; a machine may have no shards at all."""
    ran = build(
        "crystal-http-pg",
        tmp_path,
        workload="app-json",
        SHARDS_CACHE_PATH=str(tmp_path / "shards"),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"url.{NOBODY}/.insteadOf",
        GIT_CONFIG_VALUE_0="https://",
    )
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    said = (
        "the shards cannot be installed: " if shutil.which("shards") else "shards, Crystal's package manager,"
    )
    assert ran.stderr.splitlines()[-1].startswith(said)


def test_libraries_of_erlang(tmp_path: Path) -> None:
    """Erlang forgets where one of them lies."""
    needs("elixir")
    ran = build(
        "elixir-otp-pgsql",
        tmp_path,
        workload="app-json",
        ELIXIR_ERL_OPTIONS="-eval code:del_path(jiffy).",
    )
    assert ran.returncode == EX_UNAVAILABLE, ran.stderr
    assert "apt-get install erlang-jiffy" in ran.stderr.splitlines()[-1]
