"""A suite of Redis clients, and `deadheat` run on it, with a Redis of one's own choice on the path."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from .bench import Deadheat, SuiteFolder

WORKLOAD = """\
title = "Pipeline"
question = "Which client misbehaves most?"
kind = "program"
metric = "cpu_s"
reference = "good"

[parameters.server]
what = "the server"
one_of = ["redis", "valkey", "sink"]
default = "redis"

[parameters.rounds]
what = "rounds in one process"
range = [1, 1000000]
default = 1
args = ["--rounds", "{rounds}"]

[parameters.depth]
what = "commands at a time"
range = [1, 1000000]
args = ["--pipeline-depth", "{depth}"]

# Which of them a race has, its parameter `server` says.
[[services]]
name = "redis"
when = { server = "redis" }
needs = ["redis-server"]
run = "redis-server --port {port} --bind {host} --dir {data} --save '' --appendonly no --daemonize no"
ready = { send = "PING", expect = "+PONG" }
reset = { send = "FLUSHALL", expect = "+OK" }

[[services]]
name = "redis"
when = { server = "valkey" }
needs = ["valkey-server"]
run = "valkey-server --port {port} --bind {host} --dir {data} --save '' --appendonly no --daemonize no"
ready = { send = "PING", expect = "+PONG" }
reset = { send = "FLUSHALL", expect = "+OK" }

[[services]]
name = "redis"
when = { server = "sink" }
run = "deadheat-load serve redis --port {port}"
tells = true
ready = { send = "PING", expect = "+PONG" }
reset = { send = "FLUSHALL", expect = "+OK" }

[program]
args = ["--iterations", "{n}"]
timeout_s = TIMEOUT_S

[program.n]
default = 500

[program.races]
quick = { blocks = 5, rounds = 2 }

[pipeline]
service = "redis"
key = "foo"
round = ["DEL foo", "N SET foo bar", "N GET foo", "DEL foo", "N {increment}", "DEL foo", "N GET foo"]
increments = ["INCR foo"]
takes = { process_s = 0.1, command_s = 1e-6, round_trip_s = 45e-6 }

[pipeline.rules]
before_the_clock = ["HELLO"]

[pipeline.digest]
word = "--verify"
function = "fnv1a-64"
text = "${text}\\n"
integer = ":{number}\\n"
nil = "_\\n"
"""
HERE = Path(__file__).parents[1] / "fixtures" / "redis"


def suite(path: Path, habits: Iterable[str] = (), *, timeout_s: float = 60) -> SuiteFolder:
    """A good client, the reference, and one for each habit."""
    found = SuiteFolder(path)
    found.workload("pipeline", WORKLOAD.replace("TIMEOUT_S", str(timeout_s)))
    (path / "pipeline" / "client.py").write_text((HERE / "client.py").read_text())
    for habit in ("good", *habits):
        run = f"{{python}} -S -E ../client.py {habit} --host {{redis_host}} --port {{redis_port}} {{args}}"
        found.contender("pipeline", habit, run)
    return found


def with_redis(home: Path, mode: str, habits: Iterable[str] = (), *, timeout_s: float = 60) -> Deadheat:
    """A race against a `redis-server` that goes wrong in that way."""
    programs = home / "bin"
    programs.mkdir(parents=True)
    server = programs / "redis-server"
    bad = HERE / "bad_redis.py"
    server.write_text('#!/bin/sh\ncase "$1" in --version) echo "Redis server v=7.0.15"; exit;; esac\n')
    with server.open("a") as script:
        script.write(f'exec {sys.executable} {bad} {mode} "$@"\n')
    server.chmod(0o755)
    deadheat = Deadheat(home, suite(home / "suite", habits, timeout_s=timeout_s).path)
    deadheat.env["PATH"] = f"{programs}:/usr/local/bin:/usr/bin:/bin"
    return deadheat
