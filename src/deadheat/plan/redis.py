"""Races of Redis clients: each combination of their workload's parameters is one."""

from __future__ import annotations

from deadheat.errors import UserError
from deadheat.model.measured import PipelinePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Preset, RedisWork, Workload
from deadheat.plan import parameters
from deadheat.plan.parameters import Values, Wanted

# As many as a verdict needs.
LEAST_BLOCKS = 5


def of_redis(
    race: RacePlan, workload: Workload, work: RedisWork, wanted: Wanted, preset: Preset
) -> tuple[RacePlan, ...]:
    """The races of a Redis workload, the default one first."""
    combinations = parameters.combinations(workload, wanted, preset)
    return tuple(_race(race, workload, work, values) for values in combinations)


def _race(race: RacePlan, workload: Workload, work: RedisWork, values: Values) -> RacePlan:
    """Against a real Redis wall time is the server's; the sink is fast enough for it to be the client's."""
    plan = asked(work, values)
    setting = parameters.setting(workload, values)
    if setting is None:
        return race.replaced(measured=plan)
    return race.replaced(
        measured=plan,
        setting=setting,
        blocks=max(LEAST_BLOCKS, race.blocks // 2),
        rounds=1,
        metric="wall_s" if plan.server == "sink" else race.metric,
    )


def asked(work: RedisWork, values: Values) -> PipelinePlan:
    """What a client is asked to do; what a workload does not declare is as its [redis] section has it."""
    depth = values.get("depth")
    if not isinstance(depth, int | None):
        raise UserError("the parameter depth of a Redis workload is a number", hint="give it a range")
    iterations = _iterations(work, depth)
    rounds = values.get("rounds") or work.rounds
    if not isinstance(rounds, int):
        raise UserError("the parameter rounds of a Redis workload is a number", hint="give it a range")
    commands = work.commands(iterations, rounds)
    return PipelinePlan(
        server=str(values.get("server") or "redis"),
        iterations=iterations,
        rounds=rounds,
        depth=depth,
        commands=commands,
        about_s=work.takes.invocation_s(commands, depth),
    )


def _iterations(work: RedisWork, depth: int | None) -> int:
    """So many that a process with few commands at a time makes no more round trips than it must."""
    most = work.most_round_trips
    if depth is None or most is None:
        return work.iterations
    return max(1, min(work.iterations, most * depth // len(work.repeated)))
