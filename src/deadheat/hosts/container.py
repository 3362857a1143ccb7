"""A program in a container: started by podman or docker, frozen and metered by its own cgroup where that is
allowed, stopped as its image has it, and removed."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from deadheat.hosts import tree
from deadheat.hosts.cgroup import Cgroup, Freezer, bound
from deadheat.hosts.container_engine import ContainerEngine
from deadheat.hosts.container_guard import Guard
from deadheat.hosts.container_start import Start
from deadheat.hosts.listening import ports_of
from deadheat.hosts.meter import Usage
from deadheat.hosts.process import ExitedError, Launcher, StartError
from deadheat.hosts.program import Exit, Spec, Why
from deadheat.model.container import Contained, FrozenBy, MeteredBy

ENDS_WITHIN_S, TOLD_WITHIN_S = 20.0, 5.0
# 128 + SIGKILL: the container was killed.
KILLED = 137


class Container:
    """As `Process`, for whoever drives a race.

    The engine's client, which says what the container prints, and of podman also all that the container
    consists of, run below a launcher; `outside` are containers of a daemon, whose processes are not ours.
    """

    def __init__(
        self, launcher: Launcher, engine: ContainerEngine, guard: Guard, spec: Spec, name: str
    ) -> None:
        assert spec.container is not None
        self.spec = spec
        self.name = name
        self._engine, self._guard = engine, guard
        self._spent_ns = 0
        self._exit: Exit | None = None
        self._removed = False
        # podman's monitor reads there what its runtime has written: it stays as long as the container does.
        self._folder = tempfile.TemporaryDirectory(prefix="deadheat-container-")
        self._guarded({})
        start = Start(engine, spec, name, Path(self._folder.name))
        try:
            self.id = start.create()
            self._client = start.client(launcher)
            self.started_ns = self._client.started_ns
            self.pid = start.await_pid(self._client)
            self._look()
            if self.poll() is not None:
                start.refuse_unstarted(self._client, self.wait())
            elif spec.cpus is not None:
                self._bind(spec.cpus)
        except BaseException:
            self._give_up()
            raise

    @property
    def exit(self) -> Exit | None:
        """How it ended, as far as is known without asking."""
        return self._exit

    @property
    def contained(self) -> Contained:
        """How it is."""
        assert self.spec.container is not None
        return Contained(
            engine=self._engine.called,
            published=self._engine.published(self.spec.container),
            frozen_by=self._frozen_by,
            metered_by=self._metered_by,
        )

    def freeze(self) -> int:
        """Stops all of it, where that is allowed; the moment of that. Raises ExitedError."""
        self._alive()
        if self._freezer is not None:
            with self._still_there():
                self._freezer.freeze()
        elif self._frozen_by is not None:
            tree.freeze(self.pid)
        return time.monotonic_ns()

    def thaw(self) -> int:
        """Lets it go on; the moment of that. Raises ExitedError."""
        self._alive()
        with self._still_there():
            self._go_on()
        return time.monotonic_ns()

    def usage(self, *, memory: bool = True) -> Usage:
        """CPU time of all of it so far, and memory of its processes if asked. Raises ExitedError."""
        self._alive()
        cpu = self._cgroup.cpu()
        found = tree.usage_of(self.pids(), memory=memory)
        if not found.threads or (cpu is None and self._metered_by != "processes"):
            # It is gone, and its end not told yet.
            self.wait(ENDS_WITHIN_S)
            self._alive()
        found = found if cpu is None else replace(found, cpu=cpu)
        self._spent_ns = max(self._spent_ns, found.cpu.total_ns)
        return found

    def stop(self, grace_s: float = 5.0) -> Exit:
        """By the signal that its image names, and SIGKILL after the grace; then nothing is left of it."""
        if self.poll() is None:
            with contextlib.suppress(ExitedError):
                self.usage(memory=False)
            with contextlib.suppress(OSError):
                self._go_on()
            why = self._stopped(grace_s)
            self._note(
                replace(self._client.stop(0) if why is None else self._client.wait(0), why=why or Why.KILLED)
            )
        self._remove()
        assert self._exit is not None
        return self._exit

    def wait(self, timeout_s: float | None = None) -> Exit:
        """Raises TimeoutError if it still runs after that time."""
        if self._exit is None:
            self._note(self._client.wait(timeout_s))
        assert self._exit is not None
        return self._exit

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs."""
        if self._exit is None and (exit_ := self._client.poll()) is not None:
            self._note(exit_)
        return self._exit

    def close(self) -> None:
        """Kills it, and removes what is left."""
        if self._exit is None:
            with contextlib.suppress(OSError):
                self._go_on()
        self._client.close()
        self._remove()

    def output_tail(self, lines: int = 20) -> str:
        """The last lines of its stderr, else of its stdout, as far as they were kept."""
        return self._client.output_tail(lines)

    def pids(self) -> tuple[int, ...]:
        """Its processes, as this machine numbers them."""
        return self._cgroup.pids() or tuple(tree.tree_of(self.pid))

    def ports(self) -> tuple[int, ...]:
        """Those on which it is reached, or would be: where it has a network of its own, what it does there is
        not seen from here."""
        assert self.spec.container is not None
        if self._engine.published(self.spec.container):
            return (self.spec.container.port,)
        return ports_of(self.pids())

    def outside_ns(self) -> int:
        """CPU time so far, ns, of what is not below us; 0 where all of it is."""
        if not self._outside:
            return 0
        if self._exit is None:
            with contextlib.suppress(ExitedError):
                self.usage(memory=False)
        return self._spent_ns

    def outside_pids(self) -> Collection[int]:
        """What lives of that."""
        return self.pids() if self._outside and self._exit is None else ()

    def _look(self) -> None:
        """What can be done with it here. Raises StartError where nothing can."""
        try:
            self._cgroup = Cgroup.of(self.pid, self.id)
        except OSError:
            self._cgroup = Cgroup({})
            # Mostly it is over already, and that not told yet.
            with contextlib.suppress(TimeoutError):
                self.wait(TOLD_WITHIN_S)
            if self.poll() is None and not tree.exists(self.pid):
                raise StartError(
                    f"{self._engine.name} runs containers where this machine does not see them: none can be "
                    "raced"
                ) from None
        if self._engine.apart and not self._cgroup.folders and self.poll() is None:
            raise StartError(
                f"{self._engine.name} runs containers elsewhere, or in nobody's own cgroup: none can be raced"
            )
        self._freezer = self._cgroup.freezer()
        version = self._cgroup.cpu_version()
        self._metered_by: MeteredBy = (
            "processes" if version is None else "cgroup v2" if version == 2 else "cgroup v1"
        )
        self._frozen_by = self._freezes_by(self._freezer)
        self._outside = self.pid not in tree.tree_of(os.getpid())
        thaw = {} if self._freezer is None else {str(self._freezer.file): self._freezer.thawed}
        self._guarded(thaw)

    def _freezes_by(self, freezer: Freezer | None) -> FrozenBy | None:
        if freezer is not None:
            return "cgroup v2" if freezer.version == 2 else "cgroup v1"
        if not self.pid:
            return None
        try:
            os.kill(self.pid, 0)
        except OSError:
            return None
        return "SIGSTOP"

    def _bind(self, cpus: frozenset[int]) -> None:
        """To its CPUs, where its engine did not."""
        try:
            for pid in self.pids():
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    bound(pid, cpus)
        except OSError as error:
            raise StartError(
                f"{self.spec.argv[0]}: {self._engine.name} does not bind it to CPUs {sorted(cpus)}, nor may "
                f"we: {error.strerror}"
            ) from error

    def _go_on(self) -> None:
        """Raises OSError."""
        if self._freezer is not None:
            self._freezer.thaw()
        elif self._frozen_by is not None:
            tree.send(self.pid, signal.SIGCONT)

    @contextlib.contextmanager
    def _still_there(self) -> Iterator[None]:
        """Its cgroup goes with it."""
        try:
            yield
        except OSError:
            self.wait(ENDS_WITHIN_S)
            self._alive()

    def _alive(self) -> None:
        if (exit_ := self.poll()) is not None:
            raise ExitedError(exit_)

    def _stopped(self, grace_s: float) -> Why | None:
        """How it was; None where the engine could not."""
        try:
            self._engine.ask(*self._engine.stopping(self.name, grace_s), timeout_s=grace_s + ENDS_WITHIN_S)
            exit_ = self._client.wait(ENDS_WITHIN_S)
        except (StartError, TimeoutError):
            return None
        return Why.KILLED if exit_.code == KILLED else Why.STOPPED

    def _note(self, exit_: Exit) -> None:
        """Of the engine's own processes none was left behind by the program."""
        self._exit = replace(exit_, stray=0)

    def _remove(self) -> None:
        """Once; where that fails, the guard has it in the end."""
        if self._removed:
            return
        self._removed = True
        self._folder.cleanup()
        with contextlib.suppress(StartError, TimeoutError):
            if self._engine.ask(*self._engine.removal(self.name)).status == 0:
                self._guard.leave(self.name)

    def _guarded(self, thaw: Mapping[str, str]) -> None:
        """`thaw`: what is to be written into which files for it to go on."""
        removal = self._engine.words(*self._engine.removal(self.name))
        self._guard.take(self.name, removal, thaw, self._folder.name)

    def _give_up(self) -> None:
        if hasattr(self, "_client"):
            self._client.close()
        self._remove()
