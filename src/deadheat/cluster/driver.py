"""Races of several machines from where they are asked for: who races what, and what it observed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from deadheat import __version__
from deadheat import plan as planning
from deadheat.cluster.agent import About, Agent, LoadHost, Observed, Said
from deadheat.cluster.connection import Node, nodes
from deadheat.cluster.parcel import packed
from deadheat.cluster.pulse import Pulse, why
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.cpus import all_of, default_cpus
from deadheat.kinds.registry import KINDS
from deadheat.model.observation import OBSERVATION, BlockEnded, BlockStarted, NetworkFloor, Observation
from deadheat.model.plan import Plan, RacePlan, contenders_of
from deadheat.plan import Asked
from deadheat.results import machines as merging
from deadheat.storage.journal import Journal
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.registry import PLANNERS
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop

#: For an agent to come up: a worker of Python starts, and imports what it needs.
START_S = 60.0
POLL_S = 0.25
# For the end of a slice, once all are asked to stop.
STOP_S = 30.0


@dataclass
class Machine:
    """One that races: `name` is what reports call it. `lost`: why it no longer does. `ended` once its race
    came to an end of its own."""

    name: str
    node: Node
    agent: Any
    about: About
    lost: str | None = None
    ended: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({self.node.hostname}, {self.node.address})"


@contextmanager
def gathered(
    ray: Any, wanted: int | None, say: Callable[[str], None]
) -> Iterator[tuple[list[Machine], Pulse]]:
    """An agent on each of so many machines (all there are, without a number), named m1, m2 and so on; they
    are ended with the block. Raises UserError."""
    found = nodes(ray)
    if not found:
        raise UserError(
            "no machine of this cluster has a CPU for us",
            hint="ray start --num-cpus=1 on each that is to race; deadheat cluster doctor shows them",
            code=ExitCode.NOTHING_MEASURED,
        )
    if wanted is not None and wanted > len(found):
        there = ", ".join(node.address for node in found)
        raise UserError(f"--machines {wanted}: this cluster has {len(found)} that can race: {there}")
    with ExitStack() as stack, Pulse(ray) as pulse:
        asked = []
        for number, node in enumerate(found[:wanted], 1):
            agent = _agent(ray, node)
            stack.callback(_ended, ray, agent)
            pulse.add(node.id, agent)
            asked.append((f"m{number}", node, agent, agent.about.remote()))
        machines = []
        for name, node, agent, about in asked:
            try:
                machines.append(Machine(name, node, agent, _got(ray, node, about)))
            except UserError as error:
                if wanted is not None or len(asked) == 1:
                    raise
                # One that has just died is on Ray's list for a while.
                say(f"  {name}: not there: {error.message}")
                continue
            say(f"  {machines[-1]}: {machines[-1].about.machine['cpu_model']}, {_cores(machines[-1])}")
        yield machines, pulse


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
    for number, machine in enumerate(machines):
        cores = machine.about.cores
        cpus = default_cpus(cores)
        own = replace(
            asked,
            until="the end",
            server_cpus=asked.server_cpus or cpus.servers,
            generator_cpus=asked.generator_cpus or cpus.generators,
            usable_cpus=tuple(dict.fromkeys([*(asked.server_cpus or cpus.servers), *all_of(cores)])),
        )
        plan = planning.plan(own, suite, tuple(KINDS), PLANNERS)
        first = first or plan
        races = tuple(race.replaced(past=None) for race in plan.workloads)
        if asked.budget_s is None:
            races = tuple(share(race, len(machines)) for race in races)
        found[machine.name] = plan.replaced(
            run=f"{first.run}-{machine.name}",
            started=first.started,
            seed=first.seed + number,
            workloads=races,
        )
    return found


def share(race: RacePlan, machines: int) -> RacePlan:
    """One machine's part of a race."""
    blocks = min(race.blocks, max(merging.FEWEST_EACH, math.ceil(race.blocks / machines)))
    estimated_s = None if race.estimated_s is None else round(race.estimated_s * blocks / race.blocks, 1)
    return race.replaced(blocks=blocks, estimated_s=estimated_s)


