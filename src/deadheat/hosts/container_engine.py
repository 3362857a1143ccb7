"""podman or docker: found on this machine, asked what it can do, and told what to start."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import cgroup, output, sandbox
from deadheat.hosts.output import Output
from deadheat.hosts.process import StartError
from deadheat.hosts.program import InContainer, Spec

PROGRAMS = ("podman", "docker")
#: Names the one to take.
CHOSEN = "DEADHEAT_CONTAINER_ENGINE"
ANSWERS_WITHIN_S = 60.0
# The launcher gives programs so many open files where it may (docs/launcher-protocol.md).
OPEN_FILES = 65536
#: Labels of containers: whose run they are of, and which process of ours has started them.
RUN, OWNER = "deadheat.run", "deadheat.owner"
#: Label of images: that a Containerfile was built here.
BUILT = "deadheat.build"


class NoContainerEngineError(UserError):
    """None that works is here; `absent`: none is here at all."""

    absent = False


@dataclass(frozen=True, slots=True)
class ContainerEngine:
    """`options` stand before each verb. `binds`: whether it binds containers to CPUs by itself;
    `shares_network`: whether they may have this machine's own; `tells_pid`: whether it writes the number of a
    container's first process into a file. `apart`: it has containers started by a daemon."""

    program: str
    version: str
    runtime: str
    options: tuple[str, ...] = ()
    binds: bool = True
    shares_network: bool = True
    tells_pid: bool = False
    apart: bool = False

    @property
    def called(self) -> str:
        """`podman 4.3.1 (runc)`."""
        return f"{self.program} {self.version} ({self.runtime})"

    @property
    def name(self) -> str:
        """Of the program."""
        return Path(self.program).name

    def words(self, *rest: str) -> tuple[str, ...]:
        """The argument vector of a verb, which the methods below give without the program."""
        return (self.program, *self.options, *rest)

    def creation(self, name: str, spec: Spec, owner: str, pid_file: Path) -> tuple[str, ...]:
        """That makes a container of `spec`, which is started later. Nothing is ever pulled by it."""
        contained = spec.container
        assert contained is not None
        words = ["create", "--pull", "never", "--name", name, "--log-driver", "none"]
        words += ["--label", f"{RUN}={contained.run}", "--label", f"{OWNER}={owner}"]
        words += self.network(contained)
        if spec.cpus is not None and self.binds:
            words += ["--cpuset-cpus", ",".join(map(str, sorted(spec.cpus)))]
        words += self.limits()
        if self.tells_pid:
            words += ["--pidfile", str(pid_file)]
        words += [word for key, value in spec.env.items() for word in ("--env", f"{key}={value}")]
        return (*words, contained.image, *spec.argv[1:])

    def network(self, contained: InContainer) -> list[str]:
        """This machine's own, or one of its own with a port that is published on loopback."""
        if not self.published(contained):
            return ["--network", "host"]
        inside = contained.port if contained.inside is None else contained.inside
        return ["--publish", f"127.0.0.1:{contained.port}:{inside}"]

    def published(self, contained: InContainer) -> bool:
        """Whether it is reached through a port that is forwarded, which costs."""
        return contained.inside is not None or not self.shares_network

    def limits(self) -> list[str]:
        """Those of other contenders: what podman has by itself not every machine may grant. A daemon has
        its own."""
        if self.apart:
            return []
        soft, hard = _at_most(resource.RLIMIT_NOFILE, int(Path("/proc/sys/fs/nr_open").read_text()))
        files = f"nofile={min(max(soft, OPEN_FILES), hard)}:{hard}"
        soft, hard = _at_most(resource.RLIMIT_NPROC, int(Path("/proc/sys/kernel/pid_max").read_text()))
        return ["--ulimit", files, "--ulimit", f"nproc={soft}:{hard}"]

    def stopping(self, name: str, grace_s: float) -> tuple[str, ...]:
        """That stops one as its image has it, with SIGKILL after the grace."""
        return ("stop", "-t", str(math.ceil(grace_s)), name)

    def removal(self, name: str) -> tuple[str, ...]:
        """That kills it, if it runs, and leaves nothing of it."""
        at_once = () if self.name == "docker" else ("--time", "0")
        return ("rm", "--force", *at_once, "--volumes", name)

    def building(self, tag: str, file: str) -> tuple[str, ...]:
        """That builds an image in the folder where it is run. Its label says nothing of the tag, so that what
        is built of the same is the same image."""
        return ("build", "--tag", tag, "--file", file, "--label", f"{BUILT}=yes", *self.limits(), ".")

    def ask(self, *rest: str, timeout_s: float = ANSWERS_WITHIN_S) -> Output:
        """A verb, run to its end; a Ctrl-C meanwhile is not for it. Raises StartError, TimeoutError."""
        return output.of(self.words(*rest), {}, timeout_s, "", apart=True)


