"""Runs programs on a core of their own and reads what CPU time they took."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVER_CPU = 0
GENERATOR_CPU = 1
BOTH_CPUS = f"{SERVER_CPU},{GENERATOR_CPU}"
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


def run(argv: Sequence[str], cpus: str = str(GENERATOR_CPU)) -> Cost:
    """Runs `argv` on these cores; CPU time is the kernel's own figure for just this child.

    Raises RuntimeError with the program's stderr if it fails or takes over LONGEST_RUN_S.
    """
    started = time.monotonic()
    with subprocess.Popen(
        ["taskset", "-c", cpus, *argv],
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


def many_files() -> None:
    """Lets this process and those it starts open as many files as they may: a connection is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.contextmanager
def redis_server(values: Mapping[str, str], unix: Path | None = None) -> Iterator[str]:
    """A real Redis that keeps nothing on disk, on the server's core, with these keys in it.

    It listens on a Unix socket too, where one is asked for. Raises Unavailable where there is none,
    or none that starts within STARTS_WITHIN_S.
    """
    if shutil.which("redis-server") is None:
        raise Unavailable("redis-server not found")
    port = free_port()
    argv = ["taskset", "-c", str(SERVER_CPU), "redis-server", "--port", str(port)]
    argv += ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    argv += ["--unixsocket", str(unix)] if unix else []
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            with connected(port, "redis-server") as client:
                for key, value in values.items():
                    told = f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n${len(value)}\r\n{value}\r\n"
                    client.sendall(told.encode())
                    if client.recv(64) != b"+OK\r\n":
                        raise Unavailable("redis-server did not take a value")
            yield f"127.0.0.1:{port}"
        finally:
            child.terminate()


def free_port() -> int:
    """One that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert isinstance(port, int)
        return port


def connected(port: int, whom: str) -> socket.socket:
    """To a server that has just been started. Raises Unavailable after STARTS_WITHIN_S."""
    until = time.monotonic() + STARTS_WITHIN_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=STARTS_WITHIN_S)
        except OSError as error:
            if time.monotonic() > until:
                raise Unavailable(f"{whom} does not answer: {error}") from error
            time.sleep(0.02)