def loaded(
    machines: Sequence[Machine], labels: Mapping[str, str], asked: Asked, suite: Suite
) -> tuple[Machine, list[Machine], Plan]:
    """The machine that servers run on, those with these labels, which load it, and the plan of a race like
    that. Raises UserError where either is missing."""
    load = [one for one in machines if labels.items() <= one.node.labels.items()]
    servers = [one for one in machines if one not in load]
    said = ", ".join(f"{key}={value}" for key, value in labels.items())
    if not load:
        there = "; ".join(f"{one}: {_labels(one.node)}" for one in machines)
        raise UserError(f"no machine has the label {said}: {there}", hint="labels in hosts.toml")
    if not servers:
        raise UserError(f"all machines have the label {said}: none is left for the servers")
    if fewer := [one for one in load if len(one.about.cores) < 1]:
        raise UserError(f"{fewer[0]} has no CPU for us")
    own = default_cpus(servers[0].about.cores)
    theirs = default_cpus(load[0].about.cores)
    asked = replace(
        asked,
        server_cpus=asked.server_cpus or own.servers,
        generator_cpus=asked.generator_cpus or theirs.generators,
        usable_cpus=tuple(
            dict.fromkeys([*(asked.server_cpus or own.servers), *all_of(servers[0].about.cores)])
        ),
    )
    plan = planning.plan(asked, suite, tuple(KINDS), PLANNERS)
    races = tuple(race.replaced(past=None) for race in plan.workloads)
    return servers[0], load, plan.replaced(workloads=races)


def _labels(node: Node) -> str:
    own = {key: value for key, value in node.labels.items() if not key.startswith("ray.io/")}
    return ", ".join(f"{key}={value}" for key, value in own.items()) or "no labels"


class Driver:
    """Races plans on machines at the same time, and keeps what each observes in its own run's folder.

    A machine that is lost is told at once and leaves its whole blocks; the others go on.
    """

    def __init__(
        self,
        ray: Any,
        suite: Suite,
        machines: Sequence[Machine],
        pulse: Pulse,
        plans: Mapping[str, Plan],
        folders: Mapping[str, RunFolder],
        say: Callable[[str], None],
        warn: Callable[[str], None],
        stop: Stop,
        load: Sequence[Machine] = (),
    ) -> None:
        self._ray = ray
        self._machines = machines
        self._pulse = pulse
        self._plans = plans
        self._folders = folders
        self._say = say
        self._warn = warn
        self._stop = stop
        self._load = load
        raced = {name for plan in plans.values() for name in contenders_of(plan.workloads)}
        self._suite = packed(suite, raced)
        self._done: dict[str, set[tuple[str, int]]] = {machine.name: set() for machine in machines}
        self.observed: dict[str, list[Observation]] = {machine.name: [] for machine in machines}
        self.failed: dict[str, UserError] = {}
        self.lost: set[str] = set()

    def run(self) -> None:
        """Until each machine has ended or is lost. Raises KeyboardInterrupt at the second Ctrl-C."""
        parcel = self._ray.put(self._suite)
        with ExitStack() as stack:
            journals = {}
            streams = {}
            for machine in self._machines:
                folder = self._folders[machine.name]
                lines: tuple[bytes, ...] = ()
                if folder.journal.exists():
                    self.observed[machine.name], _torn = folder.observations()
                    self._count(machine, self.observed[machine.name])
                    lines = tuple(OBSERVATION.dump_json(one) for one in self.observed[machine.name])
                journals[machine.name] = stack.enter_context(Journal(folder.journal))
                race = machine.agent.race.options(num_returns="streaming")
                streams[machine.name] = race.remote(
                    self._plans[machine.name], parcel, lines, *self._loaded_from(machine)
                )
            self._watch(streams, journals)

    def _loaded_from(self, machine: Machine) -> tuple[Any, ...]:
        """What an agent is told of the machines that load its own."""
        if not self._load:
            return ()
        for one in self._load:
            one.agent.bind.remote(self._plans[machine.name].generator_cpus)
        hosts = tuple(LoadHost(one.agent, one.node.address) for one in self._load)
        return hosts, machine.node.address, tuple(self._floor(one, machine) for one in self._load)

    def _floor(self, one: Machine, server: Machine) -> NetworkFloor:
        """Between two machines, while nothing else goes on. Raises UserError."""
        try:
            port = self._ray.get(server.agent.echo.remote(server.node.address))
            found = self._ray.get(one.agent.network.remote(server.node.address, port))
        except self._ray.exceptions.RayError as error:
            raise UserError(
                f"{one} does not reach {server}: {getattr(error, 'cause', None) or why(error)}",
                hint="deadheat cluster doctor looks at the network between each pair",
                code=ExitCode.NOTHING_MEASURED,
            ) from error
        self._say(
            f"  {one.name} to {server.name}: {found.rtt_s * 1e3:.2f} ms there and back, which no answer is "
            f"sooner than; {found.bytes_per_s / 1e6:,.0f} MB/s"
        )
        return NetworkFloor(
            host=one.node.address,
            rtt_s=found.rtt_s,
            rtt_p99_s=found.rtt_p99_s,
            bytes_per_s=found.bytes_per_s,
        )

    def _watch(self, streams: dict[str, Any], journals: Mapping[str, Journal]) -> None:
        by_name = {machine.name: machine for machine in self._machines}
        stopped_at: float | None = None
        looked_at = time.monotonic()
        while streams:
            ready, _ = self._ray.wait(list(streams.values()), num_returns=1, timeout=POLL_S)
            for name in [name for name, stream in streams.items() if stream in ready]:
                if not self._took(by_name[name], streams[name], journals[name]):
                    del streams[name]
            if time.monotonic() - looked_at < POLL_S:
                continue
            looked_at = time.monotonic()
            for name in list(streams):
                if (silent := self._pulse.lost(by_name[name].node.id)) is not None:
                    self._lose(by_name[name], silent)
                    del streams[name]
            if self._stop.requested and stopped_at is None:
                stopped_at = time.monotonic()
                for name in streams:
                    by_name[name].agent.stop.remote()
            if stopped_at is not None and time.monotonic() - stopped_at > STOP_S:
                for name in streams:
                    self._lose(by_name[name], f"it has not stopped within {STOP_S:g} s")
                return

    def _took(self, machine: Machine, stream: Any, journal: Journal) -> bool:
        """What a machine says next; whether more is to come."""
        try:
            said = self._ray.get(next(stream))
        except StopIteration:
            machine.ended = True
            return False
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            if not isinstance(cause, UserError):
                cause = UserError(str(cause).strip().splitlines()[-1], code=ExitCode.NOTHING_MEASURED)
            self.failed[machine.name] = cause
            self.lost.add(machine.name)
            self._warn(f"{machine}: {cause}")
            machine.lost = str(cause)
            return False
        except self._ray.exceptions.RayError as error:
            self._lose(machine, why(error))
            return False
        if isinstance(said, Said):
            (self._warn if said.warning else self._say)(f"{machine.name}: {said.text.strip()}")
        elif isinstance(said, Observed):
            new = [OBSERVATION.validate_json(line) for line in said.lines]
            for one in new:
                journal.append(one)
            self.observed[machine.name] += new
            self._count(machine, new)
            for one in new:
                self._tell(machine, one)
        return True

    def _count(self, machine: Machine, observed: Sequence[Observation]) -> None:
        self._done[machine.name] |= {
            (o.race, o.block) for o in observed if isinstance(o, BlockEnded) and o.disturbed is None
        }

    def _tell(self, machine: Machine, observed: Observation) -> None:
        """A line for each block: of this machine's, and of all."""
        if not isinstance(observed, BlockEnded):
            return
        race = next(one for one in self._plans[machine.name].workloads if one.key == observed.race)
        own = sum(key == race.key for key, _ in self._done[machine.name])
        every = sum(key == race.key for done in self._done.values() for key, _ in done)
        planned = sum(r.blocks for p in self._plans.values() for r in p.workloads if r.key == race.key)
        state = "does not count, somebody got into it" if observed.disturbed else f"{own} of {race.blocks}"
        self._say(f"  {machine.name:<4} {race.key}: block {state} · {every} of {planned} on all machines")

    def _lose(self, machine: Machine, why: str) -> None:
        cut = _in_a_block(self.observed[machine.name])
        left = sum(1 for _ in self._done[machine.name])
        blocks = f"{left} whole block{'s' * (left != 1)}"
        machine.lost = why
        self.lost.add(machine.name)
        self._warn(f"{machine} is lost{cut}: {why}; its {blocks} count")
        _ended(self._ray, machine.agent)


