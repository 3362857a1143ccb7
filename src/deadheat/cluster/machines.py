"""The machines of a cluster that race: an agent on each, and what it says of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from deadheat.cluster.agent import About, Agent
from deadheat.cluster.connection import Node, nodes
from deadheat.cluster.pulse import Pulse, why
from deadheat.errors import ExitCode, UserError

#: For an agent to come up: a worker of Python starts, and imports what it needs.
START_S = 60.0


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
            stack.callback(ended, ray, agent)
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


def ended(ray: Any, agent: Any) -> None:
    """At once, and with it all that it has started."""
    with suppress(Exception):  # it may have gone before
        ray.kill(agent, no_restart=True)


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
