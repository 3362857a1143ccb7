"""The contenders of `redis-pipeline` as programs: built out of tree, once for each state of their sources."""

import hashlib
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "suite" / "redis-pipeline"
BUILDS = ROOT / ".cache" / "redis-clients"
UNAVAILABLE = 69
# The clients of this repository.
OURS = {"crystal-redis-client", "rust-lean", "ceiling"}
# What builds leave in a source folder, where someone built by hand.
NOT_SOURCES = ("target", "node_modules", "lib", "__pycache__")


@dataclass(frozen=True)
class Contender:
    """One contender or one of its variants, as its manifest describes it."""

    name: str
    build: str
    run: str
    env: tuple[tuple[str, str], ...]
    sources: Path


class UnavailableError(Exception):
    """The build said that it cannot be done here, and why."""


def contenders() -> list[Contender]:
    """All contenders, each followed by its variants, in the order of their folders."""
    found = []
    for manifest in sorted(SUITE.glob("*/contender.toml")):
        base = tomllib.loads(manifest.read_text())
        variants = base.pop("variants", {})
        folder = manifest.parent
        for suffix, keys in [("", {}), *((f":{name}", keys) for name, keys in variants.items())]:
            merged = base | keys
            env = tuple(sorted(merged.get("env", {}).items()))
            found.append(Contender(folder.name + suffix, merged["build"], merged["run"], env, folder))
    return found


def build(contender: Contender) -> Path:
    """The folder that the contender is built in.

    Raises UnavailableError where the build exits 69, RuntimeError where it fails.
    """
    files = sorted(
        path
        for path in contender.sources.rglob("*")
        if path.is_file() and not set(path.relative_to(contender.sources).parts) & set(NOT_SOURCES)
    )
    state = hashlib.sha256(contender.build.encode())
    for path in files:
        state.update(str(path.relative_to(contender.sources)).encode() + path.read_bytes())
    folder = BUILDS / f"{contender.name.replace(':', '-')}-{state.hexdigest()[:16]}"
    done = folder / ".built"
    if done.exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(contender.sources, folder, ignore=shutil.ignore_patterns(*NOT_SOURCES))
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    outcome = subprocess.run(
        ["sh", "-c", contender.build],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if outcome.returncode == UNAVAILABLE:
        raise UnavailableError(outcome.stderr.strip().rpartition("\n")[2])
    if outcome.returncode != 0:
        raise RuntimeError(f"{contender.name} does not build:\n{outcome.stderr[-3000:]}")
    done.touch()
    return folder


def run(
    contender: Contender, folder: Path, port: int, *arguments: str, limit_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end. `limit_s` only keeps a hanging one from hanging the tests."""
    command = contender.run.format(host="127.0.0.1", port=port, args=" ".join(arguments))
    return subprocess.run(
        ["sh", "-c", f"exec {command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        # What it says may quote the server.
        errors="replace",
        check=False,
        timeout=limit_s,
        env=dict(os.environ) | dict(contender.env),
    )
