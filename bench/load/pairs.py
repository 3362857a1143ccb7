"""The comparisons: a server, its peer, ours, and the goal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from . import at_scale, like_life
from .generator import ours, ours_http
from .grpc import framed_message, ours_grpc
from .measure import redis_server, server
from .pair import Pair
from .peers.ghz import ghz
from .peers.h2load import h2load
from .peers.oha import oha
from .peers.redis_benchmark import redis_benchmark
from .peers.wrk import PIPELINE_LUA, Asked, wrk

OPEN_RATE = 20_000
KEY, VALUE = "foo", "bar"


def pairs(folder: Path) -> list[Pair]:
    """Every comparison. `folder` is for files that peers read: a script, a message."""
    script, message = folder / "pipeline.lua", folder / "message.bin"
    script.write_text(PIPELINE_LUA)
    message.write_bytes(framed_message())
    return [
        *http_pairs(str(script)), *grpc_pairs(str(message)), *redis_pairs(), *io_pairs(),
        *like_life.pairs(folder), *at_scale.pairs(folder),
    ]  # fmt: skip


def http_pairs(script: str) -> Iterator[Pair]:
    """Against wrk and oha."""
    for c in (64, 256):
        yield Pair(
            f"wrk-{c}", f"{c} keep-alive connections, generator the limit", 0.78, server,
            (wrk("wrk", c), ours_http("deadheat-load", "-c", str(c))),
        )  # fmt: skip
    for c in (64, 256):
        yield Pair(
            f"wrk-{c}-server-limit", f"{c} connections, server the limit (10 us a request)", 0.65,
            partial(server, "--burn-us", "10"),
            (
                wrk("wrk", c),
                ours_http("deadheat-load --coalesce auto", "-c", str(c), "--coalesce", "auto"),
                ours_http("deadheat-load", "-c", str(c)),
            ),
        )  # fmt: skip
    # One send and one receive for 16 requests is what strace counts of both: what the kernel takes for these
    # is 0.63 of all that wrk takes, so no generator that makes them comes below that.
    yield Pair(
        "wrk-pipeline", "64 connections, pipeline 16", 0.70, server,
        (
            wrk("wrk + Lua", 64, Asked(script=script)),
            ours_http("deadheat-load --pipeline 16", "-c", "64", "--pipeline", "16"),
        ),
    )  # fmt: skip
    open_loop = ("-R", str(OPEN_RATE), "-c", "64", "--allow-shortfall")
    yield Pair(
        "oha-open", f"open loop, {OPEN_RATE:,}/s on 64 connections", 0.75, server,
        (
            oha("oha", OPEN_RATE, 64),
            ours_http("deadheat-load --pacing burst", *open_loop, "--pacing", "burst"),
            ours_http("deadheat-load --pacing exact", *open_loop),
        ),
    )  # fmt: skip


def grpc_pairs(message: str) -> Iterator[Pair]:
    """Against h2load and ghz."""
    hello = partial(server, "--hello", kind="grpc")
    for limit, busy in (("generator", ()), ("server", ("--burn-us", "10"))):
        yield Pair(
            f"h2load-{limit}-limit", f"gRPC, 10 connections of 50 streams, {limit} the limit", 0.60,
            partial(server, "--hello", *busy, kind="grpc"),
            (
                h2load("h2load", 10, 50, message),
                ours_grpc("deadheat-load, status and message checked", 10, 50),
            ),
        )  # fmt: skip
    yield Pair(
        "ghz-published", "gRPC as published: 100 connections, 5,000 in flight, gzip", 1 / 30, hello,
        (
            ghz("ghz -e", 100, 5_000, "-e"),
            ours_grpc("deadheat-load --gzip", 100, 50, "--gzip"),
        ),
    )  # fmt: skip
    yield Pair(
        "ghz-lean", "gRPC, 10 connections, 100 in flight: ghz at its leanest", 1 / 8, hello,
        (
            ghz("ghz --disable-template-data", 10, 100, "--disable-template-data"),
            ours_grpc("deadheat-load", 10, 10),
        ),
    )  # fmt: skip


def redis_pairs() -> Iterator[Pair]:
    """Against redis-benchmark, on a real Redis."""
    for pipeline, goal in ((1, 0.60), (16, 0.65), (128, 0.55)):
        yield Pair(
            f"redis-{pipeline}", f"Redis, 50 connections, GET, pipeline {pipeline}", goal,
            partial(redis_server, {KEY: VALUE}),
            (
                redis_benchmark("redis-benchmark", 50, pipeline, KEY),
                ours(
                    "deadheat-load, replies compared", lambda address: f"redis://{address}",
                    "-c", "50", "--pipeline", str(pipeline),
                    "-r", f"GET {KEY}", "--expect-reply", VALUE,
                ),
            ),
        )  # fmt: skip


def io_pairs() -> Iterator[Pair]:
    """Our own two ways to the kernel: what `--io auto` should be."""
    for depth in (1, 16):
        options = ("-c", "64", "--pipeline", str(depth))
        yield Pair(
            f"io-{depth}", f"64 connections, pipeline {depth}: epoll and io_uring", None, server,
            (
                ours_http("deadheat-load --io epoll", *options, "--io", "epoll"),
                ours_http("deadheat-load --io uring", *options, "--io", "uring"),
            ),
        )  # fmt: skip