def find() -> ContainerEngine:
    """The first that works. Raises NoContainerEngineError that says why none does."""
    if sandbox.inside():
        raise NoContainerEngineError(
            "no containers within --sandbox", hint="it has neither mounts nor the sockets of daemons"
        )
    chosen = os.environ.get(CHOSEN)
    problems = []
    for program in (chosen,) if chosen else PROGRAMS:
        if shutil.which(program) is None:
            problems.append(f"{program} is not here")
            continue
        try:
            return _podman(program) if Path(program).name.startswith("podman") else _docker(program)
        except (StartError, TimeoutError, ValueError, KeyError) as error:
            problems.append(f"{program}: {error}")
    # Who has one wants to know why it does not work, and not which others there are.
    there = [problem for problem in problems if not problem.endswith("is not here")]
    if not there:
        nothing = NoContainerEngineError(
            "no container engine: " + " and ".join(problems),
            hint="Debian: apt-get install podman; contenders with a run line need none",
            code=ExitCode.NOTHING_MEASURED,
        )
        nothing.absent = True
        raise nothing
    raise NoContainerEngineError(f"no container engine works: {there[0]}", code=ExitCode.NOTHING_MEASURED)


def _podman(program: str) -> ContainerEngine:
    host = _info(program, "json")["host"]
    version = output.of((program, "version", "--format", "{{.Client.Version}}"), {}, ANSWERS_WITHIN_S, "")
    runtime, options = host["ociRuntime"]["name"], tuple[str, ...]()
    if runtime == "crun" and host["cgroupVersion"] == "v1" and cgroup.crun_refuses():
        if shutil.which("runc") is None:
            raise ValueError(
                "crun starts nothing where version 2 of cgroups has controllers beside version 1: "
                "install runc"
            )
        runtime, options = "runc", ("--runtime", "runc")
    remote = bool(host.get("serviceIsRemote"))
    return ContainerEngine(
        program=program,
        version=version.stdout.strip(),
        runtime=runtime,
        options=() if remote else options,
        binds="cpuset" in (host.get("cgroupControllers") or ()),
        tells_pid=not remote,
        apart=remote,
    )


def _docker(program: str) -> ContainerEngine:
    info = _info(program, "{{json .}}")
    if errors := info.get("ServerErrors"):
        raise ValueError(errors[0])
    security = " ".join(info.get("SecurityOptions") or ())
    system = info.get("OperatingSystem", "")
    return ContainerEngine(
        program=program,
        version=info["ServerVersion"],
        runtime=info.get("DefaultRuntime") or "runc",
        binds=bool(info.get("CPUSet", True)),
        shares_network="rootless" not in security and "Docker Desktop" not in system,
        apart=True,
    )


def _info(program: str, format_: str) -> Mapping[str, Any]:
    said = output.of((program, "info", "--format", format_), {}, ANSWERS_WITHIN_S, "")
    if said.status != 0:
        raise ValueError(last_line(said))
    found: Mapping[str, Any] = json.loads(said.stdout)
    return found


def _at_most(limit: int, most: int) -> tuple[int, int]:
    """Our own limit, soft and hard, where that is not without an end or more than there can be."""
    soft, hard = (
        most if own == resource.RLIM_INFINITY else min(own, most) for own in resource.getrlimit(limit)
    )
    return soft, hard


def last_line(said: Output) -> str:
    """What went wrong: the last line of its stderr, without what only says that it is an error."""
    lines = [line for line in (said.stderr or said.stdout).splitlines() if line.strip()]
    return lines[-1].strip().removeprefix("Error: ") if lines else f"ended with status {said.status}"
