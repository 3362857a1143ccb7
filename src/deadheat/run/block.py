"""One block of a race, watched from its first start to its last stop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from deadheat.hosts import Host, interference
from deadheat.model.observation import BlockEnded, BlockStarted, Disturbance, Failed, Slice
from deadheat.model.progress import Progress
from deadheat.plan import schedule
from deadheat.run import disturbance
from deadheat.run.kind import Kind, Stage
from deadheat.run.record import Record
from deadheat.util import clock


def run(
    stage: Stage,
    kind: Kind,
    block: schedule.Block,
    record: Record,
    lost: set[str],
    progress: Callable[[float], Progress],
) -> Disturbance | None:
    """A block, and who got into it, if anybody did: then it does not count. Whoever fails in it is `lost`
    from then on. `progress`: how far the race is with so much of the block, 0 to 1."""
    race, limits = stage.race, stage.plan.disturbance
    # A single block has no other that could be raced instead.
    limits = limits if race.blocks > 1 else None
    record.add(BlockStarted(race=race.key, block=block.index, order=block.start, at=clock.stamp()))
    steps = (2 + len(race.loads)) * len(block.start) + len(block.turns)
    watched = _watched(stage)
    before = [host.interference(cpus) for host, cpus in watched]
    slices, disturbed = list[Slice](), None
    with closing(kind.block(stage, block)) as observations:
        for done, observation in enumerate(observations, 1):
            record.add(observation)
            if limits is not None and isinstance(observation, Slice):
                slices += [] if observation.warm_up else [observation]
                if (disturbed := disturbance.lagged(observation, limits)) is not None:
                    break
            if isinstance(observation, Failed):
                lost.add(observation.entry)
                stage.view.warn(f"{observation.entry} leaves the race: {observation.reason}")
            stage.view.progress(progress(min(1.0, done / steps)))
            stage.stop.check()
    if limits is not None and disturbed is None:
        disturbed = disturbance.of_generators(slices, limits)
    for (host, cpus), was in zip(watched, before, strict=True):
        around = interference.between(
            was, host.interference(cpus), race=race.key, block=block.index, cpus=cpus
        ).replaced(host=None if host is stage.host else host.address)
        record.add(around)
        if limits is not None and disturbed is None:
            disturbed = disturbance.of_block(around, limits)
    record.add(BlockEnded(race=race.key, block=block.index, disturbed=disturbed))
    if disturbed is not None:
        stage.view.disturbed(block.index, disturbed)
    return disturbed


def _watched(stage: Stage) -> list[tuple[Host, set[int]]]:
    """Hosts of a block, each with the CPUs of it that nobody else should use."""
    servers = set[int]()
    if not all(stage.build(entry.id).contender.elsewhere for entry in stage.race.entries):
        servers = set(stage.plan.server_cpus)
    load = set(stage.plan.generator_cpus)
    if not stage.load_from:
        services = set(stage.services_cpus) if stage.services else set()
        return [(stage.host, load | servers | services)]
    watched = [(stage.host, servers), *((host, load) for host in stage.load_from)]
    if stage.services_on is not None and stage.services:
        watched.append((stage.services_on, set(stage.services_cpus)))
    return watched
