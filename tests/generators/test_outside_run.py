"""A generator from outside on a real host: the real wrk, and ones that lie, hang and fail."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deadheat.generators import outside
from deadheat.generators.engine import find_binary
from deadheat.generators.outside import GeneratorError, Ran
from deadheat.generators.registry import GENERATORS
from deadheat.generators.wrk import Wrk
from deadheat.hosts.local import LocalHost
from deadheat.util.interrupt import Stop

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def host() -> Iterator[LocalHost]:
    with LocalHost() as host:
        yield host


def run(host: LocalHost, argv: tuple[str, ...], folder: Path, *, time_limit_s: float = 60) -> Ran:
    with Stop() as stop:
        return outside.run(
            Wrk(),
            argv,
            host=host,
            stop=stop,
            cpus=frozenset(os.sched_getaffinity(0)),
            output=folder / "wrk.out",
            time_limit_s=time_limit_s,
        )


def fake(folder: Path, script: str) -> tuple[str, ...]:
    path = folder / "wrk"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return (str(path), "-t1", "-c1")


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed (apt-get install wrk)")
def test_the_real_one(host: LocalHost, tmp_path: Path) -> None:
    port = host.free_port()
    server = subprocess.Popen(
        [find_binary(), "serve", "http", "--port", str(port)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        server.stdout.readline()
        argv = Wrk().argv(("-t1", "-c4", "-d1s"), f"http://127.0.0.1:{port}/hello", tmp_path / "wrk.out")
        ran = run(host, argv, tmp_path)
    finally:
        server.kill()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()
    assert ran.figures.requests > 0
    assert ran.figures.errors == {}
    assert ran.exit.cpu.total_ns > 0
    assert ran.output.read_text().startswith("Running 1s test")


def test_nobody_listens(host: LocalHost, tmp_path: Path) -> None:
    argv = fake(tmp_path, "echo 'unable to connect to 127.0.0.1:1 Connection refused' >&2; exit 1")
    with pytest.raises(GeneratorError, match=r"status 1.*Connection refused"):
        run(host, argv, tmp_path)


def test_garbage(host: LocalHost, tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match='not known here: "what a lovely day"'):
        run(host, fake(tmp_path, "echo what a lovely day"), tmp_path)


def test_cut_off(host: LocalHost, tmp_path: Path) -> None:
    argv = fake(tmp_path, f"head -n 5 '{GOLDEN / 'wrk-4.1.0-plain.txt'}'")
    with pytest.raises(GeneratorError, match="cut off: no total line"):
        run(host, argv, tmp_path)


def test_hangs(host: LocalHost, tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="did not end within"):
        run(host, fake(tmp_path, f"exec {sys.executable} -c 'import time; time.sleep(1000)'"), tmp_path,
            time_limit_s=1)  # fmt: skip


def test_dies(host: LocalHost, tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="SIGSEGV"):
        run(host, fake(tmp_path, "kill -SEGV $$"), tmp_path)


def test_a_generator_is_named_as_its_program_is() -> None:
    assert set(GENERATORS) == {"wrk", "ghz", "h2load", "deadheat-load"}
    assert all(generator.name == name for name, generator in GENERATORS.items())
