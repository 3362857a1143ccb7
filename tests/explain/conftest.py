"""A suite of planted servers, and `deadheat explain` run on them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PLANTED = Path(__file__).parent / "planted.py"
#: Long enough for a loaded machine; no test waits for it unless it fails.
PATIENCE_S = 180.0

WORKLOAD = """\
title = "Planted"
question = "What is planted?"
kind = "http"
metric = "throughput_rps"
reference = "two-calls"
[request]
path = "/{token}"
[load]
connections = 1
at_once = 20 # answered one after another, of 40 ms each where it sleeps: 200 would take 8 of 10 s
[[conformance]]
path = "/{token}"
body = "Hello from {token}!"
"""
SERVICE = """\
[[services]]
name = "redis"
run = "deadheat-load serve redis --port {port}"
tells = true
ready = { send = "PING", expect = "+PONG" }
"""
CONTENDER = """\
title = "%(name)s"
language = "Planted"
class = "idiomatic"
run = "{python} -S -E ../planted.py {port} %(name)s %(more)s"
"""


@dataclass
class Explain:
    """`deadheat explain` with all its files below one folder."""

    home: Path
    suite: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    def start(self, *args: str) -> subprocess.Popen[str]:
        env = {
            **os.environ,
            "DEADHEAT_LOCK": str(self.home / "lock"),
            "DEADHEAT_CACHE": str(self.home / "cache"),
            "DEADHEAT_RUNS": str(self.runs),
            "DEADHEAT_SUITE": str(self.suite),
            **self.env,
        }
        argv = [str(Path(sys.executable).parent / "deadheat"), "explain", *args]
        return subprocess.Popen(
            argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def run(self, *args: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        process = self.start(*args)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, out, err

    def page(self, *args: str) -> dict[str, Any]:
        """What --json prints."""
        code, out, err = self.run(*args, "--json", "--seconds", "0.4")
        assert code == 0, err
        found: dict[str, Any] = json.loads(out)
        return found


@pytest.fixture
def explain(tmp_path: Path) -> Callable[..., Explain]:
    """A suite with these habits, beside a service where asked. Without Cargo on the path, so that no test
    installs anything."""

    def make(*habits: str, without: tuple[str, ...] = (), service: bool = False) -> Explain:
        suite = tmp_path / "suite"
        (suite / "planted").mkdir(parents=True)
        (suite / "planted" / "workload.toml").write_text(WORKLOAD + (SERVICE if service else ""))
        shutil.copy(PLANTED, suite / "planted" / "planted.py")
        for name in {"two-calls", *habits}:
            (suite / "planted" / name).mkdir()
            more = "{redis_host} {redis_port}" if service else ""
            manifest = CONTENDER % {"name": name, "more": more}
            (suite / "planted" / name / "contender.toml").write_text(manifest)
        tools = tmp_path / "bin"
        tools.mkdir()
        for tool in ("strace", "perf", "ss", "sh", "env"):
            found = shutil.which(tool)
            if found and tool not in without:
                (tools / tool).symlink_to(found)
        return Explain(tmp_path, suite, {"PATH": str(tools)})

    return make
