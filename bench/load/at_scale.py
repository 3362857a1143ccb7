"""Rows of other shapes: thousands of connections, two threads, Unix sockets, and generators over io_uring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .generator import PATH, Generator, ours, ours_http
from .measure import BOTH_CPUS, redis_server, server
from .nginx import nginx
from .pair import Pair
from .peers.gcannon import gcannon
from .peers.h2load import h2load_unix
from .peers.oha import oha
from .peers.redis_benchmark import redis_benchmark
from .peers.wrk import PATIENCE, Asked, wrk
from .peers.zrk import zrk

GOAL = 0.85
"""What a request may cost, of wrk's, over connections that are kept alive."""
NO_MORE = 1.0
MANY = 10_000
OPEN_RATE = 20_000
TICK = "200us"
KEY, VALUE = "foo", "bar"
MESSAGE = "hello"
"""gcannon's own."""


def pairs(folder: Path) -> Iterator[Pair]:
    """`folder` is for sockets."""
    yield Pair(
        "wrk-10000", f"{MANY:,} connections", GOAL, server,
        (
            wrk("wrk", MANY),
            ours_http("deadheat-load", "-c", str(MANY), "--timeout", PATIENCE),
        ),
    )  # fmt: skip
    yield Pair(
        "wrk-threads-2", "64 connections, 2 threads on 2 cores, one of them the server's too", GOAL, server,
        (
            wrk("wrk -t 2", 64, Asked(threads=2, cpus=BOTH_CPUS)),
            ours_http("deadheat-load -t 2", "-c", "64", "-t", "2", cpus=BOTH_CPUS),
        ),
    )  # fmt: skip
    yield unix(folder / "redis.sock")
    yield unix_http(folder / "nginx.sock")
    yield from io_uring()
    yield paced()
    yield ticking()


def unix(socket: Path) -> Pair:
    """A real Redis."""
    asked = ("-c", "50", "-r", f"GET {KEY}", "--expect-reply", VALUE, "--unix", str(socket))
    return Pair(
        "redis-unix", "Redis, 50 connections, GET, Unix socket", None,
        partial(redis_server, {KEY: VALUE}, socket),
        (
            redis_benchmark("redis-benchmark -s", 50, 1, KEY, unix=socket),
            ours("deadheat-load --unix, replies compared", lambda address: f"redis://{address}", *asked),
        ),
    )  # fmt: skip


def unix_http(socket: Path) -> Pair:
    """nginx, which is the limit; wrk has no Unix sockets."""
    asked = ("-c", "64", "--unix", str(socket))
    return Pair(
        "h2load-unix", "nginx, HTTP/1.1, 64 connections, Unix socket", None, partial(nginx, unix=socket),
        (
            h2load_unix("h2load --h1 -B unix:", 64, socket),
            ours_http("deadheat-load --unix --coalesce auto", *asked, "--coalesce", "auto"),
            ours_http("deadheat-load --unix", *asked),
        ),
    )  # fmt: skip


def io_uring() -> Iterator[Pair]:
    """Against gcannon, HTTP and WebSocket."""
    for c in (64, 256):
        yield Pair(
            f"gcannon-{c}", f"{c} connections, generator the limit", NO_MORE, server,
            (
                gcannon("gcannon", c),
                ours_http("deadheat-load --io uring", "-c", str(c), "--io", "uring"),
                ours_http("deadheat-load", "-c", str(c)),
            ),
        )  # fmt: skip
    yield Pair(
        "gcannon-ws", "WebSocket, 64 connections, a message and its echo", NO_MORE,
        partial(server, kind="ws"),
        (
            gcannon("gcannon --ws", 64, "--ws"),
            echo("deadheat-load --io uring, replies compared", "-c", "64", "--io", "uring"),
            echo("deadheat-load, replies compared", "-c", "64"),
        ),
    )  # fmt: skip


def paced() -> Pair:
    """Against zrk, which sends each request at its time, as we do."""
    asked = ("-R", str(OPEN_RATE), "-c", "64", "--allow-shortfall")
    return Pair(
        "zrk-open", f"open loop, {OPEN_RATE:,}/s on 64 connections, exact", NO_MORE, server,
        (zrk("zrk", OPEN_RATE, 64), ours_http("deadheat-load", *asked)),
    )  # fmt: skip


def echo(name: str, *options: str) -> Generator:
    """A WebSocket message, and its echo compared."""
    asked = ("--data", MESSAGE, "--expect-body", MESSAGE)
    return ours(name, lambda address: f"ws://{address}{PATH}", *asked, *options)


def ticking() -> Pair:
    """Against oha, requests at their times to a fifth of a millisecond."""
    asked = ("-R", str(OPEN_RATE), "-c", "64", "--allow-shortfall", "--pacing", TICK)
    return Pair(
        "oha-tick", f"open loop, {OPEN_RATE:,}/s on 64 connections, paced by {TICK}", NO_MORE, server,
        (
            oha("oha", OPEN_RATE, 64),
            ours_http(f"deadheat-load --pacing {TICK} --coalesce auto", *asked, "--coalesce", "auto"),
            ours_http(f"deadheat-load --pacing {TICK}", *asked),
        ),
    )  # fmt: skip
