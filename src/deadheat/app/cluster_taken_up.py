"""A race on several machines that was cut off: who of them is there, and who races what others have left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat.cluster import parts
from deadheat.cluster.machines import Machine
from deadheat.errors import UserError
from deadheat.hosts.cpus import all_of, default_cpus
from deadheat.model.cluster import ClusterRun, RunOfMachine
from deadheat.model.observation import BlockEnded
from deadheat.model.plan import Plan, RacePlan
from deadheat.storage import run_folder
from deadheat.storage.run_folder import RunFolder

Say = Callable[[str], None]


@dataclass(frozen=True)
class TakenUp:
    """`machines` race on, each in its folder of `folders`, under the load of those in `load`, if elsewhere;
    `services` on a machine of its own, if so; `about` names all runs, those of machines that stand in for
    others too."""

    machines: tuple[Machine, ...]
    folders: Mapping[str, RunFolder]
    load: tuple[Machine, ...]
    services: Machine | None
    about: ClusterRun


def taken_up(
    about: ClusterRun,
    out: Path,
    there: Sequence[Machine],
    labels: parts.Labels,
    say: Say,
    warn: Say,
) -> TakenUp:
    """Machines of the race race on; blocks that those which are gone have left are raced by others, as runs
    of their own. Raises UserError where nobody is left to."""
    services = _services(about, there, labels.services)
    load = _load(about, [machine for machine in there if machine is not services], labels.load)
    about = about.replaced(
        load=tuple(one.node.address for one in load),
        services=None if services is None else services.node.address,
    )
    free = [machine for machine in there if machine is not services and machine not in load]
    machines: list[Machine] = []
    gone: list[RunOfMachine] = []
    for one in about.runs:
        if (machine := _same(one, about, RunFolder(out / one.run), free)) is None:
            gone.append(one)
            continue
        machine.name = one.name
        machines.append(machine)
        free.remove(machine)
    folders = {one.name: RunFolder(out / one.run) for one in about.runs}
    for one in gone:
        rest = _rest(folders[one.name])
        is_gone = f"{one.name} ({one.hostname}, {one.address}) is not in this cluster"
        if about.load:
            raise UserError(f"{is_gone}, and the servers of this race ran there", hint="race anew")
        if not rest or any(other.instead_of == one.name for other in about.runs):
            continue
        if not free:
            warn(f"{is_gone}: it stays as it is")
            continue
        machine = free.pop(0)
        machine.name = f"m{len(about.runs) + 1}"
        parts.check([*machines, machine], unlike=about.unlike, known_different=about.known_different)
        plan = _instead(folders[one.name].plan(), rest, machine, about)
        folders[machine.name] = run_folder.create(out, plan, machine.about.machine)
        about = about.replaced(runs=(*about.runs, of(machine, folders[machine.name], instead_of=one.name)))
        machines.append(machine)
        say(f"  {is_gone}: {machine} races the blocks that it has left")
    if not machines:
        raise UserError(f"none of the machines of {about.run} is in this cluster, and no other either")
    kept = {machine.name: folders[machine.name] for machine in machines}
    return TakenUp(tuple(machines), kept, load, services, about)


def of(machine: Machine, folder: RunFolder, instead_of: str | None = None) -> RunOfMachine:
    """A machine's run, as cluster.json has it."""
    return RunOfMachine(
        name=machine.name,
        run=folder.path.name,
        hostname=machine.node.hostname,
        address=machine.node.address,
        nice=machine.about.after.nice,
        oom_score_adj=machine.about.after.oom_score_adj,
        instead_of=instead_of,
    )


def _load(about: ClusterRun, there: Sequence[Machine], labels: Mapping[str, str]) -> tuple[Machine, ...]:
    """As many as loaded it before: those that did, or those with the labels. Raises UserError."""
    if not about.load:
        return ()
    if not labels:
        found = [machine for machine in there if machine.node.address in about.load]
    else:
        found = [machine for machine in there if machine.node.has(labels)]
    if len(found) != len(about.load):
        raise UserError(
            f"{about.run} was loaded from {len(about.load)} machines ({', '.join(about.load)}), and "
            f"{len(found)} of that kind {'is' if len(found) == 1 else 'are'} in this cluster",
            hint="--load-from LABEL names as many others",
        )
    return tuple(found)


def _services(about: ClusterRun, there: Sequence[Machine], labels: Mapping[str, str]) -> Machine | None:
    """Where they ran before, or the first with the labels. Raises UserError."""
    if about.services is None:
        return None
    for machine in there:
        if machine.node.has(labels) if labels else machine.node.address == about.services:
            return machine
    raise UserError(
        f"the services of {about.run} ran on {about.services}, and no machine like it is in this cluster",
        hint="--services-on LABEL names another",
    )


def _same(
    one: RunOfMachine, about: ClusterRun, folder: RunFolder, there: Sequence[Machine]
) -> Machine | None:
    """The machine that a run was begun on: by its id, by its address where ids say nothing."""
    if about.known_different:
        return next((machine for machine in there if machine.node.address == one.address), None)
    id_ = folder.machine().get("id")
    return next((machine for machine in there if machine.about.machine.get("id") == id_), None)


def _rest(folder: RunFolder) -> tuple[RacePlan, ...]:
    """What a run has yet to race."""
    observed = folder.observations()[0] if folder.journal.exists() else []
    done = Counter(o.race for o in observed if isinstance(o, BlockEnded) and o.disturbed is None)
    return tuple(
        parts.part(race, race.blocks - done[race.key])
        for race in folder.plan().workloads
        if done[race.key] < race.blocks
    )


def _instead(plan: Plan, rest: tuple[RacePlan, ...], machine: Machine, about: ClusterRun) -> Plan:
    """The rest of a plan, as a run of another machine's."""
    cores = machine.about.cores
    own = default_cpus(cores)
    fits = {*plan.server_cpus, *plan.generator_cpus, *plan.services_cpus} <= set(all_of(cores))
    return plan.replaced(
        run=f"{about.run}-{machine.name}",
        seed=plan.seed + len(about.runs),
        server_cpus=plan.server_cpus if fits else own.servers,
        generator_cpus=plan.generator_cpus if fits else own.generators,
        services_cpus=plan.services_cpus if fits else own.services,
        workloads=rest,
    )
