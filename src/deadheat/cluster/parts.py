"""Who of several machines races what: whether they may race one race, each one's plan, and their parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from deadheat import __version__
from deadheat import plan as planning
from deadheat.cluster.connection import Node
from deadheat.cluster.machines import Machine
from deadheat.errors import UserError
from deadheat.generators.engine import BINARY
from deadheat.hosts.cpus import all_of, chosen_cpus, default_cpus
from deadheat.kinds.registry import KINDS
from deadheat.model.plan import Plan, RacePlan
from deadheat.plan import Asked
from deadheat.plan.skew import block_s
from deadheat.results import machines as merging
from deadheat.results.gates.elsewhere import TOGETHER_LIMIT
from deadheat.results.gates.interference import CLOCK_STEP_LIMIT_MS
from deadheat.studies.registry import PLANNERS
from deadheat.suite.suite import Suite


@dataclass(frozen=True)
class Labels:
    """Who does what in a race where the load of servers comes from other machines: labels of those that
    `load`, of the one with the `servers`, and of the one with the `services` alone (none: beside the
    servers)."""

    load: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Apart:
    """Machines with a part each in one race. `services` is None where these run beside the servers."""

    servers: Machine
    load: tuple[Machine, ...]
    services: Machine | None = None


def check(machines: Sequence[Machine], *, unlike: bool, known_different: bool) -> None:
    """That they can race one race, each for itself. Raises UserError as `deadheat merge` would afterwards."""
    for one in machines:
        if one.about.version != __version__:
            raise UserError(f"{one} has Deadheat {one.about.version}, and this is {__version__}")
    if len(machines) < 2:
        raise UserError(
            f"only {machines[0]} can race: that is no second machine",
            hint="without --cluster this machine races alone",
        )
    if not known_different:
        ids = {one.name: one.about.machine.get("id") for one in machines}
        for at, one in enumerate(machines):
            same = next((other for other in machines[:at] if ids[other.name] == ids[one.name]), None)
            if ids[one.name] is None or same is not None:
                which = (
                    f"{same} and {one} say that they are one" if same else f"{one} does not say which it is"
                )
                raise UserError(
                    f"{which}: blocks of one machine must not count as those of two",
                    hint="--different-machines where you know that they are (clones of an image share an id)",
                )
    if not unlike:
        differences = list(merging.differing({one.name: one.about.machine for one in machines}))
        for program in machines[0].about.programs:
            digests = {one.name: one.about.programs.get(program, "none")[:12] for one in machines}
            if len(set(digests.values())) > 1:
                differences.append(f"{program}: " + ", ".join(f"{d} in {m}" for m, d in digests.items()))
        if differences:
            raise UserError(
                "the machines are unlike: " + "; ".join(differences),
                hint="--unlike-machines races on them all the same, and says nothing of any kind of machine",
            )


def plans(asked: Asked, suite: Suite, machines: Sequence[Machine]) -> dict[str, Plan]:
    """What each machine races, by its name: all of them together what one alone would, or with a budget as
    much as each can in that time. Raises UserError."""
    found = {}
    first: Plan | None = None
    every = [chosen_cpus(one.about.cores, asked.server_cpus, asked.generator_cpus) for one in machines]
    # What is judged depends on it, and is to be the same on all.
    to_spare = all(cpus.services for cpus in every)
    for number, (machine, cpus) in enumerate(zip(machines, every, strict=True)):
        own = replace(
            asked,
            until="the end",
            server_cpus=cpus.servers,
            generator_cpus=cpus.generators,
            services_cpus=cpus.services if to_spare else (),
            usable_cpus=tuple(dict.fromkeys([*cpus.servers, *all_of(machine.about.cores)])),
        )
        plan = planning.plan(own, suite, tuple(KINDS), PLANNERS)
        first = first or plan
        races = tuple(race.replaced(past=None) for race in plan.workloads)
        if asked.budget_s is None:
            races = tuple(share(race, len(machines)) for race in races)
        found[machine.name] = dropping(plan).replaced(
            run=f"{first.run}-{machine.name}",
            started=first.started,
            seed=first.seed + number,
            workloads=races,
        )
    return found


def dropping(plan: Plan) -> Plan:
    """With what makes a block no block where clocks and generators are several."""
    limits = plan.disturbance
    if limits is None:
        return plan
    dropped = limits.replaced(clock_step_s=CLOCK_STEP_LIMIT_MS / 1000, late=TOGETHER_LIMIT)
    return plan.replaced(disturbance=dropped)


def share(race: RacePlan, machines: int) -> RacePlan:
    """One machine's part of a race."""
    return part(race, min(race.blocks, math.ceil(race.blocks / machines)))


