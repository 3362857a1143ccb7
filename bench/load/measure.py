"""Runs programs on a core of their own and reads what CPU time they took."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVER_CPU = 0
GENERATOR_CPU = 1
STARTS_WITHIN_S = 5.0
LONGEST_RUN_S = 60.0
LOAD = Path(__file__).parents[2] / "target" / "release" / "deadheat-load"


class Unavailable(RuntimeError):
    """A peer that cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Cost:
    """What one run of a program took and printed."""

    cpu_s: float
    wall_s: float
    stdout: str


def run(argv: Sequence[str], cpu: int = GENERATOR_CPU) -> Cost:
    """Runs `argv` on one core; CPU time is the kernel's own figure for just this child.

    Raises RuntimeError with the program's stderr if it fails or takes over LONGEST_RUN_S.
    """
    started = time.monotonic()
    with subprocess.Popen(
        ["taskset", "-c", str(cpu), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        # Read to the end before waiting, as wait4 alone gives this child's usage.
        timer = threading.Timer(LONGEST_RUN_S, os.kill, (child.pid, signal.SIGKILL))
        timer.start()
        stdout, stderr = child.stdout.read(), child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {stderr.strip() or child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, stdout)


@contextlib.contextmanager
def server(*options: str, kind: str = "http") -> Iterator[str]:
    """`deadheat-load serve` on the server's core; gives its `host:port`."""
    argv = [str(LOAD), "serve", kind, "--port", "0", *options]
    pinned = ["taskset", "-c", str(SERVER_CPU), *argv]
    # What it tells of each connection (serve redis) is of no interest here.
    out = subprocess.DEVNULL
    with subprocess.Popen(pinned, stdout=out, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stderr is not None
            line = child.stderr.readline()
            yield line.strip().removeprefix("listening on ")
        finally:
            child.terminate()


@contextlib.contextmanager
def redis_server(key: str, value: str) -> Iterator[str]:
    """A real Redis that keeps nothing on disk, on the server's core, with one key in it.

    Raises Unavailable where there is none, or none that starts within STARTS_WITHIN_S.
    """
    if shutil.which("redis-server") is None:
        raise Unavailable("redis-server not found")
    port = _free_port()
    argv = ["taskset", "-c", str(SERVER_CPU), "redis-server", "--port", str(port)]
    argv += ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            command = f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n${len(value)}\r\n{value}\r\n"
            with _connected(port) as client:
                client.sendall(command.encode())
                if client.recv(64) != b"+OK\r\n":
                    raise Unavailable("redis-server did not take a value")
            yield f"127.0.0.1:{port}"
        finally:
            child.terminate()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert isinstance(port, int)
        return port


def _connected(port: int) -> socket.socket:
    until = time.monotonic() + STARTS_WITHIN_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=STARTS_WITHIN_S)
        except OSError as error:
            if time.monotonic() > until:
                raise Unavailable(f"redis-server does not answer: {error}") from error
            time.sleep(0.02)
