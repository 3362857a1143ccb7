"""Servers that speak Redis' protocol: commands in turn over all connections, each reply compared."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from deadheat.kinds import redis_asking
from deadheat.kinds.conformance import Case
from deadheat.kinds.server.block import threads, within
from deadheat.kinds.server.check import Listening
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server_kind import ServerKind
from deadheat.model.address import Address
from deadheat.model.work.redis import RedisWork
from deadheat.plan.schedule import token
from deadheat.run.kind import Stage

# Rounds of all commands, in one go, whose replies must come in their order.
PIPELINED = 100


def _cases(stage: Stage, entry: str, at: Address) -> Iterator[Case]:
    work, rng = _work(stage), random.Random(f"{stage.plan.seed}:check:{entry}")
    for _ in range(5):
        yield partial(_alone, work, at, token(rng), 1)
    # Commands of other tokens have left what those of this one find.
    own = token(rng)
    yield partial(_alone, work, at, own, PIPELINED)
    yield partial(_all_at_once, work, at, own, stage.workload.load.at_once)


def _alone(work: RedisWork, at: Address, own: str, times: int) -> None:
    with redis_asking.connected(at) as connection:
        redis_asking.answered(work, connection, own, times=times)


def _all_at_once(work: RedisWork, at: Address, own: str, connections: int) -> None:
    with ThreadPoolExecutor(max_workers=connections) as pool:
        for answered in [pool.submit(_alone, work, at, own, 1) for _ in range(connections)]:
            answered.result()


def ask(stage: Stage, at: Address, random_token: str) -> None:
    """All commands of the load, once. Raises Wrong, or OSError where nobody answers."""
    _alone(_work(stage), at, random_token, 1)


def target(stage: Stage, at: Address) -> Mapping[str, Any]:
    work = _work(stage)
    return {
        "url": f"redis://{at.host}:{at.port}",
        "connections": stage.race.load.connections,
        "pipeline": stage.race.load.streams,
        **threads(stage.race),
        **within(at),
        "commands": [list(words) for words in work.commands],
        "expect": work.expect,
    }


PROTOCOL = ServerProtocol(ask, target)


class RedisKind(ServerKind):
    """Every reply checked: alone, pipelined and on many connections once a run, at each start, and under
    load."""

    protocol = PROTOCOL

    def cases(self, stage: Stage, entry: str, server: Listening) -> Iterator[Case]:
        return _cases(stage, entry, server.at)


def _work(stage: Stage) -> RedisWork:
    assert stage.workload.redis is not None
    return stage.workload.redis
