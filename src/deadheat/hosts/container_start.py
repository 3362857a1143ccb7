"""A container on its way: created, and started by its engine's client, until it runs its own program."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from deadheat.hosts.container_engine import ContainerEngine, last_line
from deadheat.hosts.container_owner import owner
from deadheat.hosts.process import Launcher, Process, StartError
from deadheat.hosts.program import Exit, Spec

STARTS_WITHIN_S = 60.0
ASK_AGAIN_S, LOOK_AGAIN_S = 0.05, 0.002
# What an engine ends with where it cannot start a container, and says why: podman-run(1), docker run.
NOT_STARTED = frozenset({125, 126, 127})


@dataclass(frozen=True)
class Start:
    """One of this name. `folder`: where podman and its monitor tell each other of its process, which stays as
    long as the container does."""

    engine: ContainerEngine
    spec: Spec
    name: str
    folder: Path

    @property
    def _pid_file(self) -> Path:
        return self.folder / "pid"

    def create(self) -> str:
        """Its id. Raises StartError."""
        try:
            said = self.engine.ask(*self.engine.creation(self.name, self.spec, owner(), self._pid_file))
        except TimeoutError as error:
            raise StartError(f"{self.engine.name}: {error}") from error
        if said.status != 0:
            raise StartError(f"{self.spec.argv[0]}: {self.engine.name}: {last_line(said)}")
        return said.stdout.split()[-1]

    def client(self, launcher: Launcher) -> Process:
        """The client, which ends when the container does."""
        spec = Spec(
            argv=self.engine.words("start", "--attach", self.name),
            cwd=self.spec.cwd,
            env=os.environ,
            cpus=self.spec.cpus,  # of podman all of it begins there
            stdout=self.spec.stdout,
            stderr=self.spec.stderr,
            output_limit_bytes=self.spec.output_limit_bytes,
        )
        return launcher.start(spec)

    def await_pid(self, client: Process) -> int:
        """Of its first process; 0 where that is gone already. Raises StartError where it never had one."""
        deadline = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < deadline:
            exit_ = client.poll()
            if (pid := self._told_pid()) is not None and self._has_begun(pid):
                return pid
            if exit_ is not None:
                self.refuse_unstarted(client, exit_)
                # It was over before anybody could look: what it says is all that is known.
                return 0
            time.sleep(LOOK_AGAIN_S if self.engine.tells_pid else ASK_AGAIN_S)
        raise StartError(
            f"{self.spec.argv[0]}: {self.engine.name} did not start it within {STARTS_WITHIN_S:g} s"
        )

    def _told_pid(self) -> int | None:
        with contextlib.suppress(OSError, ValueError, IndexError):
            if self.engine.tells_pid:
                return int(self._pid_file.read_text()) or None
            return int(self.engine.ask("inspect", "--format", "{{.State.Pid}}", self.name).stdout) or None
        return None

    def _has_begun(self, pid: int) -> bool:
        """Whether its process runs the image's program by now, and no longer the runtime's: one that is
        frozen before that holds up the engine, and whoever asks it anything."""
        try:
            first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
        except OSError:  # gone
            return True
        return Path(first).name != self.engine.runtime

    def refuse_unstarted(self, client: Process, exit_: Exit) -> None:
        """Raises StartError with what the engine said, where it was not started by it."""
        if exit_.code in NOT_STARTED:
            said = client.output_tail(1).strip().removeprefix("Error: ")
            raise StartError(f"{self.spec.argv[0]}: {self.engine.name}: {said or exit_.describe()}")
