"""Races of several machines from where they are asked for: what each observed, kept as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

from deadheat.cluster.agent import Observed, OtherHost, Said
from deadheat.cluster.machines import Machine, ended
from deadheat.cluster.parcel import packed
from deadheat.cluster.pulse import Pulse, why
from deadheat.errors import ExitCode, UserError
from deadheat.model.observation import OBSERVATION, BlockEnded, BlockStarted, NetworkFloor, Observation
from deadheat.model.plan import Plan, contenders_of
from deadheat.storage.journal import Journal
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop

POLL_S = 0.25
# For the end of a slice, once all are asked to stop.
STOP_S = 30.0


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
        services: Machine | None = None,
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
        self._services = services
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
                    self._plans[machine.name], parcel, lines, *self._beside(machine)
                )
            self._watch(streams, journals)

    @property
    def _others(self) -> list[Machine]:
        """Machines with a part in the race of the one whose servers race."""
        return [*self._load, *(() if self._services is None else (self._services,))]

    def _beside(self, machine: Machine) -> tuple[Any, ...]:
        """What an agent is told of the machines that load its own, and of that of the services."""
        if not self._load:
            return ()
        for one in self._load:
            one.agent.bind.remote(self._plans[machine.name].generator_cpus)
        # Parts of one machine share its CPUs: that is the race's own work, and no neighbour's.
        every = [machine, *self._others]
        for one in every:
            beside = (other.about for other in every if other is not one)
            one.agent.kin.remote(tuple(b.pid for b in beside if b.kernel == one.about.kernel))
        load = tuple(OtherHost(one.agent, one.node.address) for one in self._load)
        services = self._services and OtherHost(self._services.agent, self._services.node.address)
        known = {o.host for o in self.observed[machine.name] if isinstance(o, NetworkFloor)}
        new = [one for one in self._others if one.node.address not in known]
        return load, services, machine.node.address, tuple(self._floor(one, machine) for one in new)

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
        role: Literal["load", "services"] = "load" if one in self._load else "services"
        which = "no answer" if role == "load" else "no answer of a service"
        self._say(
            f"  {one.name} to {server.name}: {found.rtt_s * 1e3:.2f} ms there and back, which {which} is "
            f"sooner than; {found.bytes_per_s / 1e6:,.0f} MB/s"
        )
        return NetworkFloor(
            host=one.node.address,
            role=role,
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
                if (silent := self._silent(by_name[name])) is not None:
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

    def _silent(self, machine: Machine) -> str | None:
        """Why nothing more comes of a machine: it is lost, or one that loads it is."""
        if (own := self._pulse.lost(machine.node.id)) is not None:
            return own
        for one in self._others:
            if (theirs := self._pulse.lost(one.node.id)) is not None:
                what = "which loads it" if one in self._load else "which has its services"
                return f"{one}, {what}, is lost: {theirs}"
        return None

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
                _keep(journal, one)
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
        state = f"{own} of {race.blocks}"
        if (by := observed.disturbed) is not None:
            state = f"does not count, {by.by} got into it{f' ({by.who[0]})' if by.who else ''}"
        self._say(f"  {machine.name:<4} {race.key}: block {state} · {every} of {planned} on all machines")

    def _lose(self, machine: Machine, why: str) -> None:
        cut = _in_a_block(self.observed[machine.name])
        left = sum(1 for _ in self._done[machine.name])
        blocks = f"{left} whole block{'s' * (left != 1)}"
        machine.lost = why
        self.lost.add(machine.name)
        self._warn(f"{machine} is lost{cut}: {why}; its {blocks} count")
        ended(self._ray, machine.agent)


def _keep(journal: Journal, one: Observation) -> None:
    """Raises UserError where there is no room for it."""
    try:
        journal.append(one)
    except UserError as error:
        raise UserError(
            error.message,
            hint="all up to here is kept: make room, then the same command with --resume and the run",
            code=error.code,
        ) from error


def _in_a_block(observed: Sequence[Observation]) -> str:
    last = next((o for o in reversed(observed) if isinstance(o, BlockStarted | BlockEnded)), None)
    return f" in block {last.block + 1} of {last.race}" if isinstance(last, BlockStarted) else ""
