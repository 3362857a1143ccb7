"""What was asked, and the suite, become a plan."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from dataclasses import replace

from deadheat import __version__, commit
from deadheat.errors import UserError
from deadheat.model.contender import Contender
from deadheat.model.plan import Entry, Plan, WorkloadPlan
from deadheat.model.workload import Workload
from deadheat.planning import load, published, scale, settings
from deadheat.planning.asked import Asked
from deadheat.planning.duration import MIN_ROUNDS, SERVERS, SIZES, fit, seconds_of, sized
from deadheat.planning.settings import RedisAsked
from deadheat.suite import Suite

LEAD_IN_MS, COUNTED_MS, WARM_UP_MS = 50, 100, 500
# Shares of the slowest contender's capacity at which latency is measured.
LOADS = (0.5, 0.8)
NULL_SUFFIX = "'"


def plan(asked: Asked, suite: Suite, kinds: Sequence[str]) -> Plan:
    """The plan of a run. Raises UserError for what the suite does not have and for too small a budget."""
    if asked.claims is not None:
        asked = _for_claims(asked, suite, asked.claims)
    names = [suite.workload(name).name for name in asked.workloads] or _raceable(suite, kinds)
    races = (
        _as_published(asked, suite, names) if asked.method == "as-published" else _ours(asked, suite, names)
    )
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(10_000)
    return Plan(
        run=f"{now:%Y%m%d-%H%M%S}-{asked.preset}",
        version=__version__,
        started=now.isoformat().replace("+00:00", "Z"),
        command=asked.command,
        commit=commit.of(suite.folder),
        suite=str(suite.folder.resolve()),
        preset=asked.preset,
        seed=seed,
        margin=asked.margin,
        server_cpus=asked.server_cpus,
        generator_cpus=asked.generator_cpus,
        budget_s=asked.budget_s,
        workloads=tuple(races),
    )


def _ours(asked: Asked, suite: Suite, names: Sequence[str]) -> list[WorkloadPlan]:
    if asked.redis != RedisAsked() and not any(suite.workloads[name].redis for name in names):
        raise UserError(
            "--rounds, --pipeline-depth and --redis are for Redis clients, and none is raced here",
            hint="deadheat race redis-pipeline",
        )
    if asked.scale and not any(suite.workloads[name].kind in SERVERS for name in names):
        raise UserError(
            "--scale is for servers, and none is raced here", hint="deadheat race grpc-unary --scale"
        )
    chosen = {name: _chosen(asked, suite, name, names) for name in names}
    races = [
        race for name in names if chosen[name] for race in _races(asked, suite.workload(name), chosen[name])
    ]
    return races if asked.budget_s is None else fit(races, asked.budget_s, asked)


def _as_published(asked: Asked, suite: Suite, names: Sequence[str]) -> list[WorkloadPlan]:
    for option, value in (
        ("--budget", asked.budget_s),
        ("--connections", asked.connections),
        ("--streams", asked.streams),
        ("--scale", asked.scale),
        ("--redis", asked.redis.servers),
        ("--rounds", asked.redis.rounds),
        ("--pipeline-depth", asked.redis.depths),
    ):
        if value:
            raise UserError(
                f"{option} cannot be given with --method as-published",
                hint="load and length are the study's; --preset scales the length",
            )
    wanted = {contender.id for id_ in asked.contenders for contender in suite.find(id_, names)}
    return published.races(suite, names, wanted, asked.preset)


def _raceable(suite: Suite, kinds: Sequence[str]) -> list[str]:
    return [name for name, workload in suite.workloads.items() if workload.kind in kinds]


def _chosen(asked: Asked, suite: Suite, name: str, names: Sequence[str]) -> list[Contender]:
    """The contenders to race, always with the reference."""
    pool = suite.contenders[name]
    if asked.contenders:
        wanted = {c.id for id_ in asked.contenders for c in suite.find(id_, names) if c.workload == name}
        if not wanted:
            return []
    else:
        # Quick races what says default = true; longer presets every contender as it is documented.
        every = asked.preset != "quick"
        wanted = {c.id for c in pool if c.default or asked.all_ or (every and c.variant is None)}
    return [c for c in pool if c.id in wanted or c.id == suite.workloads[name].reference]


def _for_claims(asked: Asked, suite: Suite, study: str) -> Asked:
    """Just what the claims of a study compare, and what else was asked for."""
    claims = [
        claim
        for claim in suite.study(study).claim
        if claim.unchecked is None and (not asked.workloads or claim.workload in asked.workloads)
    ]
    named = [contender for claim in claims for contender in (claim.a, claim.b)]
    return replace(
        asked,
        workloads=asked.workloads or tuple(dict.fromkeys(claim.workload for claim in claims)),
        contenders=tuple(dict.fromkeys([*named, *asked.contenders])),
        redis=settings.for_claims([claim.setting for claim in claims], asked.redis),
    )


def _races(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> Sequence[WorkloadPlan]:
    """A workload's settings, the default one first."""
    race = _race(asked, workload, contenders)
    if workload.kind in SERVERS:
        races = load.of_server(race, workload.load, asked.connections, asked.streams)
        if asked.scale:
            races = scale.of_scale(races, asked.server_cpus, asked.generator_cpus)
        # Several loads share the time of one.
        seconds = seconds_of(race, SIZES[asked.preset]) / len(races)
        return [sized(one, seconds, asked) for one in races]
    if workload.redis is not None:
        return settings.of_redis(race, workload.redis, asked.redis, asked.preset)
    return settings.of_program(race, workload, contenders, asked.preset)


def _race(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> WorkloadPlan:
    size = SIZES[asked.preset]
    entries = [Entry(id=c.id, contender=c.id) for c in contenders]
    # The null pair: the reference once more, as a start of its own.
    reference = workload.reference
    entries.append(Entry(id=reference + NULL_SUFFIX, contender=reference, null=True))
    race = WorkloadPlan(
        workload=workload.name,
        kind=workload.kind,
        metric=workload.metric,
        reference=reference,
        entries=tuple(entries),
        blocks=size.blocks,
        rounds=MIN_ROUNDS,
    )
    if workload.kind in SERVERS:
        return race.model_copy(
            update={
                "warm_up_ms": WARM_UP_MS,
                "lead_in_ms": LEAD_IN_MS,
                "counted_ms": COUNTED_MS,
                "loads": LOADS,
                "open_loop_ms": size.open_loop_ms,
            }
        )
    if workload.kind == "redis-client":
        return race.model_copy(update={"blocks": size.redis_blocks, "rounds": size.redis_rounds})
    n = workload.program.n.at(asked.preset) if workload.program else None
    return race.model_copy(update={"n": n, "blocks": size.program_blocks, "rounds": size.program_rounds})
