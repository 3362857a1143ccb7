"""The real consumers of our exports, got by their languages' own clients into our tool folder.

Where one cannot be had its test is skipped, and says what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from deadheat.build import command
from deadheat.util.paths import cache_folder

PERF = "v0.0.0-20260908200009-22c9c6c9d4da"
HYPERFINE = "1.19.0"
LIMIT_S = 500

CRATE = f"""\
[package]
name = "consumer"
version = "0.0.0"
edition = "2021"
publish = false
[dependencies]
hyperfine = "={HYPERFINE}"
[lib]
path = "lib.rs"
"""


def benchstat() -> Path:
    """golang.org/x/perf's benchstat at the pinned version, installed when it is first needed."""
    folder = _folder(f"benchstat-{PERF}")
    if not (folder / "benchstat").exists():
        _get("go", ["install", f"golang.org/x/perf/cmd/benchstat@{PERF}"], folder, GOBIN=str(folder))
    return folder / "benchstat"


def hyperfine_scripts() -> Path:
    """The scripts that hyperfine's own crate ships beside its sources."""
    folder = _folder(f"hyperfine-{HYPERFINE}")
    (folder / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(CRATE)
    sources = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "registry" / "src"
    found = list(sources.glob(f"*/hyperfine-{HYPERFINE}/scripts"))
    if not found:
        # A program is no dependency that cargo would build or name; but it gets its sources all the same.
        _get("cargo", ["fetch", "--quiet"], folder)
        found = list(sources.glob(f"*/hyperfine-{HYPERFINE}/scripts"))
    if not found:
        pytest.skip(f"cargo fetch left no hyperfine-{HYPERFINE} in {sources}")
    return found[0]


def node_package(name: str, version: str) -> Path:
    """A folder in which `require("name")` and `import` find that package."""
    folder = _folder(f"npm-{name}-{version}")
    if not (folder / "node_modules" / name).exists():
        _get("npm", ["install", "--no-audit", "--no-fund", "--prefix", ".", f"{name}@{version}"], folder)
    return folder


def openmetrics(text: bytes) -> list[Metric]:
    """What Prometheus's own parser makes of it. Raises ValueError."""
    families: list[Metric] = list(text_string_to_metric_families(text.decode()))  # type: ignore[no-untyped-call]
    return families


def _folder(name: str) -> Path:
    folder = cache_folder() / "tools" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _get(program: str, arguments: Sequence[str], folder: Path, **env: str) -> str:
    path = shutil.which(program, path=command.path())
    if path is None:
        pytest.skip(f"{program} not found: install it to check this export against its real consumer")
    ran = subprocess.run(
        [path, *arguments],
        cwd=folder,
        env={**os.environ, "PATH": command.path(), **env},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    if ran.returncode != 0:
        what = " ".join([program, *arguments])
        pytest.skip(f"{what} failed (no network?): {ran.stderr.strip()[-300:]}")
    return ran.stdout
