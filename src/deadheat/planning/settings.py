"""The settings of a workload, each a race of its own: Redis servers and loads, and sizes of programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from deadheat.model.contender import Contender
from deadheat.model.plan import RedisPlan, WorkloadPlan
from deadheat.model.workload import Preset, RedisWork, Workload

Server = Literal["redis", "valkey", "sink"]
SERVERS: tuple[Server, ...] = ("redis", "valkey", "sink")
# Of one invocation, for estimates only: the process, 400,003 commands, and a round trip of a pipeline.
PROCESS_S, COMMANDS_S, ROUND_TRIP_S = 0.1, 0.4, 45e-6
STUDY_COMMANDS = 400_003
# Few commands at a time are many round trips: more iterations would only take longer.
MOST_ROUND_TRIPS = 20_000
LEAST_BLOCKS = 3


@dataclass(frozen=True)
class RedisAsked:
    """The choices of a command line: each load against each server. None of them: the preset's own.

    `also_whole`: the workload as it is beside the loads that are asked for.
    """

    servers: tuple[Server, ...] = ()
    rounds: int | None = None
    depths: tuple[int, ...] = ()
    also_whole: bool = False

    def loads(self, work: RedisWork) -> tuple[tuple[int, int | None], ...]:
        """Rounds in one process and commands at a time, a pair for each race."""
        asked: list[tuple[int, int | None]] = [(self.rounds, None)] if self.rounds is not None else []
        asked += [(1, depth) for depth in self.depths]
        whole = [(work.rounds, None)] if self.also_whole or not asked else []
        return tuple(dict.fromkeys([*whole, *asked]))


def of_redis(
    race: WorkloadPlan, work: RedisWork, asked: RedisAsked, preset: Preset
) -> tuple[WorkloadPlan, ...]:
    """The races of a Redis workload, the default one first.

    Against a real Redis wall time is the server's; the sink is fast enough for it to be the client's.
    """
    alone = asked.rounds is not None or asked.depths
    servers = asked.servers or (("redis",) if alone else _servers(preset))
    return tuple(
        _redis_race(race, work, server, rounds, depth)
        for server, (rounds, depth) in product(servers, asked.loads(work))
    )


def for_claims(settings: Sequence[str | None], asked: RedisAsked) -> RedisAsked:
    """What claims need that are held against these settings: `rounds=10` beside the workload as it is."""
    rounds = [int(setting.removeprefix("rounds=")) for setting in settings if setting and "=" in setting]
    if asked != RedisAsked() or not rounds:
        return asked
    return RedisAsked(rounds=rounds[0], also_whole=True)


def _servers(preset: Preset) -> tuple[Server, ...]:
    return ("redis", "sink") if preset == "quick" else ("redis", "sink", "valkey")


def _redis_race(
    race: WorkloadPlan, work: RedisWork, server: Server, rounds: int, depth: int | None
) -> WorkloadPlan:
    plan = RedisPlan(
        server=server, iterations=_iterations(work.iterations, depth), rounds=rounds, depth=depth
    )
    setting = _setting(plan, work)
    whole = race.model_copy(update={"setting": setting, "redis": plan})
    if setting is None:
        return whole
    short = {"blocks": max(LEAST_BLOCKS, race.blocks // 2), "rounds": 1}
    metric = {"metric": "wall_s"} if server == "sink" else {}
    return whole.model_copy(update=short | metric)


def _setting(plan: RedisPlan, work: RedisWork) -> str | None:
    """`sink`, `rounds=10`, `valkey depth=100`: what is unlike the default, None for that."""
    parts: list[str] = [plan.server] if plan.server != "redis" else []
    parts += [f"rounds={plan.rounds}"] if plan.rounds != work.rounds else []
    parts += [f"depth={plan.depth}"] if plan.depth is not None else []
    return " ".join(parts) or None


def _iterations(iterations: int, depth: int | None) -> int:
    """So many that a process with few commands at a time makes no more round trips than it must."""
    return iterations if depth is None else max(1, min(iterations, MOST_ROUND_TRIPS * depth // 4))


def redis_invocation_s(race: WorkloadPlan) -> float:
    """About how long one invocation takes, seconds."""
    if race.redis is None:
        return PROCESS_S + COMMANDS_S
    round_trips = race.redis.commands / (race.redis.depth or race.redis.commands)
    commands_s = COMMANDS_S * race.redis.commands / STUDY_COMMANDS
    return PROCESS_S + commands_s + ROUND_TRIP_S * round_trips


def of_program(
    race: WorkloadPlan, workload: Workload, contenders: Sequence[Contender], preset: Preset
) -> tuple[WorkloadPlan, ...]:
    """A race for each n: a contender that does not take the race's n meets the reference at its largest.

    A pair is never compared at different n, so each has the reference, and its null pair, at its own.
    """
    assert race.n is not None
    limits = {c.id: c.largest_n(preset) for c in contenders}
    own = limits.get(workload.reference)
    n = race.n if own is None else min(race.n, own)
    at = {id_: n if limit is None else min(n, limit) for id_, limit in limits.items()}
    sizes = sorted({size for id_, size in at.items() if id_ != workload.reference} or {n}, reverse=True)
    return tuple(
        race.model_copy(
            update={
                "n": size,
                "setting": None if size == n else f"n={size}",
                "entries": tuple(
                    e for e in race.entries if e.contender == workload.reference or at[e.contender] == size
                ),
            }
        )
        for size in sizes
    )
