"""The containers of a host: by which engine they are started, who removes them, and those of others of us
that went away without removing theirs."""

from __future__ import annotations

import contextlib
import itertools
import json
import os

from deadheat.hosts import container_engine
from deadheat.hosts.cgroup import Cgroup
from deadheat.hosts.container import Container
from deadheat.hosts.container_engine import OWNER, RUN, ContainerEngine
from deadheat.hosts.container_guard import Guard
from deadheat.hosts.container_owner import is_left
from deadheat.hosts.interference import Outside
from deadheat.hosts.process import Launcher, StartError
from deadheat.hosts.program import Spec


class Containers:
    """None until the first is started: that asks for an engine, and sweeps up."""

    def __init__(self) -> None:
        self._engine: ContainerEngine | None = None
        self._guard: Guard | None = None
        self._started: list[Container] = []
        self._numbers = itertools.count(1)

    def engine(self) -> ContainerEngine:
        """Raises UserError."""
        if self._engine is None:
            self._engine = container_engine.find()
        return self._engine

    def start(self, spec: Spec, launcher: Launcher) -> Container:
        """Returns when it runs. Raises StartError, UserError."""
        engine = self.engine()
        assert spec.container is not None
        if self._guard is None:
            sweep(engine)
            self._guard = Guard()
        # The run's id is in the name: so whoever lists containers sees whose they are.
        name = f"deadheat-{spec.container.run}-{os.getpid()}-{id(self):x}-{next(self._numbers)}"
        container = Container(launcher, engine, self._guard, spec, name)
        self._started.append(container)
        return container

    def outside(self) -> Outside:
        """Of those that are not below us."""
        pids = frozenset(pid for one in self._started for pid in one.outside_pids())
        return Outside(pids, sum(one.outside_ns() for one in self._started))

    def close(self) -> None:
        """After each of them."""
        if self._guard is not None:
            self._guard.close()
            self._guard = None


def sweep(engine: ContainerEngine) -> tuple[str, ...]:
    """Remove what is left of runs whose process is gone, by its label; the ids of these runs."""
    found = []
    for id_ in _ids(engine):
        with contextlib.suppress(StartError, TimeoutError, ValueError, KeyError, IndexError):
            [facts] = json.loads(engine.ask("inspect", "--type", "container", id_).stdout)
            labels = facts["Config"]["Labels"]
            if is_left(labels[OWNER]):
                with contextlib.suppress(OSError):
                    Cgroup.of(int(facts["State"]["Pid"]), facts["Id"]).freezer()  # which lets it go
                engine.ask(*engine.removal(id_))
                found.append(labels[RUN])
    return tuple(found)


def _ids(engine: ContainerEngine) -> list[str]:
    with contextlib.suppress(StartError, TimeoutError):
        return engine.ask("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={OWNER}").stdout.split()
    return []