def _in_a_block(observed: Sequence[Observation]) -> str:
    last = next((o for o in reversed(observed) if isinstance(o, BlockStarted | BlockEnded)), None)
    return f" in block {last.block + 1} of {last.race}" if isinstance(last, BlockStarted) else ""


def _agent(ray: Any, node: Node) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    placed = NodeAffinitySchedulingStrategy(node.id, soft=False)
    # One call for the race, one for signs of life, one to stop it.
    return (
        ray.remote(Agent)
        .options(num_cpus=0, max_restarts=0, max_concurrency=4, scheduling_strategy=placed)
        .remote()
    )


def _got(ray: Any, node: Node, about: Any) -> About:
    try:
        found: About = ray.get(about, timeout=START_S)
    except ray.exceptions.GetTimeoutError as error:
        raise UserError(
            f"{node.hostname} ({node.address}) does not come up within {START_S:g} s",
            hint="deadheat cluster doctor looks at each machine",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None)
        raise UserError(
            f"{node.hostname} ({node.address}): {cause or why(error)}",
            hint="it must have this version of Deadheat, in the Python that ray start was called from",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
    return found


def _cores(machine: Machine) -> str:
    cores = machine.about.machine["cores"]
    return f"{cores} core{'s' * (cores != 1)}"


def _ended(ray: Any, agent: Any) -> None:
    with suppress(Exception):  # it may have gone before
        ray.kill(agent, no_restart=True)
