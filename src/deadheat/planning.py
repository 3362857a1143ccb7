"""What was asked, and the suite, become a plan."""

import datetime
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from deadheat import (
    __version__,
    commit,
    planning_calibrated,
    planning_load,
    planning_published,
    planning_scale,
    planning_settings,
)
from deadheat.errors import UserError
from deadheat.kinds import equal_load
from deadheat.model.calibration import Calibration
from deadheat.model.contender import Contender
from deadheat.model.plan import Entry, Plan, WorkloadPlan
from deadheat.model.workload import Kind, Preset, Workload
from deadheat.planning_settings import RedisAsked
from deadheat.stats import Costs
from deadheat.suite import Suite

LEAD_IN_MS, COUNTED_MS, WARM_UP_MS = 50, 100, 500
# Shares of the slowest contender's capacity at which latency is measured.
LOADS = (0.5, 0.8)
# What a turn costs beside its load (thaw, drain, freeze), and a start with its warm-up: for estimates only.
TURN_OVERHEAD_S, START_S = 0.012, 1.2
NULL_SUFFIX = "'"


@dataclass(frozen=True)
class Size:
    """How much a preset measures.

    Servers: blocks, and seconds for each entry up to a most for all. Programs: blocks, rounds of a
    block, and a guess of an invocation's length.
    """

    blocks: int
    entry_s: float
    most_s: float
    program_blocks: int
    program_rounds: int
    invocation_s: float
    redis_blocks: int
    redis_rounds: int
    open_loop_ms: int


SIZES: dict[Preset, Size] = {
    "quick": Size(6, 26, 320, 6, 3, 0.25, 5, 2, 300),
    "standard": Size(10, 65, 1300, 8, 3, 1.3, 10, 4, 1000),
    "thorough": Size(20, 190, 3800, 8, 2, 15, 20, 8, 4000),
}
Method = Literal["deadheat", "as-published"]
SERVERS: tuple[Kind, ...] = ("http", "grpc")
MIN_ROUNDS = 4


@dataclass(frozen=True)
class Asked:
    """The choices of a command line; `calibration` is this machine's own, where there is one that holds."""

    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    all_: bool = False
    preset: Preset = "quick"
    method: Method = "deadheat"
    budget_s: float | None = None
    margin: float = 0.02
    seed: int | None = None
    connections: tuple[int, ...] = ()
    streams: tuple[int, ...] = ()
    scale: bool = False
    claims: str | None = None
    redis: RedisAsked = field(default_factory=RedisAsked)
    server_cpus: tuple[int, ...] = (0,)
    generator_cpus: tuple[int, ...] = (1,)
    command: tuple[str, ...] = ()
    calibration: Calibration | None = None


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
    return races if asked.budget_s is None else _fit(races, asked.budget_s, asked)


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
    return planning_published.races(suite, names, wanted, asked.preset)


def estimated_s(race: WorkloadPlan, preset: Preset) -> float:
    """About how long a race takes, builds and conformance apart, seconds."""
    if race.outside is not None:
        return planning_published.estimated_s(race)
    return race.blocks * _block_s(race, preset)


def _block_s(race: WorkloadPlan, preset: Preset) -> float:
    turns = race.rounds * 2 * len(race.entries)
    if race.kind in SERVERS:
        turn = (race.lead_in_ms + race.counted_ms) / 1000 + TURN_OVERHEAD_S
        open_loop = (equal_load.LEAD_IN_MS + race.open_loop_ms) / 1000 + TURN_OVERHEAD_S
        each = START_S + len(race.loads) * open_loop
        return len(race.entries) * each + turns * turn
    return (turns + len(race.entries)) * _invocation_s(race, preset)


def _invocation_s(race: WorkloadPlan, preset: Preset) -> float:
    if race.kind == "redis-client":
        return planning_settings.redis_invocation_s(race)
    return SIZES[preset].invocation_s


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
        redis=planning_settings.for_claims([claim.setting for claim in claims], asked.redis),
    )


def _races(asked: Asked, workload: Workload, contenders: Sequence[Contender]) -> Sequence[WorkloadPlan]:
    """A workload's settings, the default one first."""
    race = _race(asked, workload, contenders)
    if workload.kind in SERVERS:
        races = planning_load.of_server(race, workload.load, asked.connections, asked.streams)
        if asked.scale:
            races = planning_scale.of_scale(races, asked.server_cpus, asked.generator_cpus)
        # Several loads share the time of one.
        seconds = _seconds(race, SIZES[asked.preset]) / len(races)
        return [_sized(one, seconds, asked) for one in races]
    if workload.redis is not None:
        return planning_settings.of_redis(race, workload.redis, asked.redis, asked.preset)
    return planning_settings.of_program(race, workload, contenders, asked.preset)


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


def _seconds(race: WorkloadPlan, size: Size) -> float:
    """How long all blocks of a server race may take."""
    return min(size.entry_s * len(race.entries), size.most_s)


def _sized(race: WorkloadPlan, seconds: float, asked: Asked) -> WorkloadPlan:
    """A server race of about so long: by the calibration, else the preset's blocks, as many rounds as fit."""
    costs = _costs(race, asked.preset)
    rounds = max(MIN_ROUNDS, int((seconds / race.blocks - costs.block_s) / costs.round_s))
    return planning_calibrated.sized(race, seconds, costs, asked.calibration, MIN_ROUNDS) or race.model_copy(
        update={"rounds": rounds}
    )


def _costs(race: WorkloadPlan, preset: Preset) -> Costs:
    """Of one block without a round, and of a round."""
    fixed_s = _block_s(race.model_copy(update={"rounds": 0}), preset)
    return Costs(fixed_s, _block_s(race.model_copy(update={"rounds": 1}), preset) - fixed_s)


def _fit(races: Sequence[WorkloadPlan], budget_s: float, asked: Asked) -> list[WorkloadPlan]:
    """The same races in about `budget_s`: more or fewer blocks, and where need be fewer rounds."""
    preset = asked.preset
    share = budget_s / sum(estimated_s(race, preset) for race in races)
    fitted = []
    for race in races:
        time_s = estimated_s(race, preset) * share
        shortest = race.model_copy(update={"rounds": 1, "blocks": 1})
        if _block_s(shortest, preset) > time_s:
            least = sum(_block_s(r.model_copy(update={"rounds": 1}), preset) for r in races)
            raise UserError(
                f"a budget of {budget_s:g} s is too short for one block of {race.workload}",
                hint=f"it takes at least about {math.ceil(least)} s, or fewer contenders",
            )
        costs, known = _costs(race, preset), asked.calibration if race.kind in SERVERS else None
        if (chosen := planning_calibrated.sized(race, time_s, costs, known, MIN_ROUNDS)) is not None:
            fitted.append(chosen)
            continue
        blocks = max(1, round(time_s / _block_s(race, preset)))
        rounds = race.rounds
        while blocks < SIZES[preset].blocks and rounds > 1:
            rounds -= 1
            blocks = max(1, int(time_s / _block_s(race.model_copy(update={"rounds": rounds}), preset)))
        fitted.append(race.model_copy(update={"blocks": blocks, "rounds": rounds}))
    return fitted
