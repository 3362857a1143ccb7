"""Rows like life: heads and bodies that differ from reply to reply, larger ones, TLS, keys that differ.

Of nginx and a real Redis: how replies that are always the same come is what the other rows say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from .generator import BODY, Generator, ours, ours_http
from .measure import redis_server, server
from .nginx import ITEM, nginx
from .pair import Pair
from .peers.redis_benchmark import redis_benchmark
from .peers.wrk import POOL_LUA, Asked, wrk

GOAL = 0.85
"""What a request may cost, of wrk's, over connections that are kept alive."""
GOAL_OF_LARGE = 0.80
GOAL_OF_TLS = 1.0
POOL = 1_000
"""Different requests, each with a reply of its own."""
DRAWN = range(10_000, 20_000)
"""Paths of one length, so that what is drawn and what is always the same are of the same sizes."""
GOAL_OF_DRAWN = 1.05
"""What a request that is drawn may cost, of one that is always the same, at depth 1."""
SIZES = {"16 KB": 16 << 10, "64 KB": 64 << 10, "1 MB": 1 << 20}
KEYS = 100
GATHERED = ("--coalesce", "auto")
"""nginx is the limit, as in the rows that say so: what a wake-up costs is what can be saved."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def pairs(folder: Path) -> Iterator[Pair]:
    """`folder` is for files that generators read."""
    yield Pair(
        "wrk-heads", "nginx, 64 connections, heads that differ (Date, X-Request-Id)", GOAL, nginx,
        (
            wrk("wrk", 64),
            ours_http("deadheat-load --coalesce auto", "-c", "64", *GATHERED),
            ours_http("deadheat-load", "-c", "64"),
        ),
    )  # fmt: skip
    yield pool(folder)
    for size, length in SIZES.items():
        yield large(folder, size, length)
    yield Pair(
        "wrk-tls", "nginx, 64 connections, TLS 1.3", GOAL_OF_TLS, partial(nginx, tls=True),
        (
            wrk("wrk", 64, Asked(scheme="https")),
            ours_http("deadheat-load", "-c", "64", "--insecure", scheme="https"),
        ),
    )  # fmt: skip
    yield keys()
    yield from (drawn(folder, depth, goal) for depth, goal in ((1, GOAL_OF_DRAWN), (16, None)))


def pool(folder: Path) -> Pair:
    """Thousands of requests each keep a server from answering out of a cache."""
    script, requests = folder / "pool.lua", folder / "pool.jsonl"
    script.write_text(POOL_LUA % (POOL, "/items/%d"))
    lines = [{"path": f"/items/{n}", "expect": {"body": ITEM % n}} for n in range(1, POOL + 1)]
    requests.write_text("\n".join(map(json.dumps, lines)))
    url = "http://{}".format
    asked = ("-c", "64", "--requests", str(requests), "--expect-status", "200")
    return Pair(
        "wrk-json", f"nginx, 64 connections, JSON that differs, heads too ({POOL:,} pairs)", GOAL, nginx,
        (
            wrk("wrk + Lua", 64, Asked(script=str(script))),
            ours("deadheat-load --coalesce auto, bodies compared", url, *asked, *GATHERED),
            ours("deadheat-load, bodies compared", url, *asked),
        ),
    )  # fmt: skip


def drawn(folder: Path, depth: int, goal: float | None) -> Pair:
    """What it costs to draw each request and its reply from 10,000."""
    url = "http://{}".format

    def asked(name: str, paths: Iterable[int], *options: str) -> Generator:
        requests = folder / f"{name}.jsonl"
        lines = [
            {"path": f"/{n}", "expect": {"status": 200, "body": BODY.replace("abc", str(n))}} for n in paths
        ]
        requests.write_text("\n".join(map(json.dumps, lines)))
        connections = ("-c", "64", "--pipeline", str(depth))
        return ours(f"deadheat-load, {name}", url, *connections, "--requests", str(requests), *options)

    return Pair(
        f"drawn-{depth}",
        f"64 connections, pipeline {depth}: requests and replies drawn from {len(DRAWN):,} of one size",
        goal, server,
        (
            asked("always the same", DRAWN[:1]),
            asked("drawn", DRAWN, "--draw", "random"),
        ),
    )  # fmt: skip


def large(folder: Path, size: str, length: int) -> Pair:
    """A body of so many bytes."""
    name = f"body-{length}"
    text = (LETTERS * (length // len(LETTERS) + 1))[:length]
    requests = folder / f"{name}.jsonl"
    requests.write_text(json.dumps({"path": f"/{name}", "expect": {"status": 200, "body": text}}))
    url = "http://{}".format
    asked = ("-c", "64", "--requests", str(requests))
    return Pair(
        f"wrk-{length}", f"nginx, 64 connections, bodies of {size}", GOAL_OF_LARGE,
        partial(nginx, {name: text}),
        (
            wrk("wrk", 64, Asked(path=f"/{name}")),
            ours("deadheat-load --coalesce auto, bodies compared", url, *asked, *GATHERED),
            ours("deadheat-load, bodies compared", url, *asked),
        ),
    )  # fmt: skip


def keys() -> Pair:
    """Values that are none like another, under keys as redis-benchmark makes them."""
    values = {f"key:{n:012}": LETTERS[: 1 + n % len(LETTERS)] + str(n) for n in range(KEYS)}
    asked = [word for key, value in values.items() for word in ("-r", f"GET {key}", "--expect-reply", value)]

    def compared() -> Generator:
        name = "deadheat-load, replies compared"
        return ours(name, lambda address: f"redis://{address}", "-c", "50", "--pipeline", "16", *asked)

    return Pair(
        "redis-keys", f"Redis, 50 connections, GET of {KEYS} keys, replies that differ, pipeline 16", None,
        partial(redis_server, values),
        (
            redis_benchmark("redis-benchmark -r", 50, 16, "key:__rand_int__", "-r", str(KEYS)),
            compared(),
        ),
    )  # fmt: skip