def part(race: RacePlan, blocks: int) -> RacePlan:
    """So many blocks of it, or the fewest that say anything of a machine."""
    blocks = min(race.blocks, max(merging.FEWEST_EACH, blocks))
    estimated_s = None if race.estimated_s is None else round(block_s(race) * blocks, 1)
    return race.replaced(blocks=blocks, unskewed_blocks=None, estimated_s=estimated_s)


def apart(machines: Sequence[Machine], labels: Labels, asked: Asked, suite: Suite) -> tuple[Apart, Plan]:
    """Who does what, by these labels, and the plan of a race like that. The servers are on the first of the
    machines that neither load nor have the services, if labels do not say on which. Raises UserError where
    nobody is left for a part.
    """
    services = _labelled(machines, labels.services)[0] if labels.services else None
    load = [one for one in _labelled(machines, labels.load) if one is not services]
    if not load:
        raise UserError(
            f"{services}, which has the services, is the only machine with the label {_said(labels.load)}: "
            "none is left for the load"
        )
    others = [one for one in machines if one is not services and one not in load]
    if not others:
        of_services = "" if services is None else f" or the services ({services})"
        raise UserError(
            f"all machines have the label {_said(labels.load)}{of_services}: none is left for the servers"
        )
    servers = _labelled(others, labels.servers)[0]
    if fewer := [one for one in load if len(one.about.cores) < 1]:
        raise UserError(f"{fewer[0]} has no CPU for us")
    check_generator([servers, *load])
    own = default_cpus(servers.about.cores)
    theirs = default_cpus(load[0].about.cores)
    asked = replace(
        asked,
        services_cpus=_of_services(servers, services),
        server_cpus=asked.server_cpus or own.servers,
        generator_cpus=asked.generator_cpus or theirs.generators,
        usable_cpus=tuple(dict.fromkeys([*(asked.server_cpus or own.servers), *all_of(servers.about.cores)])),
    )
    plan = planning.plan(asked, suite, tuple(KINDS), PLANNERS)
    races = tuple(race.replaced(past=None) for race in plan.workloads)
    return Apart(servers, tuple(load), services), dropping(plan).replaced(workloads=races)


def _of_services(servers: Machine, services: Machine | None) -> tuple[int, ...]:
    """With the load on other machines services have all CPUs of their own, or beside the servers whole cores;
    where none is left there, the one that would be the load's."""
    if services is not None:
        return all_of(services.about.cores)
    usual = default_cpus(servers.about.cores)
    return usual.services or usual.generators


def check_generator(machines: Sequence[Machine]) -> None:
    """That the load of all is made by one build of the generator. Raises UserError."""
    digests = {one.name: one.about.programs.get(BINARY, "none")[:12] for one in machines}
    if len(set(digests.values())) > 1:
        told = ", ".join(f"{digest} on {name}" for name, digest in digests.items())
        raise UserError(
            f"{BINARY} is not the same build on all machines: {told}", hint="install the same on each"
        )


def _labelled(machines: Sequence[Machine], labels: Mapping[str, str]) -> list[Machine]:
    """Those that have all of these labels. Raises UserError where there is none."""
    found = [one for one in machines if one.node.has(labels)]
    if not found:
        there = "; ".join(f"{one}: {_labels(one.node)}" for one in machines)
        raise UserError(f"no machine has the label {_said(labels)}: {there}", hint="labels in hosts.toml")
    return found


def _said(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in labels.items())


def _labels(node: Node) -> str:
    own = {key: value for key, value in node.labels.items() if not key.startswith("ray.io/")}
    return ", ".join(f"{key}={value}" for key, value in own.items()) or "no labels"
