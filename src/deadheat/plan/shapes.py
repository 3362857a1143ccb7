"""Races under the load that a study's claims were made under, beside those under the workload's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deadheat.errors import UserError
from deadheat.model.claim import Claim, Study
from deadheat.model.plan import RacePlan
from deadheat.model.shape import Shape
from deadheat.model.workload import Workload
from deadheat.plan import load, parameters


@dataclass(frozen=True)
class InShape:
    """A shape of a study, and the contenders that its claims compare."""

    study: str
    shape: Shape
    contenders: tuple[str, ...]


@dataclass(frozen=True)
class Cores:
    """Which CPUs are the servers' where they have so many; `shared` are those that are the load's too."""

    servers: tuple[int, ...]
    shared: tuple[int, ...]


def of_claims(study: Study, claims: Sequence[Claim]) -> tuple[InShape, ...]:
    """The shapes that these claims name, each with whom they compare."""
    named = {shape.name: [c for c in claims if c.shape == shape.name] for shape in study.shape}
    return tuple(
        InShape(study.study, shape, tuple(dict.fromkeys(id_ for c in of for id_ in (c.a, c.b))))
        for shape in study.shape
        if (of := named[shape.name])
    )


def in_shape(
    race: RacePlan, workload: Workload, wanted: InShape, usable: Sequence[int], load_cpus: Sequence[int]
) -> RacePlan | None:
    """The race of a server under that load, None where this machine has too few cores for it.

    `usable` are the CPUs that servers may have, `load_cpus` the load's own.
    """
    shape = wanted.shape
    cores = None if shape.cores is None else of_cores(shape.cores, usable, load_cpus)
    if shape.cores is not None and cores is None:
        return None
    values = {**{name: p.default for name, p in workload.parameters.items()}, **_values(workload, shape)}
    connections = () if shape.connections is None else (shape.connections,)
    streams = () if shape.streams is None else (shape.streams,)
    (loaded,) = load.of_server(race, workload.load, connections, streams)
    raced = parameters.at(loaded, workload, values)
    if cores is not None:
        raced = raced.replaced(
            setting=parameters.joined(f"cores={shape.cores}", raced.setting),
            measured=raced.slices.replaced(server_cpus=cores.servers, shared_cpus=cores.shared),
        )
    if raced.setting is None:
        where = f'the shape "{shape.name}" of {wanted.study}'
        raise UserError(f"{where} is the load that {workload.name} has anyway")
    name = name_of(wanted.study, shape.name)
    return raced.replaced(shape=name, notes=(*race.notes, *_notes(wanted, cores)))


def name_of(study: str, shape: str) -> str:
    """What a race under the load of a study is known by."""
    return f"{study}/{shape}"


def of_cores(cores: int, usable: Sequence[int], load_cpus: Sequence[int]) -> Cores | None:
    """So many CPUs, those that are the load's only where there are no others; None where there are fewer."""
    order = tuple(dict.fromkeys([*(cpu for cpu in usable if cpu not in load_cpus), *usable, *load_cpus]))
    if len(order) < cores:
        return None
    servers = order[:cores]
    return Cores(servers, tuple(cpu for cpu in servers if cpu in load_cpus))


def _values(workload: Workload, shape: Shape) -> parameters.Values:
    try:
        return {name: workload.parameters[name].value(str(value)) for name, value in shape.set_.items()}
    except (KeyError, ValueError) as error:
        raise UserError(f'the shape "{shape.name}" of {workload.name}: {error}') from None


def _notes(wanted: InShape, cores: Cores | None) -> Iterator[str]:
    yield f"under the load of {wanted.study}: {wanted.shape.words}"
    if cores is not None and cores.shared:
        listed = ", ".join(map(str, cores.shared))
        yield (
            f"the load takes its time from CPU {listed}, which is the servers' too: how much, the gate "
            "generator-share says"
        )
